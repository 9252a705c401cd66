"""The peer: a plain PySpark script with the same Iceberg catalog, started the usual way.

Run as a process: arguments are the warehouse, the jars and the statement. It prints `ready` after the first result,
then, for each line on standard input, runs the statement again and prints the seconds it took.
"""

from __future__ import annotations

import sys
import time


def main() -> None:
    """Run until standard input ends."""
    from pyspark.sql import SparkSession

    warehouse, jars, sql = sys.argv[1:4]
    prefix = "spark.sql.catalog.iceberg"
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.jars", jars)
        .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .config(prefix, "org.apache.iceberg.spark.SparkCatalog")
        .config(f"{prefix}.type", "jdbc")
        .config(f"{prefix}.uri", f"jdbc:sqlite:{warehouse}/sqe.db")
        .config(f"{prefix}.warehouse", f"{warehouse}/iceberg")
        .config(f"{prefix}.jdbc.schema-version", "V1")
        .getOrCreate()
    )
    spark.sql(sql).collect()
    print("ready", flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        spark.sql(sql).collect()
        print(time.perf_counter() - begin, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()

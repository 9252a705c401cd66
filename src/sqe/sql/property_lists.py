"""What may stand after WITH when a table or a schema is made, as system.metadata lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Property:
    """One property."""

    type: str
    default: str
    description: str


TABLE_PROPERTIES = {
    "format": Property("varchar", "PARQUET", "Format of the data files"),
    "format_version": Property("integer", "2", "Version of Iceberg's format"),
    "location": Property("varchar", "", "Folder of the table"),
    "partitioning": Property("array(varchar)", "[]", "Partition fields: columns, or transforms of them"),
    "sorted_by": Property("array(varchar)", "[]", "Order of the rows in each file"),
    "identifier_field_ids": Property("varchar", "", "Columns that tell rows apart"),
    "compression_codec": Property("varchar", "zstd", "Compression of the data files"),
    "object_store_layout_enabled": Property("boolean", "false", "Spread the files over many prefixes"),
    "data_location": Property("varchar", "", "Folder of the data files"),
    "max_commit_retry": Property("integer", "20", "Attempts to commit a change"),
    "parquet_bloom_filter_columns": Property("array(varchar)", "[]", "Columns that get bloom filters"),
}
SCHEMA_PROPERTIES = {"location": Property("varchar", "", "Folder of the schema's tables")}

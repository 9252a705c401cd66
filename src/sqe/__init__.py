"""SQE, the Sovereign Query Engine: an Iceberg-first SQL server on Spark.

A request passes these packages in this order:

    endpoints → auth → sql → catalogs → spark (analyze) → policy → spark (secure, execute) → query (result, record)

`query.pipeline` shows the steps in one function. Imports only point down the layers listed in ARCHITECTURE.md.
"""

__version__ = "0.1.0"

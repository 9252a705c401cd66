"""The function table: what every function of the dialect is in Spark's words.

`scalars/` is for the engine, which knows the types of the arguments; `rewrites/` is applied to the syntax tree
(aggregates, windows, functions that take lambdas); `spark.txt` lists what may go through as it is.
"""

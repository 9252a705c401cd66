"""The request in order: the pipeline, the life cycle of a statement, its results."""

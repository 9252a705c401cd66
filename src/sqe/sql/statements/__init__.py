"""Statements that the parser of queries does not know: each is read here and becomes a query or a plain object."""

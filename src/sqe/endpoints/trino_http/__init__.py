"""Trino's HTTP protocol: statements over POST and GET, rows as JSON."""

"""Tests on a real Spark engine in this process."""

"""Servers that the tests talk to: fetched once into the user's cache folder, started on loopback, stopped again."""

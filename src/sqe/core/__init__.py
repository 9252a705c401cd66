"""Shared words of all packages: errors, identity, ids, folders. Standard library only."""

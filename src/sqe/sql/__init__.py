"""SQL text: splitting scripts, and reading what a statement is about."""

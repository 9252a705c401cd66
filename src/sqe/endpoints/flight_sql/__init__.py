"""Arrow Flight SQL: the service, its messages, and the client that the shell uses."""

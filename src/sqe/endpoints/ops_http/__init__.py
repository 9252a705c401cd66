"""For those who run the server: whether it lives, whether it is ready, what it does, its metrics."""

"""Where data lives: turns settings and attached places into Spark catalog properties. Imports no Spark."""

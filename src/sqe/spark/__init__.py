"""The engine. The only package that talks to the JVM or names a Spark class."""

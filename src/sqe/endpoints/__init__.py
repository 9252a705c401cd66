"""Wire in, wire out: no SQL, no policy, no Spark. The endpoints do not know each other."""

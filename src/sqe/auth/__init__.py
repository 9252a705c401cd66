"""Who asks: credentials, the providers that verify them, and the logins that come of it."""

"""Who is asking: providers that turn credentials into an identity.

Empty until the server has a network endpoint; embedded, the operating system's user is the identity.
"""

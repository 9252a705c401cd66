"""Which columns came from where: OpenLineage events.

Empty until the query life cycle feeds it.
"""

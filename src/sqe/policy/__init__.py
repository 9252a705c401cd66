"""What may be seen: engines that decide on rows and columns.

Empty until policy engines exist; the embedded engine relies on file permissions.
"""

"""What the engine tells about itself: logs, metrics and audit; and the base of all settings models.

The lowest layer that may use third-party libraries.
"""

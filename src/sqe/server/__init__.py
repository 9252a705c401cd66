"""The composition root: settings become parts, parts become a running engine."""

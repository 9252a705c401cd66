"""The providers that are part of SQE: one file each, found by `sqe.auth.plugins`."""

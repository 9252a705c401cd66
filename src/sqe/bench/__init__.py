"""Measurements against peers in one run; ratios, never seconds on their own."""

"""`sqe.toml`, environment and command line become one frozen object made of the packages' own models.

`load` is the way in. `sqe.settings.reference` writes the documentation of every key.
"""

from sqe.settings.dump import dump
from sqe.settings.load import LoadedSettings, embedded_settings, load
from sqe.settings.root import Settings

__all__ = ["LoadedSettings", "Settings", "dump", "embedded_settings", "load"]

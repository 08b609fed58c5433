"""The only code that speaks SQL."""

from pathlib import Path

from atmem_core.config import Config
from atmem_core.store.protocol import Store
from atmem_core.store.sqlite.store import SqliteStore

__all__ = ["Store", "open_store"]


def open_store(path: str | Path, *, config: Config, create: bool = True, read_only: bool = False) -> Store:
    """The store in the file at ``path``."""
    return SqliteStore.open(path, config=config, create=create, read_only=read_only)

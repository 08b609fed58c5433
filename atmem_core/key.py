"""Where the key of an encrypted file comes from. The key is read when a file is opened."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from atmem_core.errors import InvalidInput


class Key:
    """A way to the key of an encrypted file. Neither ``repr`` nor an error shows the key."""

    __slots__ = ("_read", "_where")

    def __init__(self, read: Callable[[], object], where: str) -> None:
        self._read = read
        self._where = where

    @classmethod
    def from_environment(cls, name: str = "ATMEM_KEY") -> Self:
        """The value of an environment variable."""
        return cls(lambda: os.environ.get(name, ""), f"environment variable {name}")

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """What stands in a file, without the line end at its end."""
        return cls(lambda: Path(path).read_text(encoding="utf-8").rstrip("\r\n"), f"file {path}")

    @classmethod
    def from_callable(cls, read: Callable[[], str]) -> Self:
        """What a function gives: a key store, a question to a person. Called once an opened file."""
        return cls(read, "callable")

    def read(self) -> str:
        """The key. Raises InvalidInput when there is none where it should be."""
        try:
            key = self._read()
        except Exception as error:  # noqa: BLE001 - whatever a key store raises
            # No `from`: what a key store says may hold a part of the key.
            raise InvalidInput("key", f"the {self._where} gave none: {type(error).__name__}") from None
        if not isinstance(key, str) or not key or "\0" in key:
            raise InvalidInput("key", f"the {self._where} holds no key, or one with NUL in it")
        return key

    def __repr__(self) -> str:
        return f"Key({self._where})"

"""Opening a database for a command. Reading never makes a file."""

import sys
from pathlib import Path

import typer

from atmem_cli.failures import NoDatabase
from atmem_core import Config, Memory, load_settings

IN_MEMORY = ":memory:"


def existing(path: Path) -> Memory:
    """Open the database, which must be there: for every command but the one that stores.

    Raises:
        NoDatabase: Nothing is there, or a file without a byte in it.
    """
    _refuse_memory(path)
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        raise NoDatabase(path)
    return Memory.open(path, config=_settings())


def existing_or_new(path: Path) -> Memory:
    """Open the database, making it when it isn't there."""
    _refuse_memory(path)
    return Memory.open(path, config=_settings())


def text_or_stdin(text: str, name: str) -> str:
    """The text as given; ``-`` is all of standard input, without the line end that ``echo`` adds.

    Raises:
        BadParameter: Nothing but space, or bytes that aren't UTF-8.
    """
    if text == "-":
        try:
            # The bytes, since on some platforms a pipe is read in a code page of the machine.
            text = sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise typer.BadParameter(
                f"standard input isn't UTF-8 (byte {error.start}); convert it first",
                param_hint=name,
            ) from None
    if not text.strip():
        raise typer.BadParameter("is empty; give at least one character", param_hint=name)
    return text


def _settings() -> Config:
    """From ``atmem.toml`` and the environment. A key stands in neither's settings, and on no command line."""
    return load_settings().config


def _refuse_memory(path: Path) -> None:
    if str(path) == IN_MEMORY:
        raise typer.BadParameter(
            f"{IN_MEMORY} would be gone when this command ends; name a file", param_hint="DB"
        )

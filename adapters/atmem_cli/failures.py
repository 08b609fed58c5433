"""From an error to an exit status and a message: 0 done, 1 failed, 2 wrong usage."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from atmem_cli.output import print_json
from atmem_core.errors import AtmemError, InvalidInput

FAILED = 1
WRONG_USAGE = 2
STOPPED = 130
"""What a shell gives for a process that Ctrl-C ended."""


class NoDatabase(AtmemError):
    """There is nothing to read at this path, and reading makes no file."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no database at {path}; `atmem remember {path} ...` makes one")


class NotConfirmed(AtmemError):
    """The person said no."""


class Problems(AtmemError):
    """A check found something and has printed it; only the exit status is left to say."""


class CommandGroup(TyperGroup):
    """Commands whose errors end in one message on stderr, as JSON when ``--json`` was given."""

    def main(self, *args: Any, **options: Any) -> NoReturn:  # noqa: ANN401 - as typer has it
        """Run, and leave by ``sys.exit`` whatever happens."""
        given = args[0] if args else options.get("args")
        words = list(sys.argv[1:] if given is None else given)
        sys.exit(self._run(words, args, {**options, "standalone_mode": False}))

    def _run(self, words: Sequence[str], args: Sequence[Any], options: dict[str, Any]) -> int:
        try:
            status = super().main(*args, **options) or 0
            sys.stdout.flush()
        except (typer.Abort, KeyboardInterrupt):
            return STOPPED
        except BrokenPipeError:
            # `atmem ... | head`: the reader is gone, and Python would flush once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        except Problems:
            return FAILED
        except (AtmemError, typer.TyperException, OSError) as error:
            return _report(error, as_json=_wants_json(words))
        return int(status)


def _wants_json(words: Sequence[str]) -> bool:
    """Asked of the bare words: the command line may be what is wrong."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _report(error: Exception, *, as_json: bool) -> int:
    status = _status(error)
    if as_json:
        print_json({"error": _fields(error, status)}, to_stderr=True)
        return status
    context = getattr(error, "ctx", None)
    if context is not None:
        print(f"{context.get_usage()}\nTry: {context.command_path} --help\n", file=sys.stderr)
    print(f"error: {_message(error)}", file=sys.stderr)
    return status


def _status(error: Exception) -> int:
    if isinstance(error, InvalidInput):
        return WRONG_USAGE
    if isinstance(error, typer.TyperException):
        return error.exit_code
    return FAILED


def _fields(error: Exception, status: int) -> dict[str, object]:
    usage = isinstance(error, typer.TyperException)
    fields: dict[str, object] = {
        "type": "UsageError" if usage else type(error).__name__,
        "message": _message(error),
        "exit_status": status,
    }
    for name in ("field", "code", "reason"):
        value = None if usage else getattr(error, name, None)
        if isinstance(value, str):
            fields[name] = value
    return fields


def _message(error: Exception) -> str:
    if isinstance(error, typer.TyperException):
        return error.format_message()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)

"""``atmem verify``, ``repair`` and ``backup``: the file as a whole."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from atmem_cli import options
from atmem_cli.failures import Problems
from atmem_cli.opening import existing
from atmem_cli.output import console, print_json

Target = Annotated[Path, typer.Argument(metavar="FILE", help="The copy; it must not exist yet.")]


def verify(database: options.Database, *, json: options.Json = False) -> None:
    """Check the whole file; exit status 1 when something is wrong."""
    with existing(database) as memory, _at_work("verifying", quiet=json):
        findings = memory.verify()
    if json:
        print_json({"findings": findings})
    else:
        _print_lines(findings, none="nothing is wrong")
    if findings:
        if not json:
            print(f"`atmem repair {database}` builds again what is derived", file=sys.stderr)
        raise Problems("the file has problems")


def repair(database: options.Database, *, json: options.Json = False) -> None:
    """Build again what is derived from the notes: indexes, statistics, vectors."""
    with existing(database) as memory, _at_work("repairing", quiet=json):
        done = memory.repair()
    if json:
        print_json({"done": done})
    else:
        _print_lines(done, none="nothing had to be done")


def backup(database: options.Database, target: Target, *, json: options.Json = False) -> None:
    """Copy the file while it is in use."""
    with existing(database) as memory, _at_work("copying", quiet=json):
        memory.backup(target)
    size = target.stat().st_size
    if json:
        print_json({"path": str(target), "bytes": size})
    else:
        console().print(Text(f"copied to {target}, {size} bytes"))


def _print_lines(lines: list[str], *, none: str) -> None:
    out = console()
    for line in lines or [none]:
        out.print(Text(line))


@contextmanager
def _at_work(what: str, *, quiet: bool) -> Iterator[None]:
    """A bar on a terminal while the core works; the core doesn't say how far it is."""
    out = console(to_stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True, disable=quiet or not out.is_terminal) as bar:
        bar.add_task(what, total=None)
        yield

"""A bar for long work, on a terminal alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from atmem_cli.output import console

Tell = Callable[[int, int | None], None]
"""What is done, and of how many when that is known."""


@contextmanager
def bar(what: str, *, quiet: bool) -> Iterator[Tell]:
    """A bar on standard error, and how to move it on."""
    out = console(to_stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True, disable=quiet or not out.is_terminal) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)

"""Running ``atmem`` as a person or a program would."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from atmem_cli.main import app

PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "TERMINAL_WIDTH": "100"}
"""A terminal of fixed width that shows no colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output as JSON."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def error(self) -> dict[str, Any]:
        """The error on standard error as JSON; nothing may stand beside it."""
        assert self.out == ""
        document = json.loads(self.err)
        assert set(document) == {"error"}
        fields: dict[str, Any] = document["error"]
        assert fields["exit_status"] == self.status
        return fields


def atmem(*words: str | Path, stdin: bytes | None = None, subject: str | None = None) -> Ran:
    """Run in this process, which is quick; no terminal is there."""
    env: dict[str, str | None] = {**PLAIN, "ATMEM_SUBJECT": subject}
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin or b"", env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(status=result.exit_code, out=result.stdout, err=result.stderr)


def process(
    *words: str | Path,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    first: Callable[[], None] | None = None,
) -> Ran:
    """Run in a process of its own; ``first`` is called there before the command starts."""
    ran = subprocess.run(
        [sys.executable, "-m", "atmem_cli", *map(str, words)],
        input=stdin,
        capture_output=True,
        check=False,
        env={**environment(), **(env or {})},
        preexec_fn=first,
        timeout=60,
    )
    return Ran(status=ran.returncode, out=ran.stdout.decode(), err=ran.stderr.decode())


def environment() -> dict[str, str]:
    """The one of this process, with a plain terminal in UTF-8."""
    return {**os.environ, **PLAIN, "PYTHONIOENCODING": "utf-8"}


def stored(database: Path, text: str, *options: str, subject: str = "ada") -> str:
    """Store a text; its id."""
    ran = atmem("remember", database, text, "--subject", subject, "--json", *options)
    assert ran.status == 0, ran.err
    identifier: str = ran.document["id"]
    return identifier

"""Rewrite the parts of docs/reference that say what the code says.

Run ``python docs/generate.py`` after a change of settings, commands, errors or the rule table;
``--check`` writes nothing and exits 1 when a page is behind. A generated part stands between
``<!-- generated: NAME -->`` and ``<!-- end -->``; what is around it is written by hand.
"""

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

import atmem_core.config
import atmem_core.errors
import atmem_core.policy.decide
from atmem_cli.main import app

DOCS = Path(__file__).resolve().parent
PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def settings() -> str:
    """A table of Config's fields: name, type, default, and the docstring below each."""
    tree = ast.parse(inspect.getsource(atmem_core.config.Config))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    types = {one.name: one.type for one in dataclasses.fields(atmem_core.config.Config)}
    defaults = {one.name: one.default for one in dataclasses.fields(atmem_core.config.Config)}
    lines = ["| setting | type | default | what it does |", "| --- | --- | --- | --- |"]
    for field, said in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr):
            name = ast.unparse(field.target)
            kind = ast.unparse(field.annotation).replace("|", "or")
            text = " ".join(ast.literal_eval(said.value).split())
            lines.append(f"| `{name}` | {kind} | `{defaults[name]}` | {text} |")
    missing = set(types) - {line.split("`")[1] for line in lines[2:]}
    if missing:
        raise SystemExit(f"Config: no docstring below {', '.join(sorted(missing))}")
    return "\n".join(lines)


def errors() -> str:
    """The tree of errors, as the module draws it."""
    document = inspect.getdoc(atmem_core.errors) or ""
    drawn = document[document.index("AtmemError\n") :].split("\n\n")[0]
    return f"```text\n{drawn}\n```"


def rule_table() -> str:
    """The steps from signals to decision, as the module that takes them lists them."""
    document = inspect.getdoc(atmem_core.policy.decide) or ""
    return "\n".join(line for line in document.split("\n") if line.startswith("|"))


def commands() -> str:
    """Every command: what it does, how it is called, its arguments and options."""
    return "\n\n".join(_command(path, one) for path, one in _walk("atmem", get_command(app)))


def _walk(path: str, command: object) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for name, one in command.commands.items():
            yield from _walk(f"{path} {name}", one)
    elif isinstance(command, TyperCommand):
        yield path, command


def _command(path: str, command: TyperCommand) -> str:
    context = command.context_class(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    parts = [f"### {path}", inspect.cleandoc(command.help or ""), f"```text\n{usage}\n```"]
    records = [record for one in command.params if (record := one.get_help_record(context))]
    if records:
        head = ["| argument | what it does |", "| --- | --- |"]
        parts.append("\n".join([*head, *map(_row, records)]))
    return "\n\n".join(parts)


def _row(record: tuple[str, str]) -> str:
    name, text = (" ".join(part.split()).replace("|", "\\|") for part in record)
    return f"| `{name}` | {text} |"


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "errors": errors,
    "rule-table": rule_table,
    "settings": settings,
}


def generated(page: str) -> str:
    """The page with its generated parts written anew."""
    return PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]]()}\n\n{part[3]}", page)


def main() -> int:
    """Write, or with ``--check`` name, the pages that are behind."""
    check = "--check" in sys.argv[1:]
    behind = 0
    for path in sorted(DOCS.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (new := generated(page)) != page:
            behind += 1
            print(path.relative_to(DOCS.parent), "is behind" if check else "written")
            if not check:
                path.write_text(new, encoding="utf-8")
    return int(check and behind > 0)


if __name__ == "__main__":
    raise SystemExit(main())

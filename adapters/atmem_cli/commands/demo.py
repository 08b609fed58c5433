"""``atmem demo``: the main job on a small built-in conversation, offline, in memory."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from atmem_cli import options
from atmem_cli.conversation import ASKED, SUBJECT, TOLD, Asked
from atmem_cli.listing import plain_table
from atmem_cli.output import console, print_json
from atmem_cli.sentences import COLOURS, REASONS, headline
from atmem_core import CheckStatus, Memory, Recall

LexicalOnly = Annotated[
    bool, typer.Option("--lexical-only", help="Judge by words alone, as without a model.")
]
_INSTALL = "pip install 'atmem-core[local]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One question and what came of it."""

    asked: Asked
    recall: Recall


def demo(*, lexical_only: LexicalOnly = False, json: options.Json = False) -> None:
    """Store a short conversation, ask about it, and show all three outcomes and why."""
    with Memory.open(":memory:", embedder=None if lexical_only else "auto") as memory:
        _tell(memory)
        played = [Played(asked=asked, recall=memory.recall(asked.text, subject=SUBJECT)) for asked in ASKED]
        model = next(check for check in memory.doctor().checks if check.name == "embedder")
    if json:
        print_json({"embedder": model, "told": TOLD, "questions": [_row(one) for one in played]})
        return
    _print_told()
    for number, one in enumerate(played, start=1):
        _print_played(number, one)
    _print_model(model.detail, absent=model.status is not CheckStatus.OK)


def _tell(memory: Memory) -> None:
    ids: dict[str, str] = {}
    for told in TOLD:
        corrected = [ids[text] for text in ids if told.corrects and text.startswith(told.corrects)]
        done = memory.remember(
            told.text,
            subject=SUBJECT,
            occurred_at=datetime.fromisoformat(told.on).replace(tzinfo=UTC),
            supersedes=corrected[0] if corrected else None,
        )
        ids[told.text] = done.id


def _row(played: Played) -> dict[str, object]:
    return {
        "question": played.asked.text,
        "shows": played.asked.shows,
        "decision": played.recall.decision,
        "released": [record.text for record in played.recall.records],
    }


def _print_told() -> None:
    table = plain_table("day", "what Mira told her agent")
    for told in TOLD:
        mark = "  (corrects the earlier one)" if told.corrects else ""
        table.add_row(told.on, f"{told.text}{mark}")
    out = console()
    out.print(table)
    out.print()


def _print_played(number: int, played: Played) -> None:
    decision, records = played.recall.decision, played.recall.records
    colour = COLOURS[decision.support_class]
    line = headline(decision.support_class, len(decision.ranked_record_ids))
    body = [Text(f"“{played.asked.text}”"), Text(line, style=f"bold {colour}")]
    body += [Text(f"  > {record.text}") for record in records]
    body += [Text(f"Why: {REASONS[code]}") for code in decision.reason_codes]
    console().print(
        Panel(
            Group(*body),
            title=Text(f"{number}. {played.asked.shows}", style="bold"),
            title_align="left",
            border_style=colour,
        )
    )


def _print_model(detail: str, *, absent: bool) -> None:
    out = console()
    out.print()
    out.print(Text(f"Judged with: {detail}"))
    if absent:
        out.print(
            Text(
                "Without a model only words are compared, so a question in other words finds less "
                f"and is answered with silence.\nInstall the local model: {_INSTALL}",
                style="yellow",
            )
        )
    out.print("Try it on your own: atmem remember my.db 'I live in Lisbon.' --subject me")
    out.print("              then: atmem decide my.db 'where do I live?' --subject me --explain")

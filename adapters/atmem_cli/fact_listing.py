"""Facts for people."""

from collections.abc import Sequence

from atmem_cli.listing import PREVIEW_CHARS, plain_table
from atmem_cli.output import console, one_line, plain
from atmem_core import Fact


def fact_state(fact: Fact) -> str:
    """Where the fact is in its life."""
    if fact.forgotten_at is not None:
        return "forgotten"
    if fact.superseded_by is not None:
        return "superseded"
    return "current" if fact.valid_to is None else "ends"


def print_facts(facts: Sequence[Fact], *, states: bool = False) -> None:
    """One row a fact, in the given order; with ``states`` also how and when it ended."""
    table = plain_table("id", "from", *(("to", "state") if states else ()), "speaker", "fact")
    for fact in facts:
        end = "" if fact.valid_to is None else f"{fact.valid_to:%Y-%m-%d}"
        life = (end, fact_state(fact)) if states else ()
        text = one_line(fact.text, PREVIEW_CHARS)
        table.add_row(fact.id, f"{fact.valid_from:%Y-%m-%d}", *life, plain(fact.speaker), text)
    console().print(table)

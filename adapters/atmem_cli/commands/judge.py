"""``atmem decide``: may anything that is stored be injected, and why?"""

from collections.abc import Mapping
from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.explaining import print_decision, print_explained
from atmem_cli.opening import existing, text_or_stdin
from atmem_cli.output import print_json
from atmem_core import Decision, Memory, Note
from atmem_core.errors import NotFound

Explain = Annotated[
    bool, typer.Option("--explain", help="Show each record's signals and the reasons, in words.")
]
NoText = Annotated[bool, typer.Option("--no-text", help="With --explain: ids alone, no text of the records.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="With --explain: records to show.")]


def decide(
    database: options.Database,
    query: options.Query,
    *,
    subject: options.Subject,
    project: options.Project = None,
    session: options.Session = None,
    agent: options.Agent = None,
    tag: options.Tags = None,
    kind: options.Kinds = None,
    as_of: options.AsOf = None,
    deadline_ms: options.DeadlineMs = None,
    explain: Explain = False,
    no_text: NoText = False,
    limit: Limit = 5,
    json: options.Json = False,
) -> None:
    """Judge what is stored against a question. --json prints the decision, which holds no text."""
    question = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        decision = memory.decide(
            question,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            kinds=kind or (),
            as_of=as_of,
            deadline_ms=deadline_ms,
        )
        shown = explain and not json and not no_text
        notes = _notes(memory, decision, subject, limit) if shown else {}
    if json:
        print_json(decision)
    elif explain:
        print_explained(decision, notes, most=limit)
    else:
        print_decision(decision)


def _notes(memory: Memory, decision: Decision, subject: str, most: int) -> Mapping[str, Note]:
    """The judged records by id: the decision holds no text, and the file is the person's own."""
    found = {}
    for candidate in decision.candidates[:most]:
        try:
            found[candidate.record_id] = memory.get(candidate.record_id, subject=subject)
        except NotFound:
            continue  # erased since the decision
    return found

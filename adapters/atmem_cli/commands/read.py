"""``atmem recall``, ``search`` and ``context``: what a question gets from the memory."""

from typing import Annotated

import typer
from rich.text import Text

from atmem_cli import options
from atmem_cli.explaining import print_decision
from atmem_cli.listing import PREVIEW_CHARS, plain_table, print_notes, told
from atmem_cli.opening import existing, text_or_stdin
from atmem_cli.output import console, one_line, print_json
from atmem_cli.sentences import REASONS, headline, without
from atmem_core import Channel, ContextBlock, Hit

Keyword = Annotated[bool, typer.Option("--keyword", help="Compare words alone, not meaning.")]
Channels = Annotated[
    list[Channel] | None,
    typer.Option("--channel", metavar="C", help=f"Show these alone, of {', '.join(Channel)}; repeatable."),
]
HowMany = Annotated[int, typer.Option("-k", "--k", metavar="K", help="How many records, from 1 to 50.")]


def recall(
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
    allow_background: options.AllowBackground = False,
    budget_tokens: options.BudgetTokens = None,
    json: options.Json = False,
) -> None:
    """The records that may be injected, best first, and the decision that released them."""
    question = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        found = memory.recall(
            question,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            kinds=kind or (),
            as_of=as_of,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
        )
    if json:
        print_json({"decision": found.decision, "records": found.records})
        return
    print_decision(found.decision)
    if found.records:
        console().print()
        print_notes(found.records)


def search(
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
    k: HowMany = 10,
    keyword: Keyword = False,
    json: options.Json = False,
) -> None:
    """Rank what is stored, for looking. The order is no permission to inject."""
    question = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        hits = memory.search(
            question,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            kinds=kind or (),
            as_of=as_of,
            deadline_ms=deadline_ms,
            k=k,
            mode="keyword" if keyword else "hybrid",
        )
    if json:
        print_json({"injection_authority": False, "hits": hits})
    else:
        _print_hits(hits)


def context(
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
    allow_background: options.AllowBackground = False,
    budget_tokens: options.BudgetTokens = None,
    channel: Channels = None,
    json: options.Json = False,
) -> None:
    """What a model is shown for a question; on standard error, the size of each channel."""
    question = text_or_stdin(query, "QUERY")
    with existing(database) as memory:
        block = memory.context(
            question,
            subject=subject,
            project=project,
            session=session,
            agent=agent,
            tags=tag or (),
            kinds=kind or (),
            as_of=as_of,
            deadline_ms=deadline_ms,
            allow_background=allow_background,
            budget_tokens=budget_tokens,
            channels=channel,
        )
    if json:
        print_json(block)
    else:
        _print_block(block)


def _print_hits(hits: list[Hit]) -> None:
    out = console()
    if not hits:
        out.print("nothing found")
        return
    table = plain_table("score", "id", "told", "text")
    for hit in hits:
        text = one_line(hit.record.text, PREVIEW_CHARS)
        table.add_row(f"{hit.score:.4f}", hit.record_id, told(hit.record), text)
    out.print(table)
    out.print()
    out.print("A ranking for looking; `atmem decide` says what may be injected.")


def _print_block(block: ContextBlock) -> None:
    """The block to stdout byte for byte, what is to be said about it to stderr."""
    out = console(to_stderr=True)
    if block.text:
        print(block.text)
    else:
        decision = block.decision
        out.print(headline(decision.support_class, len(decision.ranked_record_ids)))
        for code in decision.reason_codes:
            out.print(Text(REASONS[code]))
    if block.sections:
        table = plain_table("channel", "records", "tokens", "at most")
        for section in block.sections:
            shown, tokens = str(len(section.entries)), str(section.tokens)
            table.add_row(section.channel.value, shown, tokens, str(section.budget_tokens))
        table.add_row("all", str(len(block.record_ids)), str(block.tokens), "")
        out.print(table)
    for left_out in block.omitted:
        out.print(f"omitted for the budget: {left_out.record_id}, {left_out.tokens} tokens")
    for held in block.held:
        out.print(Text(f"held back, it speaks as a command: {held}", style="yellow"))
    for fault in block.degraded:
        out.print(Text(f"without: {without(fault)}", style="yellow"))

"""What an import did, in a table: what was stored, and what wasn't and why."""

from collections.abc import Mapping

from rich.text import Text

from atmem_cli.listing import pairs, plain_table
from atmem_cli.output import console, plain
from atmem_core import ImportCode, ImportProblem, ImportReceipt

CODES: Mapping[ImportCode, str] = {
    ImportCode.BAD_JSON: "no JSON object, or the file ends in the middle of one",
    ImportCode.BAD_RECORD: "a field is missing or malformed",
    ImportCode.UNKNOWN_RECORD: "a kind of record that this release doesn't know",
    ImportCode.UNKNOWN_TARGET: "a link to a record that isn't there",
    ImportCode.ID_CONFLICT: "the id stands for another record here",
    ImportCode.IDEMPOTENCY_CONFLICT: "stored before with another text",
    ImportCode.INCOMPLETE: "a part of the file is missing",
    ImportCode.EMPTY_TEXT: "no text",
    ImportCode.TEXT_TOO_LONG: "longer than a note may be",
    ImportCode.SECRET_FOUND: "a secret, which is refused here",
    ImportCode.ONLY_RECALLED_MEMORY: "a block of recalled memory and nothing else",
    ImportCode.KIND_NOT_STORED_HERE: "a kind that isn't stored as a note",
    ImportCode.OTHER_OWNER: "belongs to another person of the file; see --owner",
    ImportCode.ASSISTANT_LEFT_OUT: "said by an assistant",
    ImportCode.HIDDEN_MESSAGE: "system prompts, reasoning, custom instructions",
    ImportCode.TOOL_MESSAGE: "calls of tools and what they gave back",
    ImportCode.ATTACHMENT: "files, images and recordings",
    ImportCode.OTHER_BRANCH: "replies made anew, prompts before they were edited",
    ImportCode.NOT_CARRIED: "relations, and values without a text",
}
"""What each code says. Complete: a test compares."""
_SHOWN = 10
"""Refused parts that are shown one by one; ``--json`` has up to 1,000."""


def print_receipt(receipt: ImportReceipt) -> None:
    """Counts, then codes, then the first refused parts with their lines."""
    out = console()
    counts = ("created", "updated", "unchanged")
    rows = [("subject", plain(receipt.subject))]
    out.print(pairs([*rows, *((name, str(getattr(receipt, name))) for name in counts)]))
    if receipt.refused or receipt.left_out:
        table = plain_table("not stored", "code", "why")
        for codes, style in ((receipt.refused, "bold red"), (receipt.left_out, "")):
            for code, count in sorted(codes.items()):
                table.add_row(Text(str(count), style=style), Text(code, style=style), CODES[ImportCode(code)])
        out.print()
        out.print(table)
    _print_problems([one for one in receipt.problems if not one.code.by_rule])
    for code in receipt.degraded:
        text = f"degraded: {code}; the notes are stored all the same"
        out.print(Text(text, style="yellow"))


def _print_problems(problems: list[ImportProblem]) -> None:
    if not problems:
        return
    out = console()
    table = plain_table("line", "code", "where and what")
    for one in problems[:_SHOWN]:
        said = f"{one.where}: {one.message}" if one.where else one.message
        table.add_row(str(one.line), one.code.value, Text(plain(said)))
    out.print()
    out.print(table)
    if len(problems) > _SHOWN:
        out.print(f"and {len(problems) - _SHOWN} more; --json lists them")

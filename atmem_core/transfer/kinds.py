"""What a kind of record must do to be exported and imported. The list of kinds is in ``registry``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from atmem_core.clock import Clock
from atmem_core.config import Redaction
from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.records import CopyOutcome, CopyRefused, ImportCode
from atmem_core.store.protocol import Store
from atmem_core.text import digest
from atmem_core.transfer.fields import Fields

PAGE = 100
"""Records of a page when reading, of a transaction and of an embedding call when writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Where records go to, and what one run of an import knows."""

    store: Store
    clock: Clock
    subject: str
    redaction: Redaction = Redaction.OFF
    renamed: bool = False
    """Do records of another subject come in? Their ids are then made anew, the same each time."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Ids of the file that stand under another id here."""

    def id(self, given: str) -> str:
        """The id under which a record of this id is stored."""
        return given[:1] + digest(self.subject, given)[:20] if self.renamed else given

    def maybe_id(self, given: str | None) -> str | None:
        """The same for an id that may be missing; one of a record that was erased stays."""
        return given if given is None or given == ERASED else self.id(given)


ERASED = "erased"
"""Stands for the id of a successor that was erased."""
Answer = CopyOutcome | CopyRefused


class RecordTransfer(Protocol):
    """One kind of record on its way out and in."""

    @property
    def name(self) -> str:
        """Stands in ``record`` of each line."""
        ...

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """All records of the subject, in a fixed order, a page at a time."""
        ...

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store these in one transaction; an answer for each, in order."""
        ...


def refusal(error: InvalidInput | WriteRefused) -> CopyRefused:
    """The answer for a line whose fields don't make a record."""
    if isinstance(error, WriteRefused):
        return CopyRefused(code=ImportCode(error.code), message=_SAID[error.code])
    return CopyRefused(code=ImportCode.BAD_RECORD, message=f"its field {error.field!r} isn't as it must be")


_SAID = {
    "empty_text": "it has no text",
    "text_too_long": "its text is longer than a note may be",
    "only_recalled_memory": "it is a block of recalled memory and nothing else",
    "secret_found": "it holds a secret, and secrets are refused here",
    "kind_not_stored_here": "it is of a kind that isn't stored as a note",
}

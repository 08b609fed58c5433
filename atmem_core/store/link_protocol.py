"""What a store can do with links between the notes of one subject."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from atmem_core.records import Linked, LinkKind, Note, NoteLink

if TYPE_CHECKING:
    from atmem_core.store.protocol import ReadFilter


class LinkStore(Protocol):
    """Links of every subject; each call names one."""

    def put(self, subject: str, links: Sequence[NoteLink]) -> None:
        """Store each, or give it the new weight where its ends and kind are there; one transaction.

        Raises:
            NotFound: An end isn't this subject's.
            InvalidInput: The ends are of two projects.
        """
        ...

    def links(self, subject: str, *, note_id: str | None, limit: int, offset: int = 0) -> list[NoteLink]:
        """Newest first; those of one note, whichever end it is, or all. Raises NotFound for the note."""
        ...

    def remove(self, subject: str, from_id: str, to_id: str, kind: LinkKind | None) -> int:
        """How many there were of this kind, or of any. Raises NotFound for an end."""
        ...

    def expand(
        self,
        read_filter: "ReadFilter",
        note_ids: Sequence[str],
        *,
        depth: int,
        limit: int,
        allowed: Callable[[Note], bool],
    ) -> list[Linked]:
        """Breadth first, both ways, outgoing links first, the closest first; it ends at the limit.

        A neighbour passes the filter, is ``allowed``, and is of the project of the note before it on the
        walk. None of the given notes is in it, and none twice. Foreign ids are passed over.
        ``allowed`` runs inside the snapshot: it must be quick and pure.
        """
        ...

    def ties(self, subject: str, note_ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of these notes that a link ties, each once, sorted."""
        ...

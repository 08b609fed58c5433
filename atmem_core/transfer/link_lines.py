"""Links between records as lines, and back."""

import math
from collections.abc import Iterator, Sequence

from atmem_core.errors import InvalidInput
from atmem_core.records import CopyRefused, NoteLink
from atmem_core.store.protocol import Store
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import PAGE, Answer, Arrival, refusal


class LinkTransfer:
    """See ``RecordTransfer``. Links come behind what they tie."""

    name = "link"

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """Links from the subject's notes, by the rows of both ends."""
        after: NoteLink | None = None
        while page := store.page_of_links(subject, after=after, limit=PAGE):
            after = page[-1]
            yield [_line(link) for link in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Tie notes that are there."""
        read = [_read(arrival, fields) for fields in lines]
        links = [one for one in read if isinstance(one, NoteLink)]
        stored = iter(arrival.store.copy_links(arrival.subject, links) if links else ())
        return [next(stored) if isinstance(one, NoteLink) else one for one in read]


def _line(link: NoteLink) -> dict[str, object]:
    return sparse(
        {
            "from": link.from_id,
            "to": link.to_id,
            "kind": link.kind,
            "weight": link.weight,
            "created_at": link.created_at,
        }
    )


def _read(arrival: Arrival, fields: Fields) -> NoteLink | CopyRefused:
    try:
        ends = [arrival.id(fields.name(end)) for end in ("from", "to")]
        return NoteLink(
            from_id=arrival.aliases.get(ends[0], ends[0]),
            to_id=arrival.aliases.get(ends[1], ends[1]),
            kind=fields.name("kind"),
            weight=_finite(fields.number("weight")),
            created_at=fields.sure_moment("created_at"),
        )
    except InvalidInput as error:
        return refusal(error)


def _finite(weight: float | None) -> float:
    if weight is None or not math.isfinite(weight):
        raise InvalidInput("weight", "must be a finite number")
    return weight

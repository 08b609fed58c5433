"""Links between notes on SQLite. Each method is one transaction."""

from collections.abc import Callable, Iterator, Sequence

import apsw

from atmem_core.clock import from_micros, to_micros
from atmem_core.errors import InvalidInput, NotFound
from atmem_core.records import Linked, LinkKind, Note, NoteLink
from atmem_core.store.protocol import ReadFilter
from atmem_core.store.sqlite.asking import Answer, every, first
from atmem_core.store.sqlite.connections import Connections
from atmem_core.store.sqlite.eligibility import Eligibility, eligibility
from atmem_core.store.sqlite.rows import NOTE_COLUMNS, by_id, own_rows, text_of, to_note

NUMBER = "SELECT number FROM subjects WHERE name = :subject"
END = (
    "SELECT notes.row, notes.project FROM notes WHERE notes.id = :id "
    "AND +notes.subject_number = (SELECT number FROM subjects WHERE name = :subject)"
)
PUT = (
    "INSERT INTO links (from_row, to_row, kind, weight, created_at) "
    "VALUES (:from_row, :to_row, :kind, :weight, :created_at) "
    "ON CONFLICT (from_row, to_row, kind) DO UPDATE SET weight = excluded.weight"
)
_LISTED = (
    "SELECT one.id, other.id, links.kind, links.weight, links.created_at FROM links "
    "JOIN notes AS one ON one.row = links.from_row JOIN notes AS other ON other.row = links.to_row "
)
_NEWEST = "ORDER BY links.created_at DESC, one.id, other.id, links.kind LIMIT :limit OFFSET :offset"
ALL = _LISTED + "WHERE links.from_row BETWEEN :low AND :high " + _NEWEST
OF_NOTE = _LISTED + "WHERE (links.from_row = :row OR links.to_row = :row) " + _NEWEST
REMOVE = (
    "DELETE FROM links WHERE from_row = :from_row AND to_row = :to_row "
    "AND (:kind IS NULL OR kind = :kind) RETURNING kind"
)
# The other end, outgoing links first, the closest first.
BESIDE = (
    "SELECT to_row, kind, weight, created_at, 0 AS incoming FROM links WHERE from_row = :row "
    "UNION ALL SELECT from_row, kind, weight, created_at, 1 FROM links WHERE to_row = :row "
    "ORDER BY incoming, weight DESC, created_at DESC, kind, 1"
)
BY_ROW = "SELECT " + NOTE_COLUMNS + " FROM notes WHERE notes.row = :row"
WRITE_STATEMENTS = {
    "end": END,
    "put": PUT,
    "of note": OF_NOTE,
    "remove": REMOVE,
    "beside": BESIDE,
    "by row": BY_ROW,
}
"""What a test reads the query plan of."""


class SqliteLinks:
    """See ``LinkStore``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put(self, subject: str, links: Sequence[NoteLink]) -> None:
        """Store each, or give it the new weight."""
        with self._connections.writing() as connection:
            for link in links:
                _put(connection, subject, link)

    def links(self, subject: str, *, note_id: str | None, limit: int, offset: int = 0) -> list[NoteLink]:
        """Newest first."""
        fields: dict[str, object] = {"limit": limit, "offset": offset}
        with self._connections.reading() as connection:
            if note_id is None:
                found = first(connection, NUMBER, {"subject": subject})
                low, high = own_rows(int(found[0]) if found else 0)
                rows = every(connection, ALL, fields | {"low": low, "high": high})
            else:
                row = by_id(connection, subject, note_id)[0]
                rows = every(connection, OF_NOTE, fields | {"row": row})
            return [_link(one) for one in rows]

    def remove(self, subject: str, from_id: str, to_id: str, kind: LinkKind | None) -> int:
        """How many."""
        with self._connections.writing() as connection:
            ends = [by_id(connection, subject, one)[0] for one in (from_id, to_id)]
            fields = {"from_row": ends[0], "to_row": ends[1], "kind": None if kind is None else kind.value}
            return len(every(connection, REMOVE, fields))

    def expand(
        self,
        read_filter: ReadFilter,
        note_ids: Sequence[str],
        *,
        depth: int,
        limit: int,
        allowed: Callable[[Note], bool],
    ) -> list[Linked]:
        """Breadth first, both ways."""
        with self._connections.reading() as connection:
            found = first(connection, NUMBER, {"subject": read_filter.scope.subject})
            if found is None:
                return []
            seen = eligibility(connection, int(found[0]), read_filter)
            walk = _Walk(connection, read_filter.scope.subject, seen, allowed=allowed, limit=limit)
            return walk.walk(note_ids, depth)

    def ties(self, subject: str, note_ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs that a link ties, each once."""
        with self._connections.reading() as connection:
            rows = {}
            for one in note_ids:
                found = first(connection, END, {"id": one, "subject": subject})
                if found is not None:
                    rows[int(found[0])] = one
            pairs = {
                tuple(sorted((rows[row], rows[other])))
                for row in rows
                for other, *_ in every(connection, BESIDE, {"row": row})
                if other in rows and other != row
            }
        return sorted((one, other) for one, other in pairs)


def _put(connection: apsw.Connection, subject: str, link: NoteLink) -> None:
    ends = []
    for one in (link.from_id, link.to_id):
        found = first(connection, END, {"id": one, "subject": subject})
        if found is None:
            raise NotFound(f"this subject has no note {one!r}; nothing was linked")
        ends.append(found)
    if ends[0][1] != ends[1][1]:
        raise InvalidInput("to_id", "is a note of another project; links stay in one project")
    fields = {"from_row": ends[0][0], "to_row": ends[1][0], "kind": link.kind, "weight": link.weight}
    connection.execute(PUT, fields | {"created_at": to_micros(link.created_at)})


class _Walk:
    """One expansion in one snapshot."""

    def __init__(
        self,
        connection: apsw.Connection,
        subject: str,
        eligible: Eligibility,
        *,
        allowed: Callable[[Note], bool],
        limit: int,
    ) -> None:
        self._connection = connection
        self._subject = subject
        self._eligible = eligible
        self._allowed = allowed
        self._limit = limit
        self._reached: set[int] = set()

    def walk(self, note_ids: Sequence[str], depth: int) -> list[Linked]:
        """Notes in the order in which they are reached; it ends at once at the limit."""
        # Row and project of each note to go on from, with the id of its anchor and its own.
        edge: list[tuple[int, str | None, str, str]] = []
        for one in dict.fromkeys(note_ids):
            found = first(self._connection, END, {"id": one, "subject": self._subject})
            if found is not None:
                edge.append((int(found[0]), found[1], one, one))
        self._reached.update(row for row, *_ in edge)
        linked: list[Linked] = []
        for level in range(1, depth + 1):
            further: list[tuple[int, str | None, str, str]] = []
            for row, project, anchor, via in edge:
                for other, note, kind, weight in self._beside(row, project):
                    if len(linked) == self._limit:
                        return linked
                    self._reached.add(other)
                    further.append((other, project, anchor, note.id))
                    linked.append(
                        Linked(note=note, anchor=anchor, via=via, kind=kind, weight=weight, depth=level)
                    )
            edge = further
        return linked

    def _beside(self, row: int, project: str | None) -> Iterator[tuple[int, Note, str, float]]:
        """Neighbours that weren't reached, may be read, and are of the same project; one at a time."""
        for other, kind, weight, *_ in every(self._connection, BESIDE, {"row": row}):
            if other in self._reached or not self._eligible.keep([other]):
                continue
            held = first(self._connection, BY_ROW, {"row": other})
            note = None if held is None else to_note(held, self._subject)
            if note is not None and note.scope.project == project and self._allowed(note):
                yield other, note, text_of(kind), float(weight)


def _link(row: Answer) -> NoteLink:
    return NoteLink(
        from_id=text_of(row[0]),
        to_id=text_of(row[1]),
        kind=text_of(row[2]),
        weight=float(row[3]),
        created_at=from_micros(row[4]),
    )

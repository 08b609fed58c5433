"""One snapshot of one subject through one filter."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import apsw

from atmem_core.store.protocol import Beside, Corpus, Document, FactPart, ReadFilter
from atmem_core.store.sqlite import fact_reading
from atmem_core.store.sqlite.asking import every, first, sole
from atmem_core.store.sqlite.eligibility import Eligibility, eligibility
from atmem_core.store.sqlite.rows import NOTE_COLUMNS, own_rows, to_note
from atmem_core.store.sqlite.vector_cache import VectorCache
from atmem_core.store.sqlite.vectors import VectorSearch
from atmem_core.text import storable

if TYPE_CHECKING:
    from atmem_core.embedding.protocol import Float32Array

SUBJECT = "SELECT number, documents, total_length FROM subjects WHERE name = :name"
_MATCH = " FROM notes_fts WHERE notes_fts MATCH :match AND rowid BETWEEN :low AND :high"
# As one JSON array: a third of the time of a tuple a row.
POSTINGS = "SELECT json_group_array(rowid)" + _MATCH
NEWEST_POSTINGS = (
    "SELECT json_group_array(rowid) FROM (SELECT rowid" + _MATCH + " ORDER BY rowid DESC LIMIT :limit)"
)
FREQUENCY = "SELECT COUNT(*)" + _MATCH
SEARCH_TEXTS = (
    "SELECT row, search_text, token_count FROM notes WHERE row IN (SELECT value FROM json_each(:rows)) "
    "AND row BETWEEN :low AND :high"
)
DOCUMENTS = (
    "SELECT " + NOTE_COLUMNS + ", notes.search_text, notes.token_count FROM notes "
    "WHERE row IN (SELECT value FROM json_each(:rows))"
)
_TOLD = "COALESCE(occurred_at, created_at)"
_TURN = (
    "SELECT row FROM notes WHERE subject_number = :number AND session = turn.session "
    "AND project IS turn.project AND kind = 'note' AND forgotten_at IS NULL AND "
)
_SAME_TIME = _TOLD + " = turn.told AND created_at "
_BY_TELLING = " ORDER BY " + _TOLD + " {0}, created_at {0} LIMIT 1"
_BEFORE = _BY_TELLING.format("DESC")
_AFTER = _BY_TELLING.format("ASC")
BESIDE = (
    "SELECT turn.row,"
    " COALESCE((" + _TURN + _SAME_TIME + "< turn.created_at" + _BEFORE + "),"
    " (" + _TURN + _TOLD + " < turn.told" + _BEFORE + ")),"
    " COALESCE((" + _TURN + _SAME_TIME + "> turn.created_at" + _AFTER + "),"
    " (" + _TURN + _TOLD + " > turn.told" + _AFTER + "))"
    " FROM (SELECT row, session, project, created_at, " + _TOLD + " AS told FROM notes"
    " WHERE row IN (SELECT value FROM json_each(:rows)) AND row BETWEEN :low AND :high"
    " AND session IS NOT NULL AND kind = 'note') AS turn"
)
WORDS = "SELECT json_group_array(word) FROM vocabulary WHERE subject_number = :number AND length = :length"


class SqliteView:
    """See ``ReadView``."""

    def __init__(
        self,
        connection: apsw.Connection,
        read_filter: ReadFilter,
        cache: VectorCache,
        *,
        extension: bool,
    ) -> None:
        self._connection = connection
        self._filter = read_filter
        found = first(connection, SUBJECT, {"name": read_filter.scope.subject})
        self._number, documents, total = found or (0, 0, 0)
        self._corpus = Corpus(documents=documents, mean_length=total / documents if documents else 0.0)
        self._low, self._high = own_rows(self._number)
        self._vectors = VectorSearch(connection, cache, self._number, extension=extension)

    @property
    def corpus(self) -> Corpus:
        """Statistics over the subject's whole index."""
        return self._corpus

    @cached_property
    def _eligibility(self) -> Eligibility:
        return eligibility(self._connection, self._number, self._filter)

    def postings(self, word: str, *, limit: int | None = None) -> list[int]:
        """Rows of the subject that hold the word; unranked and unfiltered."""
        fields = self._match(word)
        if fields is None:
            return []
        sql = POSTINGS if limit is None else NEWEST_POSTINGS
        rows: list[int] = json.loads(sole(self._connection, sql, {**fields, "limit": limit})[0])
        return rows

    def document_frequency(self, word: str) -> int:
        """Length of the postings."""
        fields = self._match(word)
        return 0 if fields is None else int(sole(self._connection, FREQUENCY, fields)[0])

    def _match(self, word: str) -> Mapping[str, object] | None:
        """The word as a quoted FTS5 string: never syntax. None for what can't be a token."""
        # White space would make it a phrase; NUL and lone surrogates are in no stored text.
        if not self._number or word.split() != [word] or storable(word) != word:
            return None
        quoted = '"' + word.replace('"', '""') + '"'
        return {"match": quoted, "low": self._low, "high": self._high}

    def eligible(self, rows: Iterable[int]) -> list[int]:
        """Those that pass the filter, in the given order."""
        return self._eligibility.keep(rows)

    def search_texts(self, rows: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Indexed text and length by row."""
        fields = {"rows": json.dumps(rows), "low": self._low, "high": self._high}
        found = every(self._connection, SEARCH_TEXTS, fields)
        return {row: (text, length) for row, text, length in found}

    def documents(self, rows: Sequence[int]) -> dict[int, Document]:
        """Eligible records by row."""
        kept = self.eligible(rows)
        found = every(self._connection, DOCUMENTS, {"rows": json.dumps(kept)})
        subject = self._filter.scope.subject
        return {
            one[0]: Document(
                row=one[0],
                note=to_note(one[:-2], subject),
                search_text=one[-2],
                token_count=one[-1],
            )
            for one in found
        }

    def nearest(self, identity_digest: str, vector: "Float32Array", k: int) -> list[tuple[int, float]]:
        """The k eligible rows of highest cosine."""
        return self._vectors.nearest(identity_digest, vector, k, self._eligibility)

    @property
    def unscanned(self) -> int:
        """Vectors that the last search passed over."""
        return self._vectors.unscanned

    def cosines(self, identity_digest: str, vector: "Float32Array", rows: Sequence[int]) -> dict[int, float]:
        """Cosine of each row that has a vector."""
        return self._vectors.cosines(identity_digest, vector, rows)

    def turns_beside(self, rows: Sequence[int]) -> dict[int, Beside]:
        """The turns around each row of a session, where they are eligible."""
        fields = {
            "rows": json.dumps(rows),
            "low": self._low,
            "high": self._high,
            "number": self._number,
        }
        found = every(self._connection, BESIDE, fields)
        turns = {turn for _, *around in found for turn in around if turn is not None}
        kept = set(self.eligible(turns))
        return {
            row: Beside(
                before=before if before in kept else None,
                after=after if after in kept else None,
            )
            for row, before, after in found
        }

    def vocabulary(self, length: int) -> list[str]:
        """The subject's words of this length."""
        fields = {"number": self._number, "length": length}
        return sorted(json.loads(sole(self._connection, WORDS, fields)[0]))

    @cached_property
    def _has_facts(self) -> bool:
        return bool(sole(self._connection, fact_reading.ANY, {"number": self._number})[0])

    def fact_parts(self, rows: Sequence[int]) -> Mapping[int, FactPart]:
        """What those of the rows that are facts state."""
        if not self._has_facts:
            return {}
        return fact_reading.parts_of_rows(self._connection, self._number, rows)

    def outdated(self, record_ids: Sequence[str]) -> frozenset[str]:
        """Those that said facts none of which stands any more."""
        if not self._has_facts:
            return frozenset()
        return fact_reading.outdated(self._connection, self._number, record_ids, self._filter)

    def facts_named(self, predicates: Sequence[str]) -> list[int]:
        """Eligible facts with one of these predicates, newest first."""
        if not predicates or not self._has_facts:
            return []
        rows = fact_reading.rows_named(self._connection, self._number, predicates)
        return sorted(self.eligible(rows), reverse=True)

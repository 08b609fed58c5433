"""What is made of notes, against the notes; and how it is made again."""

import apsw

from atmem_core.store.sqlite import context_upkeep, fact_upkeep
from atmem_core.store.sqlite.asking import sole

_STATISTICS_OFF = (
    "SELECT COUNT(*) FROM subjects LEFT JOIN (SELECT subject_number, COUNT(*) AS documents, "
    "SUM(token_count) AS total_length, SUM(superseded_by IS NULL AND archived_at IS NULL) AS active "
    "FROM notes WHERE forgotten_at IS NULL GROUP BY subject_number) AS found "
    "ON found.subject_number = subjects.number WHERE subjects.documents <> COALESCE(found.documents, 0) "
    "OR subjects.total_length <> COALESCE(found.total_length, 0) "
    "OR subjects.active <> COALESCE(found.active, 0)"
)
_COUNTED_WORDS = "SELECT subject_number, length, word, documents FROM vocabulary"
_COUNT_WORDS = (
    "SELECT subject_number, LENGTH(value), value, COUNT(*) FROM notes, "
    "json_each(CASE WHEN JSON_VALID(notes.vocabulary) THEN notes.vocabulary ELSE '[]' END) "
    "WHERE forgotten_at IS NULL GROUP BY subject_number, value"
)
_VOCABULARY_OFF = (
    "SELECT (SELECT COUNT(*) FROM (" + _COUNTED_WORDS + " EXCEPT " + _COUNT_WORDS + ")) "
    "+ (SELECT COUNT(*) FROM (" + _COUNT_WORDS + " EXCEPT " + _COUNTED_WORDS + "))"
)
_NO_VECTOR = (
    "SELECT row FROM notes WHERE forgotten_at IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.row = notes.row) "
    "AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.row = notes.row)"
)
_LOST_VECTORS = "SELECT COUNT(*) FROM (" + _NO_VECTOR + ")"
_TAGS = "SELECT row, tag FROM note_tags"
_OF_NOTES = (
    "SELECT DISTINCT notes.row, json_each.value FROM notes, "
    "json_each(CASE WHEN JSON_VALID(notes.tags) THEN notes.tags ELSE '[]' END)"
)
_TAGS_OFF = (
    "SELECT (SELECT COUNT(*) FROM (" + _TAGS + " EXCEPT " + _OF_NOTES + ")) "
    "+ (SELECT COUNT(*) FROM (" + _OF_NOTES + " EXCEPT " + _TAGS + "))"
)
_DANGLING = (
    "superseded_by IS NOT NULL AND superseded_by <> 'erased' AND superseded_by NOT IN (SELECT id FROM notes)"
)
_FINDINGS = {
    "statistics: differ from the notes; repair counts them again": _STATISTICS_OFF,
    "vocabulary: differs from the notes; repair counts it again": _VOCABULARY_OFF,
    "vectors: notes have none and wait for none; repair queues them": _LOST_VECTORS,
    "vectors: some belong to no note; repair drops them": (
        "SELECT COUNT(*) FROM vectors WHERE row NOT IN (SELECT row FROM notes)"
    ),
    "keyword index: holds notes that left it; repair rebuilds it": (
        "SELECT COUNT(*) FROM notes_fts_docsize "
        "WHERE id NOT IN (SELECT row FROM notes WHERE forgotten_at IS NULL)"
    ),
    "tags: rows differ from the notes; repair writes them again": _TAGS_OFF,
    "waiting list: some are no note of recall; repair drops them": (
        "SELECT COUNT(*) FROM waiting WHERE row NOT IN (SELECT row FROM notes WHERE forgotten_at IS NULL)"
    ),
    "notes: some belong to no subject; restore a backup": (
        "SELECT COUNT(*) FROM notes WHERE subject_number NOT IN (SELECT number FROM subjects) "
        "OR row >> 32 <> subject_number"
    ),
}
_INSERT_WORDS = "INSERT INTO vocabulary (subject_number, length, word, documents) " + _COUNT_WORDS
_COUNT_AGAIN = (
    "UPDATE subjects SET documents = (SELECT COUNT(*) FROM notes WHERE subject_number = number "
    "AND forgotten_at IS NULL), total_length = (SELECT COALESCE(SUM(token_count), 0) FROM notes "
    "WHERE subject_number = number AND forgotten_at IS NULL), active = (SELECT COUNT(*) FROM notes "
    "WHERE subject_number = number AND forgotten_at IS NULL AND superseded_by IS NULL "
    "AND archived_at IS NULL), erasures = erasures + 1, revision = revision + 1"
)
REPAIRS = {
    "keyword index": ("INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')",),
    "links to notes that are gone": (
        "DELETE FROM vectors WHERE row NOT IN (SELECT row FROM notes)",
        "DELETE FROM waiting WHERE row NOT IN (SELECT row FROM notes WHERE forgotten_at IS NULL)",
        "UPDATE notes SET superseded_by = 'erased' WHERE " + _DANGLING,
    ),
    "tags": (
        "DELETE FROM note_tags",
        "INSERT INTO note_tags (row, tag) " + _OF_NOTES,
    ),
    "vocabulary": (
        "DELETE FROM vocabulary",
        _INSERT_WORDS,
    ),
    "facts": fact_upkeep.REPAIRS,
    "profile and advice": context_upkeep.REPAIRS,
    "statistics": (_COUNT_AGAIN,),
}
WAIT_AGAIN = "INSERT INTO waiting (row) " + _NO_VECTOR


_LOOSE_ENDS = "SELECT COUNT(*) FROM notes WHERE " + _DANGLING
LOOSE_END = (
    "notes: some gave way to a record that isn't there; run an import that was interrupted again, "
    "or repair says that it was erased"
)


def loose_ends(connection: apsw.Connection) -> list[str]:
    """A successor that isn't there: damage, or it was left out of what was imported."""
    return [LOOSE_END] if sole(connection, _LOOSE_ENDS)[0] else []


def findings(connection: apsw.Connection) -> list[str]:
    """What differs, one finding a line."""
    return [text for text, sql in _FINDINGS.items() if sole(connection, sql)[0]]

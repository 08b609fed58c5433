"""How facts leave: with their record, with the turn or note that said them, or alone."""

import apsw

from atmem_core.records import Selector
from atmem_core.store.sqlite import leaving
from atmem_core.store.sqlite.asking import first
from atmem_core.store.sqlite.fact_rows import find

STANDS = (
    "SELECT (valid_to IS NULL OR valid_to > :at) AND superseded_by IS NULL AND forgotten_at IS NULL "
    "FROM facts WHERE row = :row"
)
WRITE_STATEMENTS = {"stands": STANDS}


def forget_fact(connection: apsw.Connection, subject: str, fact_id: str, *, at: int) -> bool:
    """End and forget one fact that stands; False when it doesn't, or isn't this subject's."""
    found = find(connection, subject, fact_id)
    if found is None:
        return False
    stands = first(connection, STANDS, {"row": found[0], "at": at})
    if stands is None or not stands[0]:
        return False
    leaving.forget(connection, subject, Selector(note_id=fact_id), at)
    return True

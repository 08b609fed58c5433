"""How profile facts, lessons and procedures leave: by themselves, or with the notes they came from."""

import json
from collections.abc import Sequence

import apsw

from atmem_core.clock import to_micros
from atmem_core.records import EraseReceipt, Forgotten, Selector
from atmem_core.store.sqlite import leaving
from atmem_core.store.sqlite.advice import deprecated
from atmem_core.store.sqlite.asking import every, first, sole
from atmem_core.store.sqlite.turns import erase_with_turns, release_turns

IS_PROFILE = "SELECT 1 FROM profile_facts WHERE id = :note_id AND subject = :subject"
IS_ADVICE = "SELECT 1 FROM advice WHERE id = :note_id AND subject = :subject"
_PROFILE = "FROM profile_facts WHERE subject = :subject "
_ADVICE = "FROM advice WHERE subject = :subject "
_CHOSEN = {"note_id": "AND id = :note_id", "older_than": "AND created_at < :older_than", "everything": ""}
"""A profile has no project and no session: it goes by its age, or with everything."""
ERASE_PROFILE = {name: "DELETE " + _PROFILE + sql + " RETURNING id" for name, sql in _CHOSEN.items()}
ERASE_ADVICE = {
    name: "DELETE " + _ADVICE + sql + " RETURNING id"
    for name, sql in {**_CHOSEN, "project": "AND project = :project"}.items()
}
FORGET_PROFILE = {
    name: "UPDATE profile_facts SET superseded_by = 'forgotten', superseded_at = :at "
    "WHERE subject = :subject AND superseded_by IS NULL " + sql + " RETURNING id"
    for name, sql in _CHOSEN.items()
}
CHOOSE_ADVICE = {
    name: "SELECT id " + _ADVICE + "AND status = 'active' " + sql
    for name, sql in {**_CHOSEN, "project": "AND project = :project"}.items()
}
# What was drawn from a record holds words of it.
DRAWN = (
    "DELETE FROM advice WHERE subject = :subject AND row IN (SELECT row FROM advice_parents "
    "WHERE parent_id IN (SELECT value FROM json_each(:ids))) RETURNING id"
)
OF_SESSION = "DELETE FROM votes WHERE subject = :subject AND session = :session RETURNING row"
UNPOINT = "UPDATE profile_facts SET supersedes = NULL WHERE subject = :subject AND supersedes = :id"
UNPOINT_LATER = (
    "UPDATE profile_facts SET superseded_by = 'erased' WHERE subject = :subject AND superseded_by = :id"
)
VOTES = (
    "DELETE FROM votes WHERE subject = :subject AND record_id IN (SELECT value FROM json_each(:ids)) "
    "RETURNING row"
)
WRITE_STATEMENTS = {
    "is profile": IS_PROFILE,
    "is advice": IS_ADVICE,
    "drawn": DRAWN,
    "votes": VOTES,
    "votes of a session": OF_SESSION,
    **{f"erase profile {name}": sql for name, sql in ERASE_PROFILE.items()},
    **{f"erase advice {name}": sql for name, sql in ERASE_ADVICE.items()},
    **{f"forget profile {name}": sql for name, sql in FORGET_PROFILE.items()},
    **{f"choose advice {name}": sql for name, sql in CHOOSE_ADVICE.items()},
}
"""What a test reads the query plan of."""


def erase_all(connection: apsw.Connection, subject: str, selector: Selector) -> EraseReceipt:
    """Erase what is chosen of every kind, and the advice that was drawn from it.

    Raises:
        NotFound: The subject has no record and no turn of this id.
    """
    name, fields = _selected(subject, selector)
    counts = {"profile_facts": 0, "advice": 0, "votes": 0}
    own = _erased(connection, name, fields, counts)
    receipt = EraseReceipt(ids=())
    if not own or selector.note_id is None:
        receipt = erase_with_turns(connection, subject, selector)
    ids = [*receipt.ids, *own]
    drawn = _drawn(connection, subject, ids)
    counts["advice"] += len(drawn)
    gone = [*ids, *drawn]
    voted = every(connection, VOTES, {"subject": subject, "ids": json.dumps(gone)})
    counts["votes"] += len(voted)
    if selector.session is not None:
        counts["votes"] += len(every(connection, OF_SESSION, fields))
    if own or drawn or counts["votes"]:
        erasure = sole(connection, leaving.ONE_MORE)[0]
        connection.execute(leaving.PENDING, {"erasure": erasure})
    found = {table: count for table, count in counts.items() if count}
    return EraseReceipt(ids=tuple(gone), counts={**receipt.counts, **found})


def forget_all(connection: apsw.Connection, subject: str, selector: Selector, at: int) -> Forgotten:
    """Take what is chosen out of recall: notes are forgotten, profile facts closed, advice deprecated.

    Raises:
        NotFound: The subject has no record of this id.
    """
    name, fields = _selected(subject, selector)
    ids = []
    if name in FORGET_PROFILE:
        ids += [str(one) for (one,) in every(connection, FORGET_PROFILE[name], {**fields, "at": at})]
    if name in CHOOSE_ADVICE:
        for (one,) in every(connection, CHOOSE_ADVICE[name], fields):
            ids += deprecated(connection, subject, str(one), at)
    if selector.note_id is not None and (ids or _is_context(connection, fields)):
        return Forgotten(ids=tuple(ids))
    release_turns(connection, subject, selector)
    done = leaving.forget(connection, subject, selector, at)
    return Forgotten(ids=(*done.ids, *dict.fromkeys(ids)))


def _erased(
    connection: apsw.Connection, name: str, fields: dict[str, object], counts: dict[str, int]
) -> list[str]:
    gone = []
    for table, statements in (("profile_facts", ERASE_PROFILE), ("advice", ERASE_ADVICE)):
        if name in statements:
            found = [str(one) for (one,) in every(connection, statements[name], fields)]
            counts[table] += len(found)
            gone += found
    for one in gone:
        connection.execute(UNPOINT, {"subject": fields["subject"], "id": one})
        connection.execute(UNPOINT_LATER, {"subject": fields["subject"], "id": one})
    return gone


def _drawn(connection: apsw.Connection, subject: str, ids: Sequence[str]) -> list[str]:
    """Advice that came from these, and what came from that."""
    drawn: list[str] = []
    parents = list(ids)
    while parents:
        fields = {"subject": subject, "ids": json.dumps(parents)}
        parents = [str(one) for (one,) in every(connection, DRAWN, fields)]
        drawn += parents
    return drawn


def _is_context(connection: apsw.Connection, fields: dict[str, object]) -> bool:
    return any(first(connection, sql, fields) is not None for sql in (IS_PROFILE, IS_ADVICE))


def _selected(subject: str, selector: Selector) -> tuple[str, dict[str, object]]:
    older_than = None if selector.older_than is None else to_micros(selector.older_than)
    fields: dict[str, object] = {
        "note_id": selector.note_id,
        "session": selector.session,
        "project": selector.project,
        "older_than": older_than,
    }
    name = next((name for name, value in fields.items() if value is not None), "everything")
    return name, fields | {"subject": subject}


def remove_profile(connection: apsw.Connection, ids: Sequence[str], subject: str) -> None:
    """Leave no byte of profile facts that were deleted, nor of the votes on them."""
    every(connection, VOTES, {"subject": subject, "ids": json.dumps(list(ids))})
    erasure = sole(connection, leaving.ONE_MORE)[0]
    connection.execute(leaving.PENDING, {"erasure": erasure})

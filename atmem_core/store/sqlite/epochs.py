"""Rows of epochs: begun, verified, serving, rolled back to. No statement here writes a canonical record."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

import apsw

from atmem_core.clock import from_micros
from atmem_core.errors import NotFound, ProfileRefused
from atmem_core.records import (
    CosineScale,
    EmbeddingIdentity,
    Epoch,
    QualityClass,
    Verification,
)
from atmem_core.store.sqlite.asking import Answer, every, first, sole

_COLUMNS = (
    "epochs.number, (SELECT name FROM subjects WHERE subjects.number = epochs.owner), profile, choice, "
    "verification, staged_at, verified_at, active_from, active_to, pruned"
)
_EPOCH = "SELECT " + _COLUMNS + " FROM epochs WHERE "
_ACTIVE = "owner = :owner AND active_from IS NOT NULL AND active_to IS NULL"
_NEXT = "(SELECT COALESCE(MAX(activation), 0) + 1 FROM epochs WHERE owner = :owner)"
NUMBER = "SELECT number FROM subjects WHERE name = :name"
NEW_OWNER = "INSERT INTO subjects (name) VALUES (:name) ON CONFLICT (name) DO NOTHING"
SERVING = _EPOCH + _ACTIVE
BY_NUMBER = _EPOCH + "epochs.number = :number"
OF_OWNER = _EPOCH + "owner = :owner ORDER BY activation IS NOT NULL, activation DESC"
BEGUN = _EPOCH + "owner = :owner AND active_from IS NULL"
OWNER = "SELECT owner FROM epochs WHERE number = :number"
ADD = (
    "INSERT INTO epochs (owner, identity, profile, choice, verification, origin, staged_at, verified_at, "
    "active_from, activation) VALUES (:owner, :identity, :profile, :choice, :verification, :origin, :at, "
    ":verified_at, :active_from, CASE WHEN :active_from IS NULL THEN NULL ELSE " + _NEXT + " END) "
    "RETURNING number"
)
GIVE_UP = "DELETE FROM epochs WHERE owner = :owner AND active_from IS NULL"
GIVE_UP_ONE = "DELETE FROM epochs WHERE number = :number AND active_from IS NULL"
CHOOSE = "UPDATE epochs SET choice = :choice WHERE number = :number"
VERIFY = (
    "UPDATE epochs SET verification = :verification, verified_at = :at WHERE number = :number "
    "RETURNING number"
)
RETIRE = "UPDATE epochs SET active_to = :at WHERE " + _ACTIVE
BEGIN = "UPDATE epochs SET active_from = :at, activation = " + _NEXT + " WHERE number = :number"
BEFORE = (
    "SELECT earlier.number, earlier.pruned, COALESCE(earlier.origin, earlier.activation), earlier.identity, "
    "earlier.profile, earlier.choice, earlier.verification, earlier.verified_at "
    "FROM epochs AS active JOIN epochs AS earlier ON earlier.owner = active.owner "
    "AND earlier.activation < COALESCE(active.origin, active.activation) "
    "WHERE active.owner = :owner AND active.active_from IS NOT NULL AND active.active_to IS NULL "
    "AND earlier.active_to IS NOT NULL AND earlier.verified_at IS NOT NULL "
    "AND earlier.identity <> active.identity ORDER BY earlier.activation DESC LIMIT 1"
)
DEFAULT = 0
"""The owner number of the file's default."""


def to_epoch(row: Answer) -> Epoch:
    """The epoch in a row of the columns above."""
    number, subject, profile, choice, verification, staged_at, *moments, pruned = row
    verified_at, active_from, active_to = (_moment(one) for one in moments)
    return Epoch(
        number=number,
        subject=subject,
        identity=_identity(json.loads(profile)),
        choice=json.loads(choice),
        verification=None if verification is None else _verification(json.loads(verification)),
        staged_at=from_micros(staged_at),
        verified_at=verified_at,
        active_from=active_from,
        active_to=active_to,
        pruned=bool(pruned),
    )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _identity(fields: dict[str, object]) -> EmbeddingIdentity:
    quality = QualityClass(str(fields.pop("quality")))
    return EmbeddingIdentity(**fields, quality=quality)  # type: ignore[arg-type]  # as they were written


def _verification(fields: Mapping[str, object]) -> Verification:
    scale, gate = fields["scale"], fields["gate"]
    return Verification(
        gate=gate if isinstance(gate, dict) else {},
        scale=CosineScale(**scale) if isinstance(scale, dict) else None,
    )


def owner_number(connection: apsw.Connection, owner: str | None) -> int | None:
    """The number of an owner; None for a subject that the file doesn't know."""
    if owner is None:
        return DEFAULT
    found = first(connection, NUMBER, {"name": owner})
    return None if found is None else int(found[0])


def serving(connection: apsw.Connection, subject: str | None) -> Epoch | None:
    """The subject's own active epoch, else the file's default."""
    own = owner_number(connection, subject)
    for owner in dict.fromkeys((own, DEFAULT)):
        found = None if owner is None else first(connection, SERVING, {"owner": owner})
        if found is not None:
            return to_epoch(found)
    return None


def epochs(connection: apsw.Connection, owner: str | None) -> list[Epoch]:
    """Newest first."""
    found = every(connection, OF_OWNER, {"owner": owner_number(connection, owner)})
    return [to_epoch(row) for row in found]


def by_number(connection: apsw.Connection, number: int) -> Epoch:
    """One epoch. Raises NotFound."""
    found = first(connection, BY_NUMBER, {"number": number})
    if found is None:
        raise NotFound(f"there is no epoch {number} any more; run `atmem semantic setup` again")
    return to_epoch(found)


def stage(
    connection: apsw.Connection,
    owner: str | None,
    identity: EmbeddingIdentity,
    choice: Mapping[str, object],
    *,
    at: int,
) -> Epoch:
    """Begin an epoch, or go on with the begun one of this identity."""
    number = _made(connection, owner)
    begun = first(connection, BEGUN, {"owner": number})
    if begun is not None and to_epoch(begun).identity.digest == identity.digest:
        connection.execute(CHOOSE, {"number": begun[0], "choice": json.dumps(dict(choice))})
        return by_number(connection, begun[0])
    connection.execute(GIVE_UP, {"owner": number})
    return by_number(connection, _add(connection, number, identity, choice, at=at))


def adopt(
    connection: apsw.Connection,
    owner: str | None,
    identity: EmbeddingIdentity,
    choice: Mapping[str, object],
    *,
    at: int,
) -> int | None:
    """Let what serves be an epoch of the owner, unless it has an active one; its number."""
    number = _made(connection, owner)
    if first(connection, SERVING, {"owner": number}) is not None:
        return None
    return _add(connection, number, identity, choice, at=at, verified_at=at, active_from=at)


def _made(connection: apsw.Connection, owner: str | None) -> int:
    if owner is not None:
        connection.execute(NEW_OWNER, {"name": owner})
    number = owner_number(connection, owner)
    if number is None:
        raise LookupError("a subject that was just made is missing")
    return number


def _add(
    connection: apsw.Connection,
    owner: int,
    identity: EmbeddingIdentity,
    choice: Mapping[str, object],
    *,
    at: int,
    verified_at: int | None = None,
    active_from: int | None = None,
) -> int:
    fields = {
        "owner": owner,
        "identity": identity.digest,
        "profile": json.dumps(asdict(identity)),
        "choice": json.dumps(dict(choice)),
        "verification": None,
        "origin": None,
        "at": at,
        "verified_at": verified_at,
        "active_from": active_from,
    }
    number: int = sole(connection, ADD, fields)[0]
    return number


def verify(connection: apsw.Connection, number: int, verification: Verification, at: int) -> Epoch:
    """Keep what the gate found."""
    fields = {"number": number, "verification": json.dumps(asdict(verification)), "at": at}
    first(connection, VERIFY, fields)
    return by_number(connection, number)


def return_to_earlier(connection: apsw.Connection, owner: int, at: int) -> Epoch:
    """Retire the active epoch and let the one before it serve again, in a row of its own."""
    found = first(connection, BEFORE, {"owner": owner})
    if found is None:
        raise ProfileRefused("no_earlier_epoch", "no verified epoch of another identity came before this one")
    number, pruned, origin, identity, profile, choice, verification, verified_at = found
    if pruned:
        raise ProfileRefused(
            "vectors_pruned",
            f"the vectors of epoch {number} were pruned; set its model up again: `atmem semantic setup`",
        )
    connection.execute(RETIRE, {"owner": owner, "at": at})
    fields = {
        "owner": owner,
        "identity": identity,
        "profile": profile,
        "choice": choice,
        "verification": verification,
        "origin": origin,
        "at": at,
        "verified_at": verified_at,
        "active_from": at,
    }
    return by_number(connection, sole(connection, ADD, fields)[0])

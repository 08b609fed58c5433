"""The acts of a turn, as steps: what to ask a memory, written once for sync and async."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from atmem_core.context import render_notes, without_fence
from atmem_core.errors import InvalidInput, NotFound, WriteRefused
from atmem_core.host.calls import Steps
from atmem_core.records import Decision, Note, Scope, Source

_NOTHING_SAID = "?"
"""Asked for a turn without text, such as an image alone: the policy refuses it as ``no_content``,
so that such a turn has a decision like any other."""
_KEY_DIGITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a finished turn, as it was said."""

    text: str
    speaker: str = "user"
    source: str = "user"
    key: str | None = None
    """The same for every run of one message, so that it is stored once; see ``message_key``."""


def asked(query: str) -> str:
    """What to ask a memory for a user's message: without recalled blocks, and never empty.

    Otherwise as it was said: a decision holds a digest of the query, the same through every door.
    """
    own = without_fence(query)
    if not own.strip():
        return _NOTHING_SAID
    return query if own == query else own.strip()


def message_key(*parts: str) -> str:
    """An idempotency key for a message, from the ids of its conversation and its own."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:_KEY_DIGITS]


def shortened(decision: Decision, keep: int) -> dict[str, Any]:
    """The decision as JSON, its candidates cut to the best ``keep`` and those that it releases.

    A whole decision over a large memory has 50 candidates, some 60 kB.
    """
    released = set(decision.ranked_record_ids)
    kept = tuple(
        candidate
        for place, candidate in enumerate(decision.candidates)
        if place < keep or candidate.record_id in released
    )
    return replace(decision, candidates=kept).to_dict()


def rendered(ids: Sequence[str], scope: Scope, *, budget_tokens: int, now: datetime) -> Steps[str]:
    """The fenced text of these records, as they are now.

    Left out is what was forgotten, superseded, erased or has expired since it was released, and what
    isn't the scope's.
    """
    notes: list[Note] = []
    for record_id in ids:
        try:
            note = yield _get(record_id, scope.subject)
        except NotFound:
            continue  # erased since, or an id of somebody else
        if _stands(note, scope, now):
            notes.append(note)
    return render_notes(notes, budget_tokens=budget_tokens).text


def stored(turn: Sequence[Said], told: Mapping[str, Any], into: list[str]) -> Steps[None]:
    """Store each message and put its note's id ``into`` the list.

    A refused one doesn't keep the others out; the last refusal is raised when all have been tried.

    Args:
        turn: What was said, oldest first; blocks of recalled memory are taken out of it.
        told: Further arguments of ``remember``, the same for each message.
        into: Gets the ids as they are stored, so that they are known when a later one fails.
    """
    refused: WriteRefused | None = None
    for said in turn:
        text = without_fence(said.text).strip()
        if not text:
            continue
        try:
            into.append((yield from _store(replace(said, text=text), told)))
        except WriteRefused as error:
            refused = error
    if refused is not None:
        raise refused


def session_of_turn(session: str | None) -> str:
    """The session that a turn is written to. Raises InvalidInput when the host names none."""
    if session is None:
        raise InvalidInput("session", "facts are read out of the turns of a session: say which one this is")
    return session


def finished(turn: Sequence[Said], told: Mapping[str, Any]) -> Steps[None]:
    """Write the turn to the session history, where facts are read out of it in the background.

    The person's messages are one side of it, all others the answer; nothing is written without the former.

    Args:
        turn: As for ``stored``.
        told: Further arguments of ``sessions.finish``; a session is among them.
    """
    asked = [said for said in turn if said.source == Source.USER and without_fence(said.text).strip()]
    if not asked:
        return
    answer = "\n".join(said.text for said in turn if said.source != Source.USER)
    keys = [said.key for said in asked if said.key is not None]
    by = {"speaker": asked[0].speaker, "idempotency_key": message_key("turn", *keys) if keys else None}
    text = "\n".join(said.text for said in asked)
    yield lambda memory: memory.sessions.finish(text, answer, **{**told, **by})


def _store(said: Said, told: Mapping[str, Any]) -> Steps[str]:
    try:
        remembered = yield _remember(said, told, said.key)
    except WriteRefused as error:
        if said.key is None or error.code != "idempotency_conflict":
            raise
        # The message was edited under its old id: what it says now is a statement of its own.
        remembered = yield _remember(said, told, message_key(said.key, said.text))
    note_id: str = remembered.id
    return note_id


def _remember(said: Said, told: Mapping[str, Any], key: str | None) -> Callable[[Any], Any]:
    by = {"speaker": said.speaker, "source": said.source, "idempotency_key": key}
    return lambda memory: memory.remember(said.text, **{**told, **by})


def _get(record_id: str, subject: str) -> Callable[[Any], Any]:
    return lambda memory: memory.get(record_id, subject=subject)


def _stands(note: Note, scope: Scope, now: datetime) -> bool:
    """Whether the note may still be shown: as it was when it was released, and inside the scope."""
    inside = all(
        wanted is None or wanted == had
        for wanted, had in (
            (scope.project, note.scope.project),
            (scope.session, note.scope.session),
            (scope.agent, note.scope.agent),
        )
    )
    return inside and note.stands(now)

"""Turns to extract from."""

from datetime import UTC, datetime

from atmem_core.records import ExtractionJob, FactRef, Scope

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LISBON = FactRef(id="f1", entity="user", predicate="lives in", object="Lisbon")
MARTA = FactRef(id="f2", entity="user", predicate="has a sister", object="Marta")
TOMS = FactRef(id="f3", entity="Tom", predicate="lives in", object="Rome")


def job(
    user_text: str,
    assistant_text: str = "",
    *,
    speaker: str = "user",
    turn_id: str = "t1",
    subject: str = "ada",
) -> ExtractionJob:
    """A finished turn."""
    return ExtractionJob(
        turn_id=turn_id,
        scope=Scope(subject=subject, session="monday"),
        user_text=user_text,
        assistant_text=assistant_text,
        at=AT,
        speaker=speaker,
    )

"""Profile facts as lines, and back."""

from collections.abc import Iterator, Sequence

from atmem_core.errors import InvalidInput, WriteRefused
from atmem_core.profile.book import checked_key, checked_keywords
from atmem_core.records import CopyRefused, ImportCode, ProfileFact, Source, member
from atmem_core.remember.ingest import checked_trust
from atmem_core.remember.redaction import cleared
from atmem_core.store.protocol import Store
from atmem_core.transfer.fields import Fields, sparse
from atmem_core.transfer.kinds import ERASED, PAGE, Answer, Arrival, refusal

FOREIGN = CopyRefused(code=ImportCode.ID_CONFLICT, message="its id belongs to another record")


class ProfileTransfer:
    """See ``RecordTransfer``. Every version of every key."""

    name = "profile"

    def pages(self, store: Store, subject: str) -> Iterator[list[dict[str, object]]]:
        """In the order in which they were set."""
        after = 0
        while page := store.profile_store.every(subject, after=after, limit=PAGE):
            after = page[-1][0]
            yield [_line(fact) for _, fact in page]

    def bring(self, arrival: Arrival, lines: Sequence[Fields]) -> list[Answer]:
        """Store the versions with their ids and ends."""
        read = [_read(arrival, fields) for fields in lines]
        facts = [one for one in read if isinstance(one, ProfileFact)]
        stored = iter(arrival.store.profile_store.bring(arrival.subject, facts) if facts else ())
        return [next(stored) or FOREIGN if isinstance(one, ProfileFact) else one for one in read]


def _line(fact: ProfileFact) -> dict[str, object]:
    return sparse(
        {
            "id": fact.id,
            "key": fact.key,
            "value": fact.value,
            "pinned": fact.pinned,
            "keywords": list(fact.keywords),
            "source": fact.source.value,
            "trust": fact.trust,
            "vote_score": fact.vote_score,
            "created_at": fact.created_at,
            "supersedes": fact.supersedes,
            "superseded_by": fact.superseded_by,
            "superseded_at": fact.superseded_at,
        }
    )


def _read(arrival: Arrival, fields: Fields) -> ProfileFact | CopyRefused:
    try:
        return _fact(arrival, fields)
    except (InvalidInput, WriteRefused) as error:
        return refusal(error)


def _fact(arrival: Arrival, fields: Fields) -> ProfileFact:
    given = fields.name("id")
    if given == ERASED:
        raise InvalidInput("id", "stands for what was erased")
    source = member(Source, "source", fields.text("source"))
    value = str(cleared(fields.text("value"), arrival.redaction)).strip()
    if not value:
        raise WriteRefused("empty_text", "the value is empty")
    ended = fields.maybe_name("superseded_by")
    return ProfileFact(
        id=arrival.id(given),
        subject=arrival.subject,
        key=checked_key("key", fields.text("key")),
        value=value,
        pinned=fields.truth("pinned"),
        keywords=checked_keywords(fields.texts("keywords")),
        source=source,
        trust=checked_trust(fields.number("trust"), source),
        vote_score=_score(fields),
        created_at=fields.sure_moment("created_at"),
        supersedes=arrival.maybe_id(fields.maybe_name("supersedes")),
        superseded_by=ended if ended == FORGOTTEN else arrival.maybe_id(ended),
        superseded_at=fields.moment("superseded_at"),
    )


FORGOTTEN = "forgotten"
"""Stands for the successor of a version that was forgotten."""


def _score(fields: Fields) -> float:
    return fields.number("vote_score") or 0.0

"""Of two tellings of one statement the newer counts, unless it is less trusted."""

from datetime import UTC, datetime

from atmem_core.policy.decide import decide
from atmem_core.records import Candidate, ReasonCode
from tests.policy.builders import candidate, query, situation

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def released(*pool: Candidate, question: str) -> list[str]:
    return list(decide(query(question), pool, situation()).ranked_record_ids)


def test_a_told_change_takes_the_place_of_what_was_told_before() -> None:
    old = candidate("I live in Lisbon.", told_at=OLD)
    new = candidate("I live in Porto now.", told_at=NEW)
    assert released(old, new, question="where do I live?") == [new.record_id]


def test_two_tastes_are_no_change() -> None:
    pool = (candidate("I like burgers.", told_at=OLD), candidate("I like pizza.", told_at=NEW))
    assert len(released(*pool, question="which food do I like?")) == 2


def test_what_is_less_trusted_displaces_nothing() -> None:
    own = candidate("My bank account number is 12345678.", told_at=OLD, trust=0.9)
    tool = candidate("My bank account number is 99999999.", told_at=NEW, trust=0.5)
    decision = decide(query("what is my bank account number?"), [own, tool], situation())
    lowered = {code for one in decision.candidates for code in one.reason_codes}
    assert ReasonCode.NEWER_RECORD not in lowered
    assert own.record_id in decision.ranked_record_ids

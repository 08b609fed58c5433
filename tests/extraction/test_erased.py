"""What a turn said goes with the turn, by whatever selector it was chosen."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from atmem_core import Memory
from atmem_core.testing import FakeClock

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "selector", [{"session": "old"}, {"older_than": datetime(2026, 3, 1, tzinfo=UTC)}, {"everything": True}]
)
def test_a_fact_stated_later_and_elsewhere_goes_with_its_turn(
    selector: Mapping[str, object],
) -> None:
    with Memory.open(":memory:", embedder=None, clock=FakeClock(NEW)) as memory:
        turn = memory.sessions.append("I live in Porto.", subject="ada", session="old", occurred_at=OLD)
        fact = memory.facts.add(
            "user", "lives in", "Porto", subject="ada", session="new", source_id=turn.id, occurred_at=NEW
        )
        receipt = memory.erase(subject="ada", **selector)  # type: ignore[arg-type]
        assert {turn.id, fact.id} <= set(receipt.ids)
        assert (receipt.counts["turns"], receipt.counts["facts"]) == (1, 1)
        assert memory.facts.list(subject="ada", all_states=True) == ()

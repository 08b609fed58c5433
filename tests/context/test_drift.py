"""A conversation that drifted and returns gets what it returns to, and nothing of the drift."""

import pytest

from tests.context.drift import conversations, figures, run


def test_there_are_ten_conversations_of_twelve_turns() -> None:
    found = conversations()
    assert len(found) == 10
    for one in found:
        assert len(one.told) + 1 == 12
        assert one.wanted
        assert not one.wanted & one.drifted


@pytest.mark.parametrize(("embedder", "least"), [("auto", 7), (None, 6)])
def test_nothing_of_the_drift_is_injected_on_return(embedder: str | None, least: int) -> None:
    results = run(embedder)
    drift, precision, found = figures(results)
    assert drift == 0.0
    assert precision is not None
    assert precision >= 0.9
    assert found >= least
    assert all(one.indexed == () for one in results), "the conversation itself isn't listed again"

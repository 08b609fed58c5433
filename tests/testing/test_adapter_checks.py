"""The kit itself: a right adapter passes, and each promise is broken by some wrong one."""

from collections.abc import Callable

import pytest

from atmem_core.testing import ADAPTER_CHECKS, HostUnderTest, check_adapter
from tests.testing.plain_host import Breach, PlainHost

CAUGHT_BY = {
    Breach.FORGETS_THE_TEXT: "the_text_reaches_the_model",
    Breach.OPENS_EMPTY_FENCES: "nothing_useful_injects_nothing",
    Breach.WRITES_THE_TEXT_INTO_HISTORY: "turns_double_nothing the_host_keeps_no_text",
    Breach.SHOWS_WHAT_IT_FETCHED_FIRST: "what_is_erased_is_shown_no_more",
    Breach.CALLS_A_FAILURE_NOTHING_USEFUL: "a_failing_memory_ends_no_run",
    Breach.NEVER_RAISES: "a_failure_is_raised_when_asked_for",
    Breach.SWALLOWS_CANCELLATION: "a_cancelled_run_is_cancelled",
    Breach.INJECTS_ONLY_WHEN_AWAITED: "sync_and_async_are_the_same",
    Breach.READS_THE_SUBJECT_FROM_THE_MESSAGE: "the_subject_is_the_hosts",
    Breach.STORES_THE_REQUEST: "a_turn_is_stored_as_it_was_said",
    Breach.LOGS_THE_QUERY: "logs_hold_no_text",
    Breach.SHARES_A_CACHE: "subjects_never_mix",
}


def broken_by(breach: Breach) -> set[str]:
    """Names of the checks that fail with this breach."""
    broken = set()
    for check in ADAPTER_CHECKS:
        if check.__name__ in NEEDS_A_DEADLINE:
            continue
        try:
            check(PlainHost(breach))
        except AssertionError:
            broken.add(check.__name__)
    return broken


NEEDS_A_DEADLINE = {"a_slow_memory_is_given_up"}


def test_a_right_adapter_passes() -> None:
    check_adapter(PlainHost())


@pytest.mark.parametrize("breach", CAUGHT_BY)
def test_a_breach_is_caught(breach: Breach) -> None:
    assert set(CAUGHT_BY[breach].split()) <= broken_by(breach)


def test_every_promise_is_broken_by_some_breach() -> None:
    caught = {name for names in CAUGHT_BY.values() for name in names.split()}
    assert {check.__name__ for check in ADAPTER_CHECKS} - NEEDS_A_DEADLINE == caught


def test_an_adapter_that_never_gives_up_is_caught() -> None:
    host = PlainHost(Breach.CALLS_A_FAILURE_NOTHING_USEFUL)
    check = named("a_slow_memory_is_given_up")
    with pytest.raises(AssertionError, match="disguised"):
        check(host)


def named(name: str) -> Callable[[HostUnderTest], None]:
    (check,) = (one for one in ADAPTER_CHECKS if one.__name__ == name)
    return check

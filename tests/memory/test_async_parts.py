"""What has a life of its own on a Memory has the same verbs on an AsyncMemory, awaited."""

import inspect

import pytest

from atmem_core.advice import AsyncLessons, AsyncProcedures, Lessons, Procedures
from atmem_core.context import AsyncContextProvider, ContextProvider
from atmem_core.links import AsyncLinks, Links
from atmem_core.profile import AsyncProfile, Profile

PAIRS = (
    (AsyncLinks, Links),
    (AsyncProfile, Profile),
    (AsyncLessons, Lessons),
    (AsyncProcedures, Procedures),
    (AsyncContextProvider, ContextProvider),
)


def verbs(owner: type) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_an_awaited_part_has_the_verbs_and_signatures_of_the_other(ours: type, theirs: type) -> None:
    assert verbs(ours) == verbs(theirs)
    for name in verbs(theirs):
        awaited = getattr(ours, name)
        assert inspect.iscoroutinefunction(awaited), name
        assert inspect.signature(awaited).parameters == inspect.signature(getattr(theirs, name)).parameters

"""The capability keeps every promise of an adapter, wherever it puts the text."""

from collections.abc import Callable

import pytest

from atmem_core.testing import ADAPTER_CHECKS, HostUnderTest
from tests.adapters.pydantic_ai.hosts import AgentHost


@pytest.mark.parametrize("place", ["turn", "request"])
@pytest.mark.parametrize("check", ADAPTER_CHECKS, ids=lambda check: check.__name__)
def test_the_adapter_keeps_its_promises(check: Callable[[HostUnderTest], None], place: str) -> None:
    check(AgentHost(place=place))

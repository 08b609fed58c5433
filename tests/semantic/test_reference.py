"""The reference names every refusal, health and reason, and no other."""

import re

from atmem_core import SemanticHealth
from atmem_core.semantic.gate import GateReason
from atmem_core.semantic.status import NEXT_ACTION
from tests.house.markdown import rows, section
from tests.house.tree import ROOT

PAGE = (ROOT / "docs" / "reference" / "semantic.md").read_text(encoding="utf-8")
RAISED = re.compile(r'ProfileRefused\(\s*"(\w+)"')


def test_every_refusal_is_in_the_reference() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "atmem_core").rglob("*.py"))
    raised = {code for text in sources for code in RAISED.findall(text)}
    assert raised == set(rows(section(PAGE, "Refusals")))


def test_every_health_has_a_next_action_and_is_in_the_reference() -> None:
    assert list(rows(section(PAGE, "Health"))) == list(SemanticHealth)
    assert set(NEXT_ACTION) == set(SemanticHealth)
    nothing = {health for health, action in NEXT_ACTION.items() if not action}
    assert nothing == {SemanticHealth.HEALTHY}


def test_every_reason_of_the_gate_is_in_the_reference() -> None:
    assert all(f"`{reason}`" in PAGE for reason in GateReason)

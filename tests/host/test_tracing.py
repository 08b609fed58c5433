"""Spans of what memory does in a host: classes, counts and digests, never a text."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from atmem_core import AsyncMemory, Memory, Scope
from atmem_core.host import HostMemory, Said
from atmem_core.testing import CarelessError, FaultyMemory, MemoryFault

TOLD = "The code of my gym locker is quillfeather."
ASKED = "What is the code of my gym locker?"
ADA = Scope(subject="ada")


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """One for the module: a process has one provider, and can't change it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    exporter.clear()
    return exporter


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember(TOLD, subject="ada")
        yield memory


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_recall_is_a_span_with_decision_and_counts(spans: InMemorySpanExporter, memory: Memory) -> None:
    decision = memory.decide(ASKED, subject="ada")
    HostMemory(memory).recall(ASKED, ADA)
    (span,) = spans.get_finished_spans()
    assert span.name == "atmem.recall"
    seen = attributes(span)
    digest = str(seen.pop("atmem.scope_sha256"))
    assert len(digest) == 16
    assert seen == {
        "atmem.decision": "direct_support",
        "atmem.decision_id": seen["atmem.decision_id"],
        "atmem.candidates": 1,
        "atmem.released": 1,
        "atmem.withheld": sum(decision.withheld.values()),
        "atmem.degraded": "embedder_absent",
    }


def test_a_turn_that_is_stored_is_a_span_with_its_count(spans: InMemorySpanExporter, memory: Memory) -> None:
    HostMemory(memory).remember([Said(text="I like tea."), Said(text="And my bike is green.")], ADA)
    (span,) = spans.get_finished_spans()
    assert (span.name, attributes(span)["atmem.stored"]) == ("atmem.remember", 2)


async def test_spans_stand_under_the_hosts(spans: InMemorySpanExporter) -> None:
    async with AsyncMemory.open(":memory:", embedder=None) as memory:
        with trace.get_tracer("host").start_as_current_span("turn") as turn:
            await HostMemory(memory, deadline_ms=60_000).arecall(ASKED, ADA)
    inner, outer = spans.get_finished_spans()
    assert inner.parent is not None
    assert inner.parent.span_id == turn.get_span_context().span_id
    assert outer.name == "turn"


@pytest.mark.parametrize("on_error", ["ignore", "raise"])
def test_a_failure_is_told_without_its_message(
    spans: InMemorySpanExporter, memory: Memory, on_error: str
) -> None:
    faulty = FaultyMemory(memory, MemoryFault.RAISES, quoted="quillfeather")
    host = HostMemory(faulty, on_error=on_error)  # type: ignore[arg-type] # a fake, and a name of a test
    try:
        host.recall(ASKED, ADA)
    except CarelessError:
        assert on_error == "raise"
    (span,) = spans.get_finished_spans()
    assert attributes(span)["atmem.error_type"] == "CarelessError"
    assert attributes(span)["atmem.error_code"] == "careless_error"
    assert "quillfeather" not in span.to_json()


def test_a_span_holds_no_text(spans: InMemorySpanExporter, memory: Memory) -> None:
    host, quentin = HostMemory(memory), Scope(subject="quentin")
    host.remember([Said(text=TOLD)], quentin)
    host.recall(ASKED, quentin)
    shown = "".join(span.to_json() for span in spans.get_finished_spans())
    assert "atmem.recall" in shown
    for text in ("quillfeather", "gym", "quentin"):
        assert text not in shown


def test_without_opentelemetry_all_works() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from atmem_core import Memory, Scope\n"
        "from atmem_core.host import HostMemory\n"
        "memory = Memory.open(':memory:', embedder=None)\n"
        "print(HostMemory(memory).recall('hello', Scope(subject='ada')).failure)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "None\n"

"""One span for each act of memory in a host, when OpenTelemetry is there. It holds no text.

Attributes are ids' digests, counts, codes and classes: a trace goes to people who may not read what was
told. Without ``opentelemetry-api`` nothing happens; with it alone, without an SDK, next to nothing.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from atmem_core.records import Decision, Scope

_DIGEST_DIGITS = 16


class Span(Protocol):
    """The one method of a span that is used."""

    def set_attribute(self, key: str, value: str | int) -> None:
        """Say one thing about the act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Which act a span stands for, and what it says of the result."""

    act: str
    """``recall``, ``render`` or ``remember``; the span is ``atmem.`` and this."""
    scope: Scope
    measure: Callable[[Any], Mapping[str, str | int]]
    """From the act's value to attributes, without any text."""


class _Unseen:
    def set_attribute(self, key: str, value: str | int) -> None:
        """Nobody looks."""


@contextmanager
def watched(watch: Watch | None) -> Iterator[Span]:
    """A span around the act, under whatever span the host has open; or one that nobody sees."""
    tracer = None if watch is None else _tracer()
    if watch is None or tracer is None:
        yield _Unseen()
        return
    # The SDK would write an exception's message into the span, and that may quote a memory.
    quiet = {"record_exception": False, "set_status_on_exception": False}
    with tracer.start_as_current_span(f"atmem.{watch.act}", **quiet) as span:
        span.set_attribute("atmem.scope_sha256", _digest(watch.scope))
        yield span


def decision_seen(decision: Decision) -> dict[str, str | int]:
    """Class, counts and versions of a decision."""
    return {
        "atmem.decision": decision.support_class.value,
        "atmem.decision_id": decision.decision_id,
        "atmem.candidates": len(decision.candidates),
        "atmem.released": len(decision.ranked_record_ids),
        "atmem.withheld": sum(decision.withheld.values()),
        "atmem.degraded": ",".join(decision.degraded),
    }


def _digest(scope: Scope) -> str:
    joined = "\0".join(part or "" for part in scope.to_dict().values())
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]


@cache
def _tracer() -> Any:  # noqa: ANN401 - an optional package's type
    try:
        # Optional, and slow to import for who never traces.
        from opentelemetry import trace  # noqa: PLC0415
    except ImportError:
        return None
    return trace.get_tracer("atmem_core")

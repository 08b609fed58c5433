"""From whoever emits to whoever listens. An event is handed to each sink once and never again.

A sink that fails is counted, and what it refused is set aside for a person to look at: no event is
retried for ever, and none keeps another one back.
"""

import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from atmem_core.events.kinds import Degraded, MemoryEvent

_ASIDE = 100
"""Refused events that are kept; older ones are only counted."""


class MemoryReplaySink(Protocol):
    """Whoever wants to know. Called in the thread that emits: be quick, or hand over to a queue."""

    def record(self, event: MemoryEvent) -> None:
        """Take one event. Whatever is raised is counted and goes no further."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """An event that a sink refused."""

    sink: str
    """Name of the sink's class."""
    error: str
    """Name of the error's class; a message might hold content."""
    event: MemoryEvent


class EventStream:
    """Events of one memory. Safe for threads; without a sink nothing is kept.

    Args:
        sinks: Who listens from the start.
        content: Hand out text too; by default ids and digests only.
    """

    def __init__(self, sinks: Iterable[MemoryReplaySink] = (), *, content: bool = False) -> None:
        self._sinks = tuple(sinks)
        self._content = content
        self._lock = threading.Lock()
        self._failures: Counter[str] = Counter()
        self._emitted = 0
        self._aside: deque[SetAside] = deque(maxlen=_ASIDE)

    def subscribe(self, sink: MemoryReplaySink) -> None:
        """Let a sink listen from now on."""
        with self._lock:
            self._sinks = (*self._sinks, sink)

    def record(self, event: MemoryEvent) -> None:
        """Hand on what another stream emitted: a stream is a sink too."""
        self.emit(event)

    def emit(self, *events: MemoryEvent) -> None:
        """Hand each event to each sink, in order. Never raises for a sink's fault."""
        for event in events:
            shown = event if self._content else event.without_content()
            with self._lock:
                self._emitted += 1
            for sink in self._sinks:
                self._hand(sink, shown)

    def degraded(
        self, reasons: Iterable[str], *, subject: str, at: datetime, turn_id: str | None = None
    ) -> None:
        """Say what was not available, a reason an event: the one place where such an event is made."""
        for reason in reasons:
            self.emit(Degraded(subject=subject, at=at, turn_id=turn_id, reason=reason))

    def _hand(self, sink: MemoryReplaySink, event: MemoryEvent) -> None:
        try:
            sink.record(event)
        except Exception as error:  # noqa: BLE001 - a sink is foreign code; its fault is counted here
            name = type(sink).__name__
            with self._lock:
                self._failures[name] += 1
                self._aside.append(SetAside(sink=name, error=type(error).__name__, event=event))

    @property
    def emitted(self) -> int:
        """Events so far."""
        with self._lock:
            return self._emitted

    @property
    def failures(self) -> Mapping[str, int]:
        """How often each sink failed, by the name of its class."""
        with self._lock:
            return dict(self._failures)

    @property
    def set_aside(self) -> tuple[SetAside, ...]:
        """The newest 100 events that a sink refused, oldest first."""
        with self._lock:
            return tuple(self._aside)

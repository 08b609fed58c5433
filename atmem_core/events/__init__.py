"""What happened to a memory, as typed events. Ids and digests, unless content is opted in."""

from atmem_core.events.journal import JsonLinesSink, Replayed, replay
from atmem_core.events.kinds import (
    EVENT_TYPES,
    BulkRetirement,
    Degraded,
    FactAdded,
    FactForgotten,
    FactsErased,
    FactUpdated,
    JobDropped,
    MemoryEvent,
    Retrieval,
    event_from_dict,
)
from atmem_core.events.stream import EventStream, MemoryReplaySink, SetAside

__all__ = [
    "EVENT_TYPES",
    "BulkRetirement",
    "Degraded",
    "EventStream",
    "FactAdded",
    "FactForgotten",
    "FactUpdated",
    "FactsErased",
    "JobDropped",
    "JsonLinesSink",
    "MemoryEvent",
    "MemoryReplaySink",
    "Replayed",
    "Retrieval",
    "SetAside",
    "event_from_dict",
    "replay",
]

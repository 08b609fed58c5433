"""Fakes and conformance kits, one for each port."""

from atmem_core.testing.adapter_checks import ADAPTER_CHECKS, check_adapter
from atmem_core.testing.adapters import AdapterOptions, HostConversation, HostTurn, HostUnderTest
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault, check_embedder
from atmem_core.testing.faulty_memory import CarelessError, FaultyMemory, MemoryFault
from atmem_core.testing.stores import ReferenceStore

__all__ = [
    "ADAPTER_CHECKS",
    "AdapterOptions",
    "BrokenEmbedder",
    "CarelessError",
    "FakeClock",
    "FakeEmbedder",
    "Fault",
    "FaultyMemory",
    "HostConversation",
    "HostTurn",
    "HostUnderTest",
    "MemoryFault",
    "ReferenceStore",
    "check_adapter",
    "check_embedder",
]

"""What an adapter of a host is made of: calls within a deadline, failures as values, a turn's three acts.

``HostMemory`` is one memory as one host uses it: asked before a turn, rendered at each model call, told
the turn when it is over. ``HostPort`` is its port, for a host that wants something else there.
"""

from atmem_core.host.calls import Caller, DeadlineExceeded, Failure, OnError, Outcome, Steps
from atmem_core.host.functions import FunctionResult, MemoryFunction, called, memory_functions
from atmem_core.host.memory import HostMemory, HostOptions, HostPort
from atmem_core.host.tracing import Watch, decision_seen
from atmem_core.host.turns import (
    Said,
    asked,
    finished,
    message_key,
    rendered,
    session_of_turn,
    shortened,
    stored,
)

__all__ = [
    "Caller",
    "DeadlineExceeded",
    "Failure",
    "FunctionResult",
    "HostMemory",
    "HostOptions",
    "HostPort",
    "MemoryFunction",
    "OnError",
    "Outcome",
    "Said",
    "Steps",
    "Watch",
    "asked",
    "called",
    "decision_seen",
    "finished",
    "memory_functions",
    "message_key",
    "rendered",
    "session_of_turn",
    "shortened",
    "stored",
]

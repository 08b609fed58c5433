"""Whose memory a run reads and writes. The host says so; messages and state never do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from atmem_core import InvalidInput, Scope

_SUBJECT_KEYS = ("subject", "user_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRun:
    """What the host said about one run of its graph."""

    context: Any
    """``context=`` of the call, as given; None without one."""
    configurable: Mapping[str, Any]
    """``config["configurable"]`` of the call."""

    @property
    def thread_id(self) -> str | None:
        """The conversation, when the run belongs to one."""
        thread = self.configurable.get("thread_id")
        return None if thread is None else str(thread)


Part: TypeAlias = str | Callable[[HostRun], str | None] | None
"""One part of a scope: fixed, or told by each run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSource:
    """Where the parts of a scope come from. One rule for reading and for writing."""

    subject: Part = None
    project: Part = None
    session: Part = None
    agent: Part = None

    def scope(self, run: HostRun) -> Scope:
        """The scope of this run.

        Raises:
            InvalidInput: The run names no subject, or a part isn't a text that a scope can hold.
        """
        return Scope(
            # A subject that is given and empty is an error, not a reason to look elsewhere.
            subject=_told_subject(run) if self.subject is None else str(_of(self.subject, run) or ""),
            project=_of(self.project, run),
            session=_of(self.session, run),
            agent=_of(self.agent, run),
        )


def current_run(config: RunnableConfig | None = None) -> HostRun:
    """The run that the calling node is part of; ``config`` is the node's own, if it has one."""
    # LangGraph injects no runtime into a Runnable; both look-ups raise outside a graph.
    try:
        config = config or get_config()
    except RuntimeError:
        config = {}
    try:
        runtime = get_runtime()
    except (RuntimeError, KeyError):
        runtime = None
    return HostRun(
        context=None if runtime is None else runtime.context,
        configurable=config.get("configurable") or {},
    )


def _of(part: Part, run: HostRun) -> str | None:
    return part(run) if callable(part) else part


def _told_subject(run: HostRun) -> str:
    for key in _SUBJECT_KEYS:
        told = _from_context(run.context, key)
        if told is not None:
            return _text(told)
    told = run.configurable.get("subject")
    if told is not None:
        return _text(told)
    raise InvalidInput(
        "subject",
        "this run doesn't say whose memory it uses; give subject= to the node, or call the graph "
        "with context= that has subject or user_id, or with config "
        "{'configurable': {'subject': ...}}",
    )


def _from_context(context: object, key: str) -> object:
    return context.get(key) if isinstance(context, Mapping) else getattr(context, key, None)


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise InvalidInput("subject", f"must be a text, the run gave {type(told).__name__}")
    return told

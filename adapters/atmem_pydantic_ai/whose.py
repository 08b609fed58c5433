"""Whose memory a run reads and writes. Its deps say so; the model and its arguments never do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict

from pydantic_ai import RunContext

from atmem_core import InvalidInput, Scope

_SUBJECT_KEYS = ("subject", "user_id")
Part: TypeAlias = str | Callable[[RunContext[Any]], str | None] | None
"""One part of a scope: fixed, or told by each run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSource:
    """Where the parts of a scope come from. One rule for reading and for writing."""

    subject: Part = None
    project: Part = None
    session: Part = None
    agent: Part = None

    def scope(self, ctx: RunContext[Any]) -> Scope:
        """The scope of this run.

        Raises:
            InvalidInput: The run names no subject, or a part isn't a text that a scope can hold.
        """
        return Scope(
            # A subject that is given and empty is an error, not a reason to look elsewhere.
            subject=_told_subject(ctx.deps) if self.subject is None else str(_of(self.subject, ctx) or ""),
            project=_of(self.project, ctx),
            session=_of(self.session, ctx),
            agent=_of(self.agent, ctx),
        )


class Whose(TypedDict):
    """The parts of a scope, as a capability and a toolset take them."""

    subject: Part
    project: Part
    session: Part
    agent: Part


def sources(parts: Whose, *, within_session: bool) -> tuple[ScopeSource, ScopeSource]:
    """Where to read from and where to write to; without ``within_session`` reads span all sessions."""
    writes = ScopeSource(**parts)
    return (writes if within_session else replace(writes, session=None)), writes


def _of(part: Part, ctx: RunContext[Any]) -> str | None:
    return part(ctx) if callable(part) else part


def _told_subject(deps: object) -> str:
    for key in _SUBJECT_KEYS:
        told = deps.get(key) if isinstance(deps, Mapping) else getattr(deps, key, None)
        if isinstance(told, str):
            return told
        if told is not None:
            raise InvalidInput("subject", f"must be a text, the deps gave {type(told).__name__}")
    raise InvalidInput(
        "subject",
        "this run doesn't say whose memory it uses; give subject= to the capability or toolset, or run "
        "the agent with deps= that have subject or user_id",
    )

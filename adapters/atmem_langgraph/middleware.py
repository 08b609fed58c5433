"""Memory for LangChain's ``create_agent``: decided once a turn, rendered at each model call."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NotRequired, TypedDict, cast

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import (
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from atmem_core import AsyncMemory, Clock, Memory
from atmem_core.host import OnError, Outcome
from atmem_langgraph.host import Part
from atmem_langgraph.recall_node import RecallNode
from atmem_langgraph.remember_node import RememberNode
from atmem_langgraph.render import Place, Renderer, checked_place, placed, with_memory
from atmem_langgraph.state import MemoryFailure, written

_Answer = ModelResponse[Any] | ExtendedModelResponse[Any]


class _Parts(TypedDict):
    subject: Part
    project: Part
    session: Part
    agent: Part


class _Calls(TypedDict):
    on_error: OnError
    deadline_ms: float | None


class AtmemAgentState(AgentState[Any]):
    """What the middleware adds to an agent's state. Private: no caller sets it or sees it."""

    memory_decision: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]
    memory_record_ids: NotRequired[Annotated[list[str], PrivateStateAttr]]
    memory_error: NotRequired[Annotated[MemoryFailure | None, PrivateStateAttr]]
    memory_stored_ids: NotRequired[Annotated[list[str], PrivateStateAttr]]
    memory_store_error: NotRequired[Annotated[MemoryFailure | None, PrivateStateAttr]]


class AtmemMiddleware(AgentMiddleware[AtmemAgentState, Any, Any]):
    """Recalls before the agent starts, shows it to the model, and remembers the turn if asked to.

    The text is in the model's request alone: neither the history nor a checkpoint holds it.

    Args:
        memory: A Memory works under ``invoke`` and ``ainvoke``, an AsyncMemory under
            ``ainvoke``.
        subject: Whose memory, as for ``RecallNode``.
        project: Project that is recalled from and stored to.
        session: Session that turns are stored to, such as ``lambda run: run.thread_id``.
        agent: Agent that is recalled from and stored to.
        within_session: Recall from that session only, instead of from all.
        allow_background: Release ``background_context`` too.
        budget_tokens: Size of the text at most.
        place: ``"system"``: after the host's own system message. ``"turn"``: a message of its
            own before the last user message, which keeps a provider's prefix cache over the
            history.
        remember: Store the user's message when the agent has finished.
        remember_assistant: Store the answer too; implies ``remember``.
        on_error: As for ``RecallNode``; holds for recall, rendering and storing.
        deadline_ms: Time for each of the three.
        clock: What tells a note that has expired; the machine's when None.
    """

    state_schema = AtmemAgentState

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        subject: Part = None,
        project: Part = None,
        session: Part = None,
        agent: Part = None,
        within_session: bool = False,
        allow_background: bool = False,
        budget_tokens: int = 400,
        place: Place = "system",
        remember: bool = False,
        remember_assistant: bool = False,
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        checked_place(place)
        writing = _Parts(subject=subject, project=project, session=session, agent=agent)
        reading = writing if within_session else _Parts(**{**writing, "session": None})
        calls = _Calls(on_error=on_error, deadline_ms=deadline_ms)
        self._recall = RecallNode(memory, allow_background=allow_background, **reading, **calls)
        self._renderer = Renderer(memory, budget_tokens=budget_tokens, clock=clock, **reading, **calls)
        self._remembers = remember or remember_assistant
        self._remember = RememberNode(memory, remember_assistant=remember_assistant, **writing, **calls)
        self._place = place

    def before_agent(self, state: AtmemAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Decide, once for the whole run. Raises InvalidInput when the run names no subject."""
        return self._recall.invoke(state)

    async def abefore_agent(self, state: AtmemAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As ``before_agent``."""
        return await self._recall.ainvoke(state)

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> _Answer:
        """Show the model what is still to be shown; each call of the run asks again."""
        rendered = self._renderer.text(request.state)
        return _answer(handler(self._shown(request, rendered)), rendered)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> _Answer:
        """As ``wrap_model_call``."""
        rendered = await self._renderer.atext(request.state)
        return _answer(await handler(self._shown(request, rendered)), rendered)

    def after_agent(self, state: AtmemAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Store the turn, if that was asked for."""
        return self._remember.invoke(state) if self._remembers else None

    async def aafter_agent(self, state: AtmemAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As ``after_agent``."""
        return await self._remember.ainvoke(state) if self._remembers else None

    def _shown(self, request: ModelRequest[Any], rendered: Outcome[str]) -> ModelRequest[Any]:
        text = rendered.value
        if not text:
            return request
        if self._place == "system":
            return request.override(system_message=with_memory(request.system_message, text))
        messages = placed(request.messages, text, place="turn")
        return request.override(messages=cast("list[AnyMessage]", messages))


def _answer(response: ModelResponse[Any], rendered: Outcome[str]) -> _Answer:
    """The model's answer; when the text couldn't be had, the state says so."""
    if rendered.failure is None:
        return response
    told: Command[Any] = Command(update={"memory_error": written(rendered.failure)})
    return ExtendedModelResponse(model_response=response, command=told)

"""One run of an agent: decided at its first model call, rendered at each, stored when it has ended."""

from dataclasses import replace
from typing import Any, Unpack

from agents import Agent, AgentHookContext, RunHooks
from agents.items import TResponseInputItem
from agents.run_config import CallModelData, ModelInputData

from atmem_core import AsyncMemory, Memory, Scope
from atmem_core.host import Failure, HostMemory, HostOptions, Said
from atmem_openai_agents.items import last_said, text_of, with_block


class AtmemTurns:
    """One memory for any number of runs, of any number of subjects.

    Args:
        memory: A Memory, which works in a thread, or an AsyncMemory.
        remember: Store what the user said when the run has succeeded.
        remember_assistant: Store the answer too, when it is a text; implies ``remember``.
        facts: Also write a stored turn to the session history, where facts are read out of it in the
            background; then a turn must name its session. Implies ``remember``.
        **options: See ``HostOptions``.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        remember: bool = False,
        remember_assistant: bool = False,
        facts: bool = False,
        **options: Unpack[HostOptions],
    ) -> None:
        self._memory = HostMemory(memory, facts=facts, **options, logger="atmem_openai_agents")
        self._remembers = remember or remember_assistant or facts
        self._remembers_assistant = remember_assistant

    def turn(
        self,
        *,
        subject: str,
        project: str | None = None,
        session: str | None = None,
        agent: str | None = None,
    ) -> "AtmemTurn":
        """What one run is given: as ``call_model_input_filter`` of its RunConfig, and as its ``hooks``.

        Args:
            subject: Whose memory.
            project: Project that is recalled from and stored to.
            session: Session that the turn is stored to; recall spans all.
            agent: Agent that is recalled from and stored to.

        Raises:
            InvalidInput: The subject is blank.
        """
        return AtmemTurn(
            self._memory,
            Scope(subject=subject, project=project, session=session, agent=agent),
            remembers=self._remembers,
            remembers_assistant=self._remembers_assistant,
        )


class AtmemTurn(RunHooks[Any]):
    """What memory does in one run. Made by ``AtmemTurns.turn``, one for each run.

    The filter's additions are in the request alone: the SDK keeps them out of its sessions.
    """

    decision: dict[str, Any] | None
    """Of the recall, as its schema says; None before it, and when memory failed."""
    record_ids: tuple[str, ...]
    """What was released, best first."""
    failure: Failure | None
    """Of the recall or a rendering. A failure is no decision."""
    stored_ids: tuple[str, ...]
    """The notes that hold the turn."""
    store_failure: Failure | None

    def __init__(
        self, memory: HostMemory, scope: Scope, *, remembers: bool, remembers_assistant: bool
    ) -> None:
        self._memory = memory
        self._writes = scope
        # Reads span all sessions; the session says where a turn belongs.
        self._reads = replace(scope, session=None)
        self._remembers = remembers
        self._remembers_assistant = remembers_assistant
        self._asked: str | None = None
        self.decision, self.record_ids, self.failure = None, (), None
        self.stored_ids, self.store_failure = (), None

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """The call's input with what may be injected: decided once, rendered as it is now."""
        given = data.model_data
        # The user's message ends the input at a run's first call alone: later ones end with what tools said.
        if self._asked is None or last_said(given.input) == len(given.input) - 1:
            await self._recall(given.input)
        shown = await self._memory.arender(self.record_ids, self._reads)
        self.failure = self.failure or shown.failure
        if not shown.value:
            return given
        return ModelInputData(input=with_block(given.input, shown.value), instructions=given.instructions)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Agent[Any], output: object) -> None:
        """Store the turn, if that was asked for and something was said."""
        if not (self._remembers and self._asked):
            return
        turn = [Said(text=self._asked)]
        if self._remembers_assistant and isinstance(output, str):
            turn.append(Said(text=output, speaker="assistant", source="assistant"))
        outcome = await self._memory.aremember(turn, self._writes)
        self.stored_ids, self.store_failure = outcome.value or (), outcome.failure

    async def _recall(self, items: list[TResponseInputItem]) -> None:
        place = last_said(items)
        self._asked = "" if place is None else text_of(items[place])
        outcome = await self._memory.arecall(self._asked, self._reads)
        recalled, self.failure = outcome.value, outcome.failure
        self.decision = None if recalled is None else recalled.decision.to_dict()
        self.record_ids = () if recalled is None else tuple(note.id for note in recalled.records)

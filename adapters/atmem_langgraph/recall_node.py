"""The node that decides: it writes the judgement and the ids, never the text."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from atmem_core import AsyncMemory, Decision, InvalidInput, Memory
from atmem_core.host import Caller, OnError, Outcome, Steps, Watch, asked, decision_seen, shortened
from atmem_langgraph.host import Part, ScopeSource, current_run
from atmem_langgraph.state import written
from atmem_langgraph.turn import last_user_text

_Judged = tuple[Decision, str]


class RecallNode(Runnable[object, dict[str, Any]]):
    """Decides once a turn what may be injected; one object for ``invoke`` and ``ainvoke``.

    Every run writes ``memory_decision``, ``memory_record_ids`` and ``memory_error``, so that
    nothing of an earlier turn is left. When memory fails the decision is None, the ids are empty
    and the error is set: a failure is no ``no_useful_memory``.

    Args:
        memory: A Memory works under ``invoke`` and ``ainvoke``, an AsyncMemory under
            ``ainvoke``.
        subject: Whose memory. None asks the run: ``subject`` or ``user_id`` of its context,
            else ``config["configurable"]["subject"]``; a run that says neither is an error.
        project: Only records of this project; a text, or a function of the run.
        session: Only records of this session. None, the default, recalls over all sessions.
        agent: Only records of this agent.
        on_error: ``"ignore"`` lets the run go on with ``memory_error`` set, ``"raise"`` ends
            it, which is what a node with a retry policy or an error handler wants.
        deadline_ms: Time for the whole recall. Half of it is for the query's vector; without
            one by then keywords answer and the decision says ``degraded``.
        query_from: From the state to what is asked; the last user message's text by default.
        allow_background: Release ``background_context`` too.
        keep_candidates: How many candidates the written decision lists, best first, beside those it
            releases. A whole decision over a large memory has 50, some 60 kB, and a checkpointer
            saves the state at every step.
        store_text: Also write ``memory_text``. It stays in checkpoints, where erase can't
            reach.
        name: Name of the node.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        subject: Part = None,
        project: Part = None,
        session: Part = None,
        agent: Part = None,
        on_error: OnError = "ignore",
        deadline_ms: float | None = None,
        query_from: Callable[[Any], str] = last_user_text,
        allow_background: bool = False,
        keep_candidates: int = 5,
        store_text: bool = False,
        name: str = "recall",
    ) -> None:
        if keep_candidates < 0:
            raise InvalidInput("keep_candidates", f"must be 0 or more, got {keep_candidates!r}")
        self.name = name
        self._caller = Caller(
            memory=memory, on_error=on_error, deadline_ms=deadline_ms, logger="atmem_langgraph"
        )
        self._source = ScopeSource(subject=subject, project=project, session=session, agent=agent)
        self._query_from = query_from
        self._allow_background = allow_background
        self._keep_candidates = keep_candidates
        self._store_text = store_text

    def invoke(
        self,
        input: object,
        config: RunnableConfig | None = None,
        **_kwargs: object,
    ) -> dict[str, Any]:
        """The state's update. Raises InvalidInput when the run names no subject."""
        steps, watch = self._act(input, config)
        return self._update(self._caller.run(steps, watch=watch))

    async def ainvoke(
        self,
        input: object,
        config: RunnableConfig | None = None,
        **_kwargs: object,
    ) -> dict[str, Any]:
        """As ``invoke``, without blocking the event loop."""
        steps, watch = self._act(input, config)
        return self._update(await self._caller.arun(steps, watch=watch))

    def _act(self, state: object, config: RunnableConfig | None) -> tuple[Steps[_Judged], Watch]:
        # What the host got wrong is raised here, before memory is asked and whatever on_error says.
        scope = self._source.scope(current_run(config))
        steps = self._judge(asked(self._query_from(state)), scope.to_dict())
        return steps, Watch(act="recall", scope=scope, measure=lambda judged: decision_seen(judged[0]))

    def _judge(self, query: str, scope: dict[str, str | None]) -> Steps[_Judged]:
        options: dict[str, Any] = {
            **scope,
            "deadline_ms": self._caller.embed_deadline_ms,
            "allow_background": self._allow_background,
        }
        if self._store_text:
            block = yield lambda memory: memory.context(query, **options)
            return block.decision, block.text
        recall = yield lambda memory: memory.recall(query, **options)
        return recall.decision, ""

    def _update(self, outcome: Outcome[_Judged]) -> dict[str, Any]:
        decision, text = (None, "") if outcome.value is None else outcome.value
        update: dict[str, Any] = {
            "memory_decision": None if decision is None else shortened(decision, self._keep_candidates),
            "memory_record_ids": [] if decision is None else list(decision.ranked_record_ids),
            "memory_error": written(outcome.failure),
        }
        if self._store_text:
            update["memory_text"] = text
        return update

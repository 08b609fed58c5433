"""A host of twenty lines around HostMemory, right or wrong on purpose."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from atmem_core import Recall, Scope
from atmem_core.host import HostMemory, Outcome, Said
from atmem_core.testing import AdapterOptions, HostTurn


class Breach(StrEnum):
    """What a careless adapter gets wrong."""

    NOTHING = "nothing"
    FORGETS_THE_TEXT = "forgets the text"
    OPENS_EMPTY_FENCES = "opens empty fences"
    WRITES_THE_TEXT_INTO_HISTORY = "writes the text into history"
    SHOWS_WHAT_IT_FETCHED_FIRST = "shows what it fetched first"
    CALLS_A_FAILURE_NOTHING_USEFUL = "calls a failure nothing useful"
    NEVER_RAISES = "never raises"
    SWALLOWS_CANCELLATION = "swallows cancellation"
    INJECTS_ONLY_WHEN_AWAITED = "injects only when awaited"
    READS_THE_SUBJECT_FROM_THE_MESSAGE = "reads the subject from the message"
    STORES_THE_REQUEST = "stores the request"
    LOGS_THE_QUERY = "logs the query"
    SHARES_A_CACHE = "shares a cache"


class PlainHost:
    """Sends its model the history, with the recalled text before the last message."""

    has_sync = True
    in_process = True

    def __init__(self, breach: Breach = Breach.NOTHING) -> None:
        self.breach = breach
        self.cache: dict[str, str] = {}

    def conversation(self, memory: Any, options: AdapterOptions, *, subject: str) -> "PlainConversation":
        return PlainConversation(self, memory, options, subject)


class PlainConversation:
    """One conversation with the plain host."""

    def __init__(self, host: PlainHost, memory: Any, options: AdapterOptions, subject: str) -> None:
        self.host, self.scope, self.options = host, Scope(subject=subject), options
        breach = host.breach
        self.memory = HostMemory(
            memory,
            on_error="ignore" if breach is Breach.NEVER_RAISES else options.on_error,
            deadline_ms=options.deadline_ms,
            clock=options.clock,
        )
        self.history: list[str] = []

    def say(self, text: str) -> HostTurn:
        recall = self.memory.recall(text, self._whose(text))
        shown = self.memory.render(_ids(recall), self._whose(text)).value or ""
        if self.host.breach is Breach.INJECTS_ONLY_WHEN_AWAITED:
            shown = ""
        turn = self._turn(text, recall, shown)
        if self.options.remember:
            self.memory.remember(self._finished(text, turn), self.scope)
        return turn

    async def asay(self, text: str) -> HostTurn:
        try:
            recall = await self.memory.arecall(text, self._whose(text))
        except asyncio.CancelledError:
            if self.host.breach is not Breach.SWALLOWS_CANCELLATION:
                raise
            recall = Outcome(value=None)
        shown = (await self.memory.arender(_ids(recall), self._whose(text))).value or ""
        turn = self._turn(text, recall, shown)
        if self.options.remember:
            await self.memory.aremember(self._finished(text, turn), self.scope)
        return turn

    def _whose(self, text: str) -> Scope:
        if self.host.breach is Breach.READS_THE_SUBJECT_FROM_THE_MESSAGE and "subject=" in text:
            return Scope(subject=text.partition("subject=")[2].split()[0])
        return self.scope

    def _turn(self, text: str, recall: Outcome[Recall], shown: str) -> HostTurn:
        shown = self._spoilt(text, shown)
        request = [*self.history, *([shown] if shown else []), text]
        self.history.append(text)
        if self.host.breach is Breach.WRITES_THE_TEXT_INTO_HISTORY and shown:
            self.history.append(shown)
        decision = None if recall.value is None else recall.value.decision.to_dict()
        if decision is None and self.host.breach is Breach.CALLS_A_FAILURE_NOTHING_USEFUL:
            decision = {"support_class": "no_useful_memory"}
        return HostTurn(
            requests=("\n".join(request),),
            kept="\n".join(self.history),
            decision=decision,
            failure=None if recall.failure is None else recall.failure.to_dict(),
        )

    def _spoilt(self, text: str, shown: str) -> str:
        match self.host.breach:
            case Breach.FORGETS_THE_TEXT:
                return ""
            case Breach.OPENS_EMPTY_FENCES:
                return shown or "<atmem-memory></atmem-memory>"
            case Breach.SHARES_A_CACHE:
                return self.host.cache.setdefault(text, shown)
            case Breach.SHOWS_WHAT_IT_FETCHED_FIRST:
                return self.host.cache.setdefault(f"{id(self)}", shown)
            case Breach.LOGS_THE_QUERY:
                import logging  # noqa: PLC0415 - one breach's own

                logging.getLogger("atmem_plain").debug("asked %s", text)
            case _:
                pass
        return shown

    def _finished(self, text: str, turn: HostTurn) -> Sequence[Said]:
        if self.host.breach is Breach.STORES_THE_REQUEST:
            text = turn.requests[-1].replace("atmem-memory", "memory")
        return [Said(text=text)]


def _ids(recall: Outcome[Recall]) -> tuple[str, ...]:
    return () if recall.value is None else recall.value.decision.ranked_record_ids

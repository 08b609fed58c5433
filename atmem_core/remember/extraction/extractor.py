"""Reading a turn with a model: a generator that yields the prompt and is sent the reply.

Whoever drives it waits in its own way: a thread, an event loop, or a test.
"""

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from atmem_core.chat import AsyncChatModel, ChatModel, ChatPrompt, ChatReply
from atmem_core.records import Extraction, ExtractionJob, FactRef
from atmem_core.remember.extraction.operations import read_reply
from atmem_core.remember.extraction.prompts import prompt
from atmem_core.remember.extraction.telling import told

Steps: TypeAlias = Generator[ChatPrompt, ChatReply, Extraction]


@runtime_checkable
class Extractor(Protocol):
    """Whoever reads facts out of turns."""

    @property
    def name(self) -> str:
        """For a person to read: what it is, and whether a model is behind it."""
        ...

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        """What the turn says that is worth keeping.

        Raises:
            ExtractionFailed, ChatUnavailable: Nothing can be said of this turn now.
        """
        ...


def extraction(job: ExtractionJob, priors: Sequence[FactRef]) -> Steps:
    """Yields at most one prompt. None when nothing in the turn tells: no model is asked then.

    Args:
        job: The turn.
        priors: The stored facts to list, as many as the prompt holds.
    """
    sentences = told(job)
    if not sentences:
        return Extraction()
    reply = yield prompt(sentences, job.assistant_text, priors)
    return read_reply(reply, job=job, told=sentences, priors=priors)


class MemoryExtractor:
    """Reads turns with a chat model. Its word is taken only for what the user's own sentences show.

    Args:
        model: Sync or async; one that is both is called in the way that the caller waits.
    """

    def __init__(self, model: ChatModel | AsyncChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return f"model {self._model.name}"

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        """Waits in this thread; an async model gets an event loop of its own."""
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        complete = getattr(self._model, "complete", None)
        if complete is None:
            return asyncio.run(self.aextract(job, priors))
        steps = extraction(job, priors)
        try:
            steps.send(complete(next(steps)))
        except StopIteration as end:
            return _outcome(end)
        raise RuntimeError("an extraction asks once")

    async def aextract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        """Awaits the model; a sync one is called in a thread."""
        steps = extraction(job, priors)
        try:
            steps.send(await self._reply(next(steps)))
        except StopIteration as end:
            return _outcome(end)
        raise RuntimeError("an extraction asks once")

    async def _reply(self, asked: ChatPrompt) -> ChatReply:
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        model = self._model
        acomplete = getattr(model, "acomplete", None)
        if acomplete is not None:
            reply: ChatReply = await acomplete(asked)
            return reply
        return await asyncio.to_thread(getattr(model, "complete"), asked)  # noqa: B009 - one of the two is there


def _outcome(end: StopIteration) -> Extraction:
    outcome: Extraction = end.value
    return outcome

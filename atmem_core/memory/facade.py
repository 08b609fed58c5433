"""The facade: what is opened, what it is made of, how it is closed."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from atmem_core.advice import Lessons, Procedures
from atmem_core.chat import ChatModel
from atmem_core.clock import Clock, SystemClock
from atmem_core.config import Config
from atmem_core.context.capture import worth_keeping
from atmem_core.context.composer import Composer, Parts
from atmem_core.context.keeping import Keeping
from atmem_core.context.provider import ContextProvider, Rewriter
from atmem_core.context.sources import Sources
from atmem_core.doctor import FileVerbs, diagnose
from atmem_core.embedding import AUTO, Embedder, Resolution, resolve
from atmem_core.errors import InvalidInput
from atmem_core.events import EventStream
from atmem_core.facts import Facts
from atmem_core.facts.announcing import Announcer
from atmem_core.judge import Judge, bundled_judge
from atmem_core.links import Links
from atmem_core.memory.quarantine import Quarantine
from atmem_core.memory.reading import ReadVerbs
from atmem_core.memory.writing import WriteVerbs
from atmem_core.profile import Profile
from atmem_core.recall.reader import CalibrationFor, Reader
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.recall.search import Searcher
from atmem_core.records import (
    DoctorReport,
    Scope,
)
from atmem_core.remember.recorder import Recorder
from atmem_core.semantic import Semantic
from atmem_core.semantic.backfill import Backfill
from atmem_core.semantic.calibrations import calibration_for
from atmem_core.semantic.profiles import Make, Profiles, made_from
from atmem_core.sessions import Sessions
from atmem_core.store import Store, open_store
from atmem_core.transfer.verbs import TransferVerbs


class Memory(WriteVerbs, ReadVerbs, TransferVerbs, FileVerbs):
    """Long-term memory in one file. Safe for threads and for several processes on one file."""

    def __init__(
        self,
        store: Store,
        found: Resolution,
        *,
        config: Config,
        clock: Clock,
        judge: Judge | None = None,
        calibration_for: CalibrationFor = calibration_for,
        automatic: bool = False,
        make: Make | None = None,
    ) -> None:
        embedder = found.embedder
        if judge is None and config.judge and embedder is not None:
            judge = bundled_judge()
        self._store = store
        make = make or made_from(config)
        self._profiles = Profiles(
            store, found, make=make, automatic=automatic, calibration_for=calibration_for
        )
        serving_for, calibrated = self._profiles.serving, self._profiles.calibration_for
        self._found = found
        self._config = config
        self._clock = clock
        self._recorder = Recorder(store, serving_for, config=config, clock=clock)
        self._judge = judge
        self._reader = Reader(
            store, serving_for, judge, config=config, clock=clock, calibration_for=calibrated
        )
        self.events = EventStream(content=config.event_content)
        self._announcer = Announcer(self.events, clock)
        self.facts = Facts(store, serving_for, announcer=self._announcer, config=config, clock=clock)
        self.sessions = Sessions(store, self.facts, events=self.events, config=config, clock=clock)
        self.quarantine = Quarantine(store, announcer=self._announcer, clock=clock)
        floor_for = self._profiles.min_cosine
        self._searcher = Searcher(store, self._reader, config=config, clock=clock, floor_for=floor_for)
        self.semantic = Semantic(store, self._profiles, clock=clock)
        self._composer = self._composed()
        self._backfill = Backfill(store, self._profiles)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | str | None = "auto",
        config: Config | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Open the file, making it when it isn't there; ``":memory:"`` keeps all in this process.

        Args:
            path: One SQLite file.
            embedder: ``"auto"`` takes each subject's active semantic profile, else the bundled local model
                when its extra is installed, else keywords alone; None is keywords alone; or an Embedder.
            config: Settings; the defaults when None.
            clock: Time and ids; the machine's when None.

        Raises:
            NotADatabase, SchemaTooNew, StoreReadOnly, StoreBusy, StoreCorrupt: What the file is.
        """
        config, clock = config or Config(), clock or SystemClock()
        opened = cls(
            open_store(path, config=config),
            resolve(embedder),
            config=config,
            clock=clock,
            automatic=embedder == AUTO,
        )
        if config.backfill and str(path) != ":memory:":
            opened._backfill.start()
        return opened

    def provider(
        self,
        *,
        rewriter: Rewriter | None = None,
        rewriter_model: ChatModel | None = None,
        channels: Iterable[str] | None = None,
        keep: Callable[[str], bool] = worth_keeping,
        keep_assistant: bool = False,
        facts: bool = False,
        links_model: ChatModel | None = None,
    ) -> ContextProvider:
        """What an agent calls before and after each turn.

        Args:
            rewriter: Makes a message whole from what was said before.
            rewriter_model: In its place, the chat model of one by the settings ``rewriter_*``, a client of
                its own. Without either a message is searched for as it stands.
            channels: Which of ``Channel`` are shown; None is all.
            keep: Which messages of the user become notes.
            keep_assistant: Store what the assistant said too, as its own words.
            facts: Write each turn to the session history too, where facts are read out of it in the
                background; a turn then needs a session.
            links_model: Is asked, when a turn is over, which of its notes belong together; None asks nobody.

        Raises:
            InvalidInput: An unknown channel, or two rewriters.
        """
        if rewriter_model is not None and rewriter is not None:
            raise InvalidInput("rewriter_model", "was given beside a rewriter; give one of the two")
        asked = rewriter if rewriter_model is None else self._rewriter(rewriter_model)
        keeping = Keeping(
            writer=self, sources=self._sources, links=self.links, finish=self._finish,
            keep=keep, keep_assistant=keep_assistant, facts=facts, links_model=links_model,
        )  # fmt: skip
        return ContextProvider(self._composer, keeping, rewriter=asked, channels=channels)

    def _rewriter(self, model: ChatModel) -> QueryRewriter:
        """By the settings."""
        return QueryRewriter(
            model,
            gate=self._config.rewriter_gate,
            timeout_ms=self._config.rewriter_timeout_ms,
            history_turns=self._config.rewriter_history_turns,
            embedder=self._profiles.serving(None).embedder,
            clock=self._clock,
        )

    def _finish(self, said: str, answer: str, scope: Scope, key: str) -> None:
        """Write a turn to the session history."""
        self.sessions.finish(
            said,
            answer,
            subject=scope.subject,
            session=str(scope.session),
            project=scope.project,
            agent=scope.agent,
            idempotency_key=key,
        )

    def _composed(self) -> Composer:
        """What makes contexts, and what stands in them."""
        store, config, clock = self._store, self._config, self._clock
        self.links = Links(store, clock=clock)
        self.profile = Profile(store, config=config, clock=clock)
        self.lessons = Lessons(store, config=config, clock=clock)
        self.procedures = Procedures(store, config=config, clock=clock)
        self._sources = Sources(
            links=self.links,
            profile=self.profile,
            lessons=self.lessons,
            procedures=self.procedures,
            announcing=self._announcer,
        )
        return Composer(
            Parts(store=store, reader=self._reader, sources=self._sources, config=config, clock=clock)
        )

    def doctor(self) -> DoctorReport:
        """Health of file, driver and model; embeds one word to see that the model answers."""
        found = diagnose(
            self._store, self._profiles.serving(None).embedder, self._judge, absent=self._found.reason
        )
        return DoctorReport(checks=(*found.checks, self.sessions.check(), self._composer.check()))

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self._backfill.stop()
        self.lessons.close()
        self.sessions.close()
        self._reader.close()
        self.facts.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

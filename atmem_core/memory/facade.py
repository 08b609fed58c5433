"""The facade: what is opened, what it is made of, how it is closed."""

from pathlib import Path
from types import TracebackType
from typing import Self

from atmem_core.clock import Clock, SystemClock
from atmem_core.config import Config
from atmem_core.doctor import FileVerbs, diagnose
from atmem_core.embedding import AUTO, Embedder, Resolution, resolve
from atmem_core.events import EventStream
from atmem_core.facts import Facts
from atmem_core.facts.announcing import Announcer
from atmem_core.judge import Judge, bundled_judge
from atmem_core.memory.quarantine import Quarantine
from atmem_core.memory.reading import ReadVerbs
from atmem_core.memory.writing import WriteVerbs
from atmem_core.recall.reader import CalibrationFor, Reader
from atmem_core.recall.search import Searcher
from atmem_core.records import (
    DoctorReport,
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

    def doctor(self) -> DoctorReport:
        """Health of file, driver and model; embeds one word to see that the model answers."""
        found = diagnose(
            self._store, self._profiles.serving(None).embedder, self._judge, absent=self._found.reason
        )
        return DoctorReport(checks=(*found.checks, self.sessions.check()))

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self._backfill.stop()
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

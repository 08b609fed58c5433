"""The part of the facades that moves records: for ``Memory``, and the same awaited for ``AsyncMemory``."""

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from atmem_core.clock import Clock
from atmem_core.config import Config
from atmem_core.records import ImportReceipt
from atmem_core.remember.recorder import Recorder
from atmem_core.store.protocol import Store
from atmem_core.transfer.progress import Progress
from atmem_core.transfer.record_lines import RecordLines

if TYPE_CHECKING:
    from atmem_core.transfer.mover import Mover

_P = ParamSpec("_P")
_R = TypeVar("_R")


class TransferVerbs:
    """Mixed into ``Memory``."""

    _store: Store
    _recorder: Recorder
    _clock: Clock
    _config: Config

    @property
    def _mover(self) -> "Mover":
        # Parsers, archives, every format: a twentieth of the time to start, for what is seldom done.
        from atmem_core.transfer.mover import Mover  # noqa: PLC0415

        return Mover(self._store, self._recorder.indexer, clock=self._clock, redaction=self._config.redaction)

    def export_records(self, *, subject: str) -> RecordLines:
        """All records of a subject as JSON lines, in every state, with every field but the vectors.

        Nothing is read before the lines are: ``for line in ...``, or ``async for``.
        """
        return self._mover.export_records(subject)

    def import_records(
        self,
        lines: Iterable[str],
        *,
        subject: str | None = None,
        into_other_subject: bool = False,
        progress: Progress | None = None,
    ) -> ImportReceipt:
        """Store the lines of an export. The same lines again change nothing.

        Args:
            lines: A header, records, an end, as ``export_records`` gives them.
            subject: Whose they must be; whoever the header names when None.
            into_other_subject: Store them for ``subject`` though the header names another one. Their ids
                are made anew, the same each time.
            progress: Called after each batch with the records done and their number, None when unknown.

        Raises:
            InvalidInput: There is no header, or it names another subject. Nothing was stored.
        """
        return self._mover.import_records(
            lines, subject=subject, into_other_subject=into_other_subject, progress=progress
        )

    def import_file(
        self,
        source: str | Path | IO[bytes],
        *,
        subject: str,
        format: str = "jsonl",
        project: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        owner: str | None = None,
        assistant: bool = True,
        into_other_subject: bool = False,
        progress: Progress | None = None,
    ) -> ImportReceipt:
        """Store what a file of another program, or an export, holds. The same file again changes nothing.

        ``source`` is the path of a file or a ZIP archive, or a binary stream; ``format`` one of
        ``ImportFormat``, where jsonl is an export or lines with a ``text``. Every note gets ``project`` and
        ``agent`` in place of the file's, and ``tags`` beside ``import:FORMAT``. Of a file of several people
        ``owner`` says whose records to take, the first one's when None; without ``assistant`` what
        assistants said is left out. ``progress`` is called a batch with the bytes done and their number,
        None when unknown.

        Raises:
            InvalidInput: An argument is wrong, or the file isn't UTF-8; what was stored before stays.
        """
        # With the mover, see there.
        from atmem_core.transfer.formats.contract import Wish  # noqa: PLC0415
        from atmem_core.transfer.mover import destination  # noqa: PLC0415

        return self._mover.import_file(
            source,
            subject=subject,
            destination=destination(format, project=project, agent=agent, tags=tags),
            wish=Wish(owner=owner, assistant=assistant),
            into_other_subject=into_other_subject,
            progress=progress,
        )


class AsyncTransferVerbs:
    """Mixed into ``AsyncMemory``."""

    def _run(
        self, method: Callable[Concatenate[Any, _P], _R], *args: _P.args, **kwargs: _P.kwargs
    ) -> Awaitable[_R]:
        """One hop to a worker; ``AsyncMemory`` has it."""
        raise NotImplementedError

    async def export_records(self, *, subject: str) -> RecordLines:
        """As ``Memory.export_records``; read it with ``async for``."""
        return await self._run(TransferVerbs.export_records, subject=subject)

    async def import_records(
        self,
        lines: Iterable[str],
        *,
        subject: str | None = None,
        into_other_subject: bool = False,
        progress: Progress | None = None,
    ) -> ImportReceipt:
        """As ``Memory.import_records``; lines are taken and progress is called in the worker."""
        return await self._run(
            TransferVerbs.import_records,
            lines,
            subject=subject,
            into_other_subject=into_other_subject,
            progress=progress,
        )

    async def import_file(
        self,
        source: str | Path | IO[bytes],
        *,
        subject: str,
        format: str = "jsonl",
        project: str | None = None,
        agent: str | None = None,
        tags: Iterable[str] = (),
        owner: str | None = None,
        assistant: bool = True,
        into_other_subject: bool = False,
        progress: Progress | None = None,
    ) -> ImportReceipt:
        """As ``Memory.import_file``; progress is called in the worker."""
        return await self._run(
            TransferVerbs.import_file,
            source,
            subject=subject,
            format=format,
            project=project,
            agent=agent,
            tags=tags,
            owner=owner,
            assistant=assistant,
            into_other_subject=into_other_subject,
            progress=progress,
        )

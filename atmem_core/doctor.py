"""Health of file, driver and model, as checks that a person can act on; and the care of the file."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from atmem_core.embedding import Embedder
from atmem_core.errors import AtmemError, EmbeddingUnavailable, JudgeUnavailable
from atmem_core.judge import Judge
from atmem_core.records import (
    Check,
    CheckStatus,
    DoctorReport,
    EmbedPurpose,
    QualityClass,
    StoreStats,
    label,
)
from atmem_core.store.protocol import Store

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BIG_WAL_BYTES = 64 * 1024 * 1024


class FileVerbs:
    """What a caller can do with the file. Mixed into ``Memory``, which opens the store."""

    _store: Store

    def stats(self, subject: str | None = None) -> StoreStats:
        """Counts of one subject, or of the file."""
        return self._store.stats(None if subject is None else label("subject", subject))

    def verify(self) -> list[str]:
        """What is wrong with the file, one finding a line; empty when nothing is."""
        return self._store.verify()

    def repair(self) -> list[str]:
        """Build again what is derived from the notes; what was done, one line each."""
        return self._store.repair()

    def backup(self, path: str | Path) -> None:
        """Copy the file while it is in use. Raises StoreError when ``path`` exists."""
        self._store.backup(path)


class AsyncFileVerbs:
    """Mixed into ``AsyncMemory``."""

    def _run(
        self, method: Callable[Concatenate[Any, _P], _R], *args: _P.args, **kwargs: _P.kwargs
    ) -> Awaitable[_R]:
        """One hop to a worker; ``AsyncMemory`` has it."""
        raise NotImplementedError

    async def stats(self, subject: str | None = None) -> StoreStats:
        """As ``Memory.stats``."""
        return await self._run(FileVerbs.stats, subject)

    async def verify(self) -> list[str]:
        """As ``Memory.verify``."""
        return await self._run(FileVerbs.verify)

    async def repair(self) -> list[str]:
        """As ``Memory.repair``."""
        return await self._run(FileVerbs.repair)

    async def backup(self, path: str | Path) -> None:
        """As ``Memory.backup``."""
        return await self._run(FileVerbs.backup, path)


def diagnose(
    store: Store, embedder: Embedder | None, judge: Judge | None, *, absent: str = ""
) -> DoctorReport:
    """Look at everything once.

    Args:
        store: The open file.
        embedder: The model in use, if any.
        judge: The judge in use, if any.
        absent: Why there is none.
    """
    return DoctorReport(
        checks=(
            *_file(store),
            _model(embedder, absent),
            *_calls(embedder, "embedding calls"),
            _judge(judge),
            *_calls(judge, "judge calls"),
        )
    )


def _file(store: Store) -> list[Check]:
    try:
        stats, facts = store.stats(), store.facts()
    except AtmemError as error:
        return [Check(name="file", status=CheckStatus.FAIL, detail=str(error))]
    checks = [Check(name=name, status=CheckStatus.OK, detail=detail) for name, detail in facts.items()]
    if facts.get("vector scan") == "numpy":
        checks.append(_warn("sqlite-vec", "the extension didn't load; numpy scans in its place"))
    if stats.wal_bytes > _BIG_WAL_BYTES:
        checks.append(_warn("log", f"{stats.wal_bytes} bytes wait to be checkpointed; a reader is open"))
    waiting = _records(stats)
    checks.append(Check(name="records", status=CheckStatus.OK, detail=waiting))
    return checks


def _records(stats: StoreStats) -> str:
    """Do the vectors track what is stored? "ok" for nothing stored would say nothing."""
    return (
        f"{stats.notes} notes, {stats.facts} facts of which {stats.facts_standing} stand, "
        f"{stats.vectors} vectors, {stats.awaiting_vector} records await one"
    )


def _model(embedder: Embedder | None, absent: str) -> Check:
    if embedder is None:
        return _warn("embedder", f"none, keywords alone{': ' + absent if absent else ''}")
    try:
        identity = embedder.identity
        embedder.embed(["health"], purpose=EmbedPurpose.QUERY)
    except EmbeddingUnavailable as error:
        return Check(name="embedder", status=CheckStatus.FAIL, detail=str(error))
    detail = (
        f"{identity.provider} {identity.model}, {identity.dimensions} dimensions, "
        f"{identity.quality.value}, identity {identity.digest}"
    )
    if identity.quality is QualityClass.PRODUCTION:
        return Check(name="embedder", status=CheckStatus.OK, detail=detail)
    return _warn("embedder", f"{detail}; its vectors support nothing")


def _judge(judge: Judge | None) -> Check:
    if judge is None:
        return Check(name="judge", status=CheckStatus.OK, detail="none; decisions abstain more")
    try:
        judge.answered("health", ["health"])
    except JudgeUnavailable as error:
        return Check(name="judge", status=CheckStatus.FAIL, detail=str(error))
    return Check(name="judge", status=CheckStatus.OK, detail=judge.version)


def _calls(model: Embedder | Judge | None, name: str) -> list[Check]:
    """Failures since the process began, by reason: no fallback is silent."""
    counts: Mapping[str, int] = getattr(model, "counts", {})
    failed = {reason: count for reason, count in counts.items() if reason != "ok" and count}
    if not failed:
        return []
    listed = ", ".join(f"{reason} {count}" for reason, count in sorted(failed.items()))
    return [_warn(name, f"failed in this process: {listed}")]


def _warn(name: str, detail: str) -> Check:
    return Check(name=name, status=CheckStatus.WARN, detail=detail)

"""The same questions put to mem0's open source package, where it is installed, by a pinned manifest.

It stores the texts as they are, without a language model, and is given the run's own embedder, so that what
differs is search and judgement. Everything that its search returns among the first few counts as injected.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata, resources
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from atmem_core.embedding import Embedder
from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import Dataset, DatasetNote, DatasetStore, NoteStatus, Question
from atmem_core.evaluation.run import Progress
from atmem_core.policy.metrics import Outcome
from atmem_core.records import EmbedPurpose, SupportClass, attributed

_MS = 1_000
_OPTIONAL = ("fastembed", "spacy")
_ENVIRONMENT = {"MEM0_TELEMETRY": "False"}
_UNUSED = {"api_key": "unused"}
"""mem0 makes clients of a hosted model at once; none is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a comparison is pinned to."""

    name: str
    package: str
    version: str
    data_file: str
    data_sha256: str
    settings: Mapping[str, Any]


@cache
def manifest() -> Manifest:
    """The manifest in the package."""
    data = json.loads(_data("mem0-oss-v1.json").read_text(encoding="utf-8"))
    return Manifest(
        name=data["name"],
        package=data["package"],
        version=data["version"],
        data_file=data["data"]["file"],
        data_sha256=data["data"]["sha256"],
        settings=data["settings"],
    )


def pinned_data() -> Path:
    """The data set that the manifest names."""
    return _data(manifest().data_file)


def installed_version() -> str:
    """The version of mem0 that is installed.

    Raises:
        InvalidInput: None is.
    """
    pinned = manifest()
    try:
        return metadata.version(pinned.package)
    except metadata.PackageNotFoundError:
        raise InvalidInput(
            "compare",
            f"mem0 isn't installed; pip install '{pinned.package}=={pinned.version}' in this environment",
        ) from None


def optional_parts() -> tuple[str, ...]:
    """Packages that are installed and that mem0 does more with: keyword search, lemmas and entities."""
    return tuple(name for name in _OPTIONAL if find_spec(name) is not None)


def ask_mem0(
    dataset: Dataset, embedder: Embedder, *, progress: Callable[[Progress], None] | None = None
) -> list[Outcome]:
    """Every question of every store, answered by mem0's search.

    Args:
        dataset: What to store and ask, made negatives included.
        embedder: What embeds, for mem0 too.
        progress: Called after each store.
    """
    outcomes: list[Outcome] = []
    total = sum(len(store.questions) for store in dataset.stores)
    with TemporaryDirectory() as folder, _environment({**_ENVIRONMENT, "MEM0_DIR": folder}):
        for number, store in enumerate(dataset.stores):
            with _opened(Path(folder, str(number)), embedder) as memory:
                ids = _tell(memory, store)
                outcomes += [_asked(memory, question, ids) for question in store.questions]
            if progress is not None:
                progress(Progress(done=len(outcomes), total=total, store=f"mem0: {store.name}"))
    return outcomes


class _Embeds:
    """The run's embedder, as mem0 calls one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        purpose = EmbedPurpose.QUERY if memory_action == "search" else EmbedPurpose.DOCUMENT
        return [float(one) for one in self._embedder.embed([text], purpose=purpose)[0]]

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


@contextmanager
def _opened(folder: Path, embedder: Embedder) -> Iterator[Any]:
    memory = import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "vectors"),
                    "collection_name": "evaluation",
                    "embedding_model_dims": embedder.identity.dimensions,
                },
            },
            "embedder": {"provider": "openai", "config": _UNUSED},
            "llm": {"provider": "openai", "config": _UNUSED},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embeds(embedder)
    try:
        yield memory
    finally:
        memory.vector_store.client.close()


def _tell(memory: Any, store: DatasetStore) -> dict[str, str]:  # noqa: ANN401 - mem0 is no dependency
    replaced = {note.supersedes for note in store.notes}
    ids: dict[str, str] = {}
    for note in store.notes:
        if note.key in replaced or not _current(note, store):
            continue  # stored and deleted again comes to the same
        message = {"role": "user", "content": attributed(note.speaker, note.text)}
        done = memory.add([message], user_id=note.scope.subject, infer=False)
        ids[note.key] = done["results"][0]["id"]
    return ids


def _current(note: DatasetNote, store: DatasetStore) -> bool:
    over = note.valid_to is not None and note.valid_to <= store.now
    return note.status is NoteStatus.ACTIVE and not over


def _asked(memory: Any, question: Question, ids: Mapping[str, str]) -> Outcome:  # noqa: ANN401
    settings = manifest().settings
    started = time.process_time()
    answer = memory.search(
        question.text,
        filters={"user_id": question.scope.subject},
        top_k=settings["ranked"],
        threshold=settings["threshold"],
    )
    cpu_ms = (time.process_time() - started) * _MS
    hits = [(str(one["id"]), float(one["score"])) for one in answer["results"]]
    found = [record_id for record_id, _ in hits]
    injected = set(found[: settings["injected"]])
    pieces = [{ids[key] for key in piece if key in ids} for piece in question.evidence]
    right = set().union(*pieces)
    forbidden = {ids[key] for key in question.forbidden if key in ids}
    best = min(1.0, hits[0][1]) if hits else None
    return Outcome(
        label=question.label,
        negative=question.negative,
        support=SupportClass.DIRECT_SUPPORT if injected else SupportClass.NO_USEFUL_MEMORY,
        score=best,
        certainty=best,
        top_right=bool(found) and found[0] in right,
        ranks=tuple(
            next((place for place, one in enumerate(found, 1) if one in piece), None) for piece in pieces
        ),
        injected=len(injected),
        injected_right=len(injected & right),
        covered=sum(bool(piece & injected) for piece in pieces),
        forbidden=len(question.forbidden),
        leaked=len(forbidden & injected),
        case=question.case,
        cpu_ms=cpu_ms,
    )


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """mem0 reads these when it is imported, and would write to the home folder and report its use."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _data(name: str) -> Path:
    return Path(str(resources.files("atmem_core.evaluation").joinpath("data", name)))

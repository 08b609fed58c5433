"""From a path to a data set: which layout it is, and the reader for it."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from atmem_core.errors import InvalidInput
from atmem_core.evaluation.dataset import Dataset, DatasetStore, Format
from atmem_core.evaluation.readers import jsonl, locomo, longmemeval, precision, squad, stores

EXPECTED: Mapping[Format, str] = {
    Format.LOCOMO: "a JSON list of conversations with 'conversation' and 'qa'",
    Format.SQUAD: "a JSON object with 'data', articles with 'paragraphs'",
    Format.XQUAD: (
        "one file in SQuAD's layout, two (the other by --paragraphs), or a folder of xquad.LANGUAGE.json"
    ),
    Format.LONGMEMEVAL: "a JSON list of questions with 'haystack_sessions'",
    Format.JSONL: "lines of JSON objects with 'type': store, note or question",
    Format.PRECISION: "a JSON object with 'records' and 'cases'",
    Format.STORES: "a folder of labelled stores, or one such file, with 'store', 'notes' and 'cases'",
}
Read = tuple[tuple[DatasetStore, ...], int]
"""Stores, and how many questions were left out."""
_XQUAD = "xquad."
_ENGLISH = "en"


def read_dataset(path: Path, *, layout: Format | None = None, paragraphs: Path | None = None) -> Dataset:
    """The data set at this path.

    Args:
        path: A file, or for some layouts a folder.
        layout: None looks at the content.
        paragraphs: XQuAD alone: the file whose paragraphs are stored; the questions come from ``path``.

    Raises:
        InvalidInput: It isn't in this layout, or in none that is known; what was expected.
    """
    if not path.exists():
        raise InvalidInput("dataset", f"there is nothing at {path}")
    files = _parsed([*_files(path), *([paragraphs] if paragraphs else [])])
    chosen = layout or _recognised(path, files, paired=paragraphs is not None)
    if paragraphs is not None and chosen is not Format.XQUAD:
        raise InvalidInput("paragraphs", f"is for xquad alone, and {path} was read as {chosen}")
    try:
        found, skipped = _read(chosen, files, paired=paragraphs is not None)
    except InvalidInput as error:
        what = str(error).removeprefix("dataset: ")
        raise InvalidInput(
            "dataset", f"{what}\n{chosen} is {EXPECTED[chosen]}{_rather(files, chosen)}"
        ) from None
    if not any(store.questions for store in found):
        raise InvalidInput("dataset", f"{path} was read as {chosen} and holds no question")
    _refuse_what_cannot_run(found)
    return Dataset(name=path.name, format=chosen, stores=found, digest=_digest(files), skipped=skipped)


class _File:
    """A file's text, and what it parses to."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        content = path.read_bytes()
        self.sha256 = hashlib.sha256(content).hexdigest()
        try:
            self.text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput("dataset", f"{path} isn't UTF-8 (byte {error.start})") from None
        self.is_json = True
        try:
            self.data: object = json.loads(self.text)
        except json.JSONDecodeError:
            self.is_json, self.data = False, None
        if isinstance(self.data, list):
            self.text = ""  # hundreds of MB, and no reader of a list asks for it


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise InvalidInput("dataset", f"the folder {path} holds no .json file")
    return found


def _parsed(paths: Iterable[Path]) -> list[_File]:
    return [_File(path) for path in paths]


def _recognised(path: Path, files: Sequence[_File], *, paired: bool) -> Format:
    first = files[0]
    if paired or (path.is_dir() and first.name.startswith(_XQUAD)):
        return Format.XQUAD
    layout = _of_json(first) if first.is_json else _of_lines(first)
    if layout is None or (path.is_dir() and layout is not Format.STORES):
        known = "\n".join(f"  --format {one}: {text}" for one, text in EXPECTED.items())
        raise InvalidInput("dataset", f"{path} is in no layout that is known:\n{known}")
    return layout


def _rather(files: Sequence[_File], chosen: Format) -> str:
    """The layout that the content looks like, where that is another one."""
    likely = _of_json(files[0]) if files[0].is_json else _of_lines(files[0])
    return "" if likely in {None, chosen} else f"; this looks like --format {likely}"


def _of_json(file: _File) -> Format | None:
    data = file.data[0] if isinstance(file.data, list) and file.data else file.data
    if not isinstance(data, dict):
        return None
    if isinstance(file.data, dict) and "data" in data:
        return Format.XQUAD if file.name.startswith(_XQUAD) else Format.SQUAD
    marks = {
        Format.LOCOMO: {"conversation", "qa"},
        Format.LONGMEMEVAL: {"haystack_sessions"},
        Format.PRECISION: {"records", "cases"},
        Format.STORES: {"store", "notes", "cases"},
        Format.JSONL: {"type"},
    }
    return next((layout for layout, names in marks.items() if names <= set(data)), None)


def _of_lines(file: _File) -> Format | None:
    first = next((line for line in file.text.split("\n") if line.strip()), "")
    try:
        data: object = json.loads(first)
    except json.JSONDecodeError:
        return None
    return Format.JSONL if isinstance(data, dict) and "type" in data else None


def _read(layout: Format, files: Sequence[_File], *, paired: bool) -> Read:
    if layout is not Format.JSONL and not all(one.is_json for one in files):
        broken = next(one.name for one in files if not one.is_json)
        raise InvalidInput("dataset", f"{broken} is no JSON")
    if layout is Format.XQUAD:
        return _languages(files, paired=paired), 0
    return READERS[layout](files)


def _languages(files: Sequence[_File], *, paired: bool) -> tuple[DatasetStore, ...]:
    by_language = {_language(one.name): one.data for one in files}
    if paired:
        return squad.read_languages({_language(files[0].name): files[0].data}, files[-1].data)
    if len(files) == 1:
        return squad.read_languages(by_language, files[0].data)
    if _ENGLISH not in by_language:
        raise InvalidInput("dataset", "the folder has no xquad.en.json, whose paragraphs would be stored")
    return squad.read_languages(by_language, by_language[_ENGLISH])


def _language(name: str) -> str:
    """``de`` of ``xquad.de.json``; the name without its ending of anything else."""
    stem = name.removesuffix(".json")
    return stem.removeprefix(_XQUAD)


def _refuse_what_cannot_run(found: Sequence[DatasetStore]) -> None:
    for store in found:
        if not store.notes:
            raise InvalidInput("dataset", f"{store.name} holds no note")
        keys = {note.key for note in store.notes}
        for question in store.questions:
            named = {key for piece in question.evidence for key in piece} | set(question.forbidden)
            if named - keys:
                missing = ", ".join(sorted(named - keys))
                raise InvalidInput(
                    "dataset", f"{store.name}: a question names {missing}, which is no note of this store"
                )


def _digest(files: Sequence[_File]) -> str:
    """Of one file its own, as ``sha256sum`` prints it; of several that of their list."""
    if len(files) == 1:
        return files[0].sha256
    lines = "".join(f"{file.sha256}  {file.name}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


READERS: Mapping[Format, Callable[[Sequence[_File]], Read]] = {
    Format.LOCOMO: lambda files: locomo.read(files[0].data),
    Format.LONGMEMEVAL: lambda files: longmemeval.read(files[0].data),
    Format.SQUAD: lambda files: (squad.read(files[0].data), 0),
    Format.JSONL: lambda files: (jsonl.read(files[0].text), 0),
    Format.PRECISION: lambda files: (precision.read(files[0].data), 0),
    Format.STORES: lambda files: (stores.read([(one.name, one.data) for one in files]), 0),
}
"""All but XQuAD, which may take two files."""

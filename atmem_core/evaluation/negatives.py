"""Questions that nothing stored answers, made from the data set itself, and chores of our own.

What is made is drawn by digest, not by chance: one seed gives the same questions on every machine, and a
larger number adds to the smaller one.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TypeVar

from atmem_core.evaluation.dataset import Dataset, DatasetNote, DatasetStore, Format, Question
from atmem_core.policy.metrics import NegativeKind
from atmem_core.records import Scope
from atmem_core.text import digest

Item = TypeVar("Item")

MADE: Mapping[Format, tuple[NegativeKind, ...]] = {
    Format.LOCOMO: (
        NegativeKind.UNRELATED,
        NegativeKind.CHORE,
        NegativeKind.SAME_NAMES,
        NegativeKind.FACT_ABSENT,
    ),
    Format.JSONL: (
        NegativeKind.UNRELATED,
        NegativeKind.CHORE,
        NegativeKind.SAME_NAMES,
        NegativeKind.FACT_ABSENT,
    ),
    # These bring their own questions whose fact is absent, or have nobody's name in them.
    Format.SQUAD: (NegativeKind.UNRELATED, NegativeKind.CHORE),
    Format.XQUAD: (NegativeKind.UNRELATED, NegativeKind.CHORE),
    Format.LONGMEMEVAL: (NegativeKind.UNRELATED, NegativeKind.CHORE),
    # These are labelled throughout.
    Format.PRECISION: (),
    Format.STORES: (),
}
"""What is made for each layout, besides what the data set holds."""

_COPIES = 2
_THINNED = 0.10
"""Most notes that a copy lacks, as a share: a store with many holes would be too easy to keep silent on."""
_NEIGHBOURS = (-1, 0, 1)
"""Told around the evidence, and often about it."""


def drawn(items: Iterable[Item], count: int, *, salt: str, text: Callable[[Item], str]) -> list[Item]:
    """``count`` of the items, in the order of a digest over ``salt`` and the text of each."""
    return sorted(items, key=lambda one: digest(f"{salt}\n{text(one)}"))[:count]


def limited(dataset: Dataset, *, stores: int | None, questions: int | None, seed: int) -> Dataset:
    """The first ``stores`` stores, each with at most ``questions`` of its own questions, cases kept whole."""
    return replace(
        dataset, stores=tuple(_limited(store, questions, seed) for store in dataset.stores[:stores])
    )


def _limited(store: DatasetStore, count: int | None, seed: int) -> DatasetStore:
    if count is None:
        return store
    units = dict.fromkeys(one.case or one.text for one in store.questions)
    kept = set(drawn(units, count, salt=f"{seed}/{store.name}/own", text=str))
    return replace(store, questions=tuple(one for one in store.questions if (one.case or one.text) in kept))


def with_negatives(dataset: Dataset, *, count: int, seed: int) -> Dataset:
    """The data set with made negatives.

    Args:
        dataset: As it was read.
        count: Most of each kind a store; also no more than the store has answerable questions. 0 makes none.
        seed: Another one draws others.
    """
    kinds = MADE[dataset.format] if count > 0 else ()
    stores: list[DatasetStore] = []
    for store in dataset.stores:
        most = min(count, max(1, len(store.answerable)))
        salt = f"{seed}/{store.name}"
        others = [other for other in dataset.stores if other.name != store.name]
        made: list[Question] = []
        if NegativeKind.UNRELATED in kinds:
            made += drawn(_unrelated(store, others), most, salt=f"{salt}/unrelated", text=_text)
        if NegativeKind.SAME_NAMES in kinds:
            made += drawn(_same_names(store, others), most, salt=f"{salt}/names", text=_text)
        if NegativeKind.CHORE in kinds:
            made += drawn(_chores(store), most, salt=f"{salt}/chores", text=_text)
        stores.append(replace(store, questions=(*store.questions, *made)))
        if NegativeKind.FACT_ABSENT in kinds:
            chosen = drawn(store.answerable, most, salt=f"{salt}/absent", text=_text)
            stores += _copies_without(store, chosen)
    return replace(dataset, stores=tuple(stores))


def _text(question: Question) -> str:
    return question.text


def _negative(store: DatasetStore, text: str, kind: NegativeKind, label: str) -> Question:
    return Question(text=text, label=label, scope=_whole(store), negative=kind)


def _whole(store: DatasetStore) -> Scope:
    """The subject whose notes make up the store."""
    return Scope(subject=store.notes[0].scope.subject)


# -- another store's questions


def _unrelated(store: DatasetStore, others: Sequence[DatasetStore]) -> Iterator[Question]:
    """As they are, but for those that name somebody of this store too."""
    named = _any_of(store.speakers)
    for other in others:
        for question in other.answerable:
            if named is None or not named.search(question.text):
                yield _negative(store, question.text, NegativeKind.UNRELATED, "unrelated")


def _same_names(store: DatasetStore, others: Sequence[DatasetStore]) -> Iterator[Question]:
    """With each speaker's name replaced by that of a speaker of this store, in order of appearance."""
    asked = {question.text for question in store.questions}
    for other in others:
        named = _any_of(other.speakers)
        if named is None or not store.speakers:
            continue
        count = len(store.speakers)
        ours = {name: store.speakers[index % count] for index, name in enumerate(other.speakers)}
        for question in other.answerable:
            text = named.sub(lambda found, ours=ours: ours[found[0]], question.text)  # type: ignore[misc]
            if named.search(question.text) and text not in asked:
                yield _negative(store, text, NegativeKind.SAME_NAMES, "same names, other topic")


def _any_of(names: Sequence[str]) -> re.Pattern[str] | None:
    """Any of these names as a whole word."""
    if not names:
        return None
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


# -- evidence removed


def _copies_without(store: DatasetStore, questions: Sequence[Question]) -> list[DatasetStore]:
    """Copies of the store that lack evidence and what was told around it, with the questions about it."""
    room = max(1, int(len(store.notes) * _THINNED))
    copies: list[tuple[set[str], list[Question]]] = []
    for question in questions:
        gone = _around(store, {key for piece in question.evidence for key in piece})
        if 2 * len(gone) > len(store.notes):
            continue
        if not copies or len(copies[-1][0] | gone) > max(room, len(gone)):
            if len(copies) == _COPIES:
                break
            copies.append((set(), []))
        copies[-1][0].update(gone)
        copies[-1][1].append(_negative(store, question.text, NegativeKind.FACT_ABSENT, "evidence removed"))
    return [
        replace(
            store,
            name=f"{store.name}, copy {number}",
            notes=tuple(_told_without(store.notes, gone)),
            questions=tuple(asked),
        )
        for number, (gone, asked) in enumerate(copies, 1)
    ]


def _around(store: DatasetStore, keys: set[str]) -> set[str]:
    """These notes and their neighbours in the same session; a note without a session has none."""
    gone = set(keys)
    for index, note in enumerate(store.notes):
        if note.key not in keys or note.scope.session is None:
            continue
        for step in _NEIGHBOURS:
            near = store.notes[index + step] if 0 <= index + step < len(store.notes) else note
            if near.scope.session == note.scope.session:
                gone.add(near.key)
    return gone


def _told_without(notes: Iterable[DatasetNote], gone: set[str]) -> Iterator[DatasetNote]:
    for note in notes:
        if note.key not in gone:
            yield replace(note, supersedes=None) if note.supersedes in gone else note


# -- chores and small talk


def _chores(store: DatasetStore) -> Iterator[Question]:
    for label, texts in chores().items():
        for text in texts:
            yield _negative(store, text, NegativeKind.CHORE, label)


@cache
def chores() -> Mapping[str, tuple[str, ...]]:
    """Label, ``chore`` or ``small talk`` with its language, to texts. Written for this package."""
    data = resources.files("atmem_core.evaluation").joinpath("data", "chores.json")
    languages = json.loads(data.read_text(encoding="utf-8"))
    return {
        f"{kind}, {language}": tuple(texts)
        for language, kinds in languages.items()
        for kind, texts in kinds.items()
    }

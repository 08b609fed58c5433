"""Pairs of a question and a note, and whether the note answers: made of frames, by a seed.

How it works: a pair is drawn by kind, its slots are filled, and then question and note are disguised the
way people write. The label is set by the kind alone; a disguise never changes it. Warning: the kinds are
what the judge learns to tell apart, so a kind that is missing here is one that it will get wrong.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from atmem_core.evaluation.answerability.disguise import (
    hurried,
    keyworded,
    mistyped,
    opened,
    phrases,
    told_around,
)
from atmem_core.evaluation.answerability.frames import Fillers, Frame, filled, slots_of

FIRST = {
    "answered": 0.44,
    "fact_absent": 0.27,
    "other_value": 0.07,
    "wrong_person": 0.08,
    "same_names": 0.05,
    "unrelated": 0.04,
    "echo": 0.03,
    "chore": 0.02,
}
"""Share of each kind in the first round; ``fact_absent`` also takes those that can't be made of a frame."""
SECOND = {
    "answered": 0.31,
    "stated": 0.09,
    "fact_absent": 0.19,
    "other_value": 0.05,
    "wrong_person": 0.06,
    "tempting": 0.16,
    "same_names": 0.05,
    "unrelated": 0.04,
    "echo": 0.02,
    "chore": 0.03,
}
"""Share of each kind in the second round, nearer to what a search brings: after the first one the judge took
a note without a word of the question for a paraphrase, since the absent answers had so many in common."""
THIRD = {
    "answered": 0.2,
    "exact": 0.2,
    "stated": 0.03,
    "fact_absent": 0.24,
    "other_value": 0.05,
    "wrong_person": 0.06,
    "tempting": 0.12,
    "same_names": 0.03,
    "unrelated": 0.02,
    "echo": 0.02,
    "chore": 0.03,
}
"""Share of each kind in the third round: after the second one a question in the note's own words still
counted as one of the absent details, which are asked in such words."""
ANSWERED = frozenset({"answered", "exact", "stated"})
"""The kinds whose note answers."""
_TOLD_BY_A_FRIEND = 0.3
_MISTYPED, _OPENED, _KEYWORDED = 0.13, 0.25, 0.31
"""Where one roll ends that chooses a disguise of the wording."""
_HURRIED = 0.2
_TOLD_AROUND = 0.1
_WITH_AN_ASIDE = 0.08
_EVEN = 0.5
_PHRASE_WORDS = (3, 6)
_CHECKS = (
    "is it true that",
    "did I say that",
    "am I right that",
    "so",
    "is it right that",
    "have I told you that",
)
_SPEAKER_CHARS = 20
"""A colon within these means that a turn begins with its speaker."""
_MY = re.compile(r"\bmy\b")
_FIRST_PERSON = re.compile(r"\b(?:i|me|i'm|i've|i'd|mine|we|our|us|ours|myself)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question, a note, and whether the note alone answers it."""

    question: str
    note: str
    answered: bool
    kind: str


_Drawn = tuple[str | None, str]
"""Question and note; no question when the kind can't be made of the frame."""


class Generator:
    """Endless pairs from frames; the same frames and seed give the same pairs.

    Args:
        frames: What pairs are made of.
        fillers: Values of slots.
        seed: Of every choice.
        mix: Share of each kind.
        near: Question to the notes of other frames that lie nearest to it, for the kind ``tempting``.
    """

    def __init__(
        self,
        frames: Sequence[Frame],
        fillers: Fillers,
        *,
        seed: int,
        mix: Mapping[str, float] = FIRST,
        near: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._frames = frames
        self._mix = mix
        self._near = near or {}
        self._fillers = fillers
        self._chance = random.Random(seed)  # noqa: S311 - repeatable choices, nothing secret
        self._domains = {
            domain: [frame for frame in frames if frame.domain == domain]
            for domain in {frame.domain for frame in frames}
        }
        self._ways: Mapping[str, Callable[[Frame, dict[str, str], str], _Drawn]] = {
            "answered": self._answered,
            "exact": self._exact,
            "stated": self._stated,
            "tempting": self._tempting,
            "fact_absent": self._fact_absent,
            "other_value": self._other_value,
            "wrong_person": self._wrong_person,
            "same_names": self._same_names,
            "unrelated": self._unrelated,
            "echo": self._echo,
            "chore": self._chore,
        }

    def pairs(self, count: int) -> Iterator[Pair]:
        """That many pairs, every frame about as often."""
        order: list[Frame] = []
        for _ in range(count):
            if not order:
                order = list(self._frames)
                self._chance.shuffle(order)
            yield self._pair(order.pop())

    def _pair(self, frame: Frame) -> Pair:
        kind = self._chance.choices(list(self._mix), list(self._mix.values()))[0]
        texts = (*frame.notes, *frame.yes, *frame.no)
        values = self._fillers.draw(slots_of(*texts, "{person} {person2}"), self._chance)
        question, note = self._drawn(kind, frame, values)
        if question is None:  # the kind can't be made of this frame
            kind = "fact_absent"
            question, note = self._drawn(kind, frame, values)
        return Pair(
            question=self._asked(question or "", frame),
            note=self._kept(note, frame),
            answered=kind in ANSWERED,
            kind=kind,
        )

    def _drawn(self, kind: str, frame: Frame, values: dict[str, str]) -> _Drawn:
        note = filled(self._chance.choice(frame.notes), values)
        return self._ways[kind](frame, values, note)

    def _answered(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        """Now and then a friend tells it, and the question names the friend."""
        question = filled(self._chance.choice(frame.yes), values)
        named = self._named(question, values["person2"])
        told_by_user = not any(mark in "".join(frame.notes) for mark in ("{person2}", "{person}:"))
        if named is not None and told_by_user and self._now_and_then(_TOLD_BY_A_FRIEND):
            return named, f"{values['person2']}: {note}"
        return question, note

    def _exact(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        return filled(self._chance.choice(frame.exact), values), note

    def _stated(self, _frame: Frame, _values: dict[str, str], note: str) -> _Drawn:
        """The note's own words: a few of them in a row, or all of them with a question mark."""
        told = note.partition(": ")[2] or note
        words = told.rstrip(".!?").split()
        if len(words) <= _PHRASE_WORDS[1] or self._now_and_then(_EVEN):
            opener = self._chance.choice(_CHECKS)
            return f"{opener} {told[:1].lower()}{told[1:].rstrip('.!?')}?", note
        length = self._chance.randint(*_PHRASE_WORDS)
        start = self._chance.randrange(len(words) - length + 1)
        return " ".join(words[start : start + length]).strip(",;:").lower(), note

    def _tempting(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        """Of all notes about something else, one of those whose meaning lies nearest to the question."""
        question = self._chance.choice((*frame.yes, *frame.no))
        others = self._near.get(question)
        if not others:
            return None, note
        other = self._chance.choice(others)
        drawn = self._fillers.draw(slots_of(other), self._chance)
        return filled(question, values), filled(other, {**drawn, **values})

    def _named(self, question: str, owner: str) -> str | None:
        """With "my boss" as "Anna's boss"; None when the question speaks of "I" besides."""
        if not _MY.search(question) or _FIRST_PERSON.search(question):
            return None
        return _MY.sub(f"{owner}'s", question, count=1)

    def _fact_absent(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        return filled(self._chance.choice(frame.no), values), note

    def _wrong_person(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        """The same question about somebody whom the note doesn't name."""
        stranger = self._fillers.another("person", set(values.values()), self._chance)
        asked = list(frame.yes)
        self._chance.shuffle(asked)
        for question in asked:
            if "{person}" in question:
                return filled(question, {**values, "person": stranger}), note
            named = self._named(filled(question, values), stranger)
            if named is not None:
                return named, note
        return None, note

    def _other_value(self, frame: Frame, values: dict[str, str], note: str) -> _Drawn:
        """The same question with another value in one of its slots."""
        asked = [question for question in frame.yes if slots_of(question)]
        if not asked:
            return None, note
        question = self._chance.choice(asked)
        slot = self._chance.choice(sorted(slots_of(question)))
        return filled(question, {**values, slot: self._other(slot, values)}), note

    def _other(self, slot: str, values: dict[str, str]) -> str:
        """Another value; of one that holds digits, often the same with one digit changed."""
        digits = [at for at, letter in enumerate(values[slot]) if letter.isdigit()]
        if not digits or self._now_and_then(_EVEN):
            return self._fillers.another(slot, set(values.values()), self._chance)
        at = self._chance.choice(digits)
        digit = self._chance.choice([one for one in "123456789" if one != values[slot][at]])
        return values[slot][:at] + digit + values[slot][at + 1 :]

    def _same_names(self, frame: Frame, values: dict[str, str], _note: str) -> _Drawn:
        """Another fact of the domain, told of the same people and things."""
        other = self._chance.choice(self._domains[frame.domain])
        return self._unless(other, frame, values), self._told_by(other, values)

    def _unrelated(self, frame: Frame, values: dict[str, str], _note: str) -> _Drawn:
        other = self._chance.choice(self._frames)
        return self._unless(other, frame, values), self._told_by(other, None)

    def _unless(self, other: Frame, frame: Frame, values: dict[str, str]) -> str | None:
        """A question of the frame, unless the other is the same one."""
        if other is frame:
            return None
        return filled(self._chance.choice((*frame.yes, *frame.no)), values)

    def _echo(self, frame: Frame, values: dict[str, str], _note: str) -> _Drawn:
        """The note only asks, the same or something alike."""
        question = filled(self._chance.choice((*frame.yes, *frame.no)), values)
        again = filled(self._chance.choice((*frame.yes, *frame.no)), values)
        return question, self._chance.choice((question, again)) + ("" if "?" in again else "?")

    def _chore(self, _frame: Frame, _values: dict[str, str], note: str) -> _Drawn:
        return self._chance.choice(phrases()["chores"]), note

    def _now_and_then(self, share: float) -> bool:
        return self._chance.random() < share

    def _told_by(self, frame: Frame, values: dict[str, str] | None) -> str:
        note = self._chance.choice(frame.notes)
        drawn = self._fillers.draw(slots_of(note), self._chance)
        return filled(note, drawn if values is None else {**drawn, **values})

    def _asked(self, question: str, frame: Frame) -> str:
        chance = self._chance
        roll = chance.random()
        if roll < _MISTYPED:
            question = mistyped(question, chance)
        elif roll < _OPENED:
            question = opened(question, chance)
        elif roll < _KEYWORDED:
            question = keyworded(question)
        if self._now_and_then(_HURRIED):
            question = hurried(question)
        if self._now_and_then(_TOLD_AROUND):
            return told_around(question, self._aside(frame), chance)
        return question

    def _aside(self, frame: Frame) -> str | None:
        other = self._chance.choice(self._domains[frame.domain])
        return None if other is frame else self._told_by(other, None)

    def _kept(self, note: str, frame: Frame) -> str:
        """The note, now and then with a sentence about something else in it."""
        aside = self._aside(frame) if self._now_and_then(_WITH_AN_ASIDE) else None
        if aside is None or ":" in aside[:_SPEAKER_CHARS]:
            return note
        first = ":" in note[:_SPEAKER_CHARS] or self._now_and_then(_EVEN)
        return f"{note} {aside}" if first else f"{aside} {note}"

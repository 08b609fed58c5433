"""Notes and queries that are made up, but hold words about as often as English does.

The words are the package's own word list, which stands in order of frequency: drawn with Zipf's law, a
note has the share of function words that a real one has. Meaning it has none; its vectors are drawn.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import accumulate

from atmem_core.text import stopwords_of
from atmem_core.text.lexicon import VOCABULARY_FILE

_LEAST, _MOST = 20, 40
"""Words of a note."""
SPEAKERS = ("Clara", "Oliver")
"""Who says the notes, in turn; a speaker's name is indexed with what was said."""
_NAMES = frozenset(
    "john david anna mary peter maria thomas emma daniel sarah lucas nora oliver clara".split()
)
_QUESTIONS = (
    "What was the name of the {a} that I used for the {b}?",
    "When did we last talk about the {a} and the {b} of the {c}?",
    "Where did I put the {a} after the {b}?",
    "Who told me that the {a} was {b} before the {c} came?",
    "How many of the {a} are still in the {b}, and why is the {c} so {d}?",
    "Do you remember which {a} I wanted to take to the {b} next year?",
)
_NAMING = (
    "What did {name} say about the {a} and the {b}?",
    "When did {name} go to the {a} with the {b}?",
    "Why is {name} so {a} about the {b} of the {c}?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query and the note that it was made from."""

    text: str
    note: int


@cache
def vocabulary() -> tuple[str, ...]:
    """English words, most frequent first."""
    listed = resources.files("atmem_core.text").joinpath("data", VOCABULARY_FILE)
    lines = listed.read_text(encoding="utf-8").split("\n")
    return tuple(line for line in lines if line.isalpha() and (len(line) > 1 or line in "ai"))


@cache
def _cumulated() -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, len(vocabulary()) + 1)))


def notes(count: int, *, seed: int) -> list[str]:
    """Distinct texts of 20 to 40 words; the same ones for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - nobody's secret
    return [_note(rng) for _ in range(count)]


def _note(rng: random.Random) -> str:
    drawn = [_word(rng) for _ in range(rng.randint(_LEAST, _MOST))]
    middle = len(drawn) // 2
    return f"{_sentence(drawn[:middle])} {_sentence(drawn[middle:])}"


def _word(rng: random.Random) -> str:
    weights = _cumulated()
    return vocabulary()[bisect(weights, rng.random() * weights[-1])]


def _sentence(drawn: Sequence[str]) -> str:
    named = [word.capitalize() if word in _NAMES else word for word in drawn]
    return " ".join([named[0].capitalize(), *named[1:]]) + "."


def keywords(texts: Sequence[str], count: int, *, seed: int) -> list[Asked]:
    """Three to five content words of a note, none of the commonest 300 words of English."""
    rng = random.Random(seed)  # noqa: S311 - nobody's secret
    common = frozenset(vocabulary()[:300])
    return [_asked(rng, texts, common, shape=None) for _ in range(count)]


def questions(texts: Sequence[str], count: int, *, seed: int) -> list[Asked]:
    """Whole questions about words of a note, common ones too."""
    rng = random.Random(seed)  # noqa: S311 - nobody's secret
    common = frozenset(vocabulary()[:60])
    return [_asked(rng, texts, common, shape=rng.choice(_QUESTIONS)) for _ in range(count)]


def naming(texts: Sequence[str], count: int, *, seed: int) -> list[Asked]:
    """Questions that name one of the two speakers, as nearly all about a conversation do."""
    rng = random.Random(seed)  # noqa: S311 - nobody's secret
    common = frozenset(vocabulary()[:60])
    return [_asked(rng, texts, common, shape=rng.choice(_NAMING)) for _ in range(count)]


def speaker(at: int) -> str:
    """Of the note at this place."""
    return SPEAKERS[at % len(SPEAKERS)]


def _asked(rng: random.Random, texts: Sequence[str], common: frozenset[str], *, shape: str | None) -> Asked:
    note = rng.randrange(len(texts))
    said = texts[note].lower().replace(".", "").split()
    content = [word for word in said if word not in common | stopwords_of(said)]
    while len(content) < 4:
        content.append(_word(rng))
    if shape is None:
        return Asked(text=" ".join(rng.sample(content, min(len(content), rng.randint(3, 5)))), note=note)
    words = dict(zip("abcd", rng.sample(content, 4), strict=True))
    return Asked(text=shape.format(name=speaker(note), **words), note=note)

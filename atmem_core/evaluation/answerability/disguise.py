"""Ways in which people really ask: with typos, in a hurry, or at the end of a long story."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

_WORD = re.compile(r"[a-z]{4,}")
_SMALL_WORDS = frozenset(
    "a an the i i'm i've my me mine we our us you your is are was were am be been do does did have has had"
    " to of in on at for with and or but by from it its this that there any can could will would should"
    " some".split()
)
_OPENED_AT_THE_START = 0.6
"""Share; the others get a word at their end."""
_ASIDE_TOLD = 0.5
"""Share of the stories that hold the aside, where there is one."""


@cache
def phrases() -> Mapping[str, Sequence[str]]:
    """What people say around a question; ``phrases.json``."""
    found: Mapping[str, Sequence[str]] = json.loads(
        resources.files(__package__).joinpath("phrases.json").read_text("utf-8")
    )
    return found


def mistyped(text: str, chance: random.Random) -> str:
    """One or two words with a letter lost, doubled, swapped or replaced; names and numbers stay."""
    for _ in range(chance.choice((1, 1, 2))):
        words = list(_WORD.finditer(text))
        if not words:
            break
        word = chance.choice(words)
        at = word.start() + chance.randrange(len(word.group()) - 1)
        before, here, after = text[:at], text[at : at + 2], text[at + 2 :]
        text = before + _slipped(here, chance) + after
    return text


def _slipped(pair: str, chance: random.Random) -> str:
    first, second = pair[0], pair[1]
    swapped, lost, doubled = second + first, first, first + first + second
    replaced, doubled_after = chance.choice("aeionrst") + second, first + second + second
    return chance.choice((swapped, lost, doubled, replaced, doubled_after))


def keyworded(text: str) -> str:
    """Only the words that carry topic, at most six; the text itself when hardly any would be left."""
    words = [word for word in re.findall(r"[\w'&.:/-]+", text) if word.casefold() not in _SMALL_WORDS]
    return " ".join(words[:6]).rstrip(".:") if len(words) > 1 else text


def hurried(text: str) -> str:
    """Lower case, no question mark."""
    return text.lower().rstrip("?.! ")


def told_around(text: str, aside: str | None, chance: random.Random) -> str:
    """The question after one to three sentences that have nothing to do with it.

    Args:
        text: The question.
        aside: A statement about something else, put before it now and then.
        chance: Source of every choice.
    """
    said = phrases()
    before = chance.sample(said["preambles"], chance.choice((1, 1, 2)))
    if aside is not None and chance.random() < _ASIDE_TOLD:
        before.insert(chance.randrange(len(before) + 1), chance.choice(said["bridges"]) + aside)
    return " ".join((*before, text))


def opened(text: str, chance: random.Random) -> str:
    """With a word before or after it."""
    said = phrases()
    if chance.random() < _OPENED_AT_THE_START:
        return chance.choice(said["openers"]) + text
    return text + chance.choice(said["closers"])

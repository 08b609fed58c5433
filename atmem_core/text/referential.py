"""Does a message point back at what was said before it? By its words alone, in five languages.

English and Russian words count in every message. German, Spanish and French ones count only where the message
is in that language: "es" is a pronoun in one of them and a verb in another. Chinese, Japanese and Thai put no
spaces between words, so that each message there is one word and points back.
"""

import re
from dataclasses import dataclass

from atmem_core.text.normalise import fold
from atmem_core.text.stopwords import language_of

_FEW_WORDS = 5
_EDGES = re.compile(r"^\W+|\W+$")
_PARTS = re.compile(r"['’‐‑-]")
_POLITE = frozenset("Sie Ihr Ihre Ihren Ihrem Ihrer Ihnen".split())
"""In German the capital makes "they" and "their" a polite "you" and "your", but for the first word."""


@dataclass(frozen=True, slots=True)
class _Words:
    questions: frozenset[str]
    pointing: frozenset[str]
    joining: frozenset[str]
    """Conjunctions, as a first word."""


def _words(*, questions: str, pointing: str, joining: str) -> _Words:
    return _Words(*(frozenset(words.split()) for words in (questions, pointing, joining)))


_EVERYWHERE = _words(
    questions="what when where why how who which whose whom что когда где почему зачем как кто какой какая какие",
    pointing=(
        "it that they them those this these same more its their theirs he she him her his hers ones else instead "
        "latter former "
        "он она оно они это то такой такая такие ещё еще его её ее их ему ей им этот эта эти тот та те"
    ),
    joining="and but also а и но ещё еще или",
)
_BY_LANGUAGE = {
    "de": _words(
        questions=(
            "was wann wo wohin woher warum wieso weshalb wie wer wen wem wessen welche welcher welches welchen "
            "welchem womit wofür worüber"
        ),
        pointing=(
            "er sie es ihn ihm ihr ihre ihren ihrem ihrer ihnen sein seine seinen seinem seiner dies diese dieser "
            "dieses diesen diesem jene jener jenes jenen dessen deren davon dazu damit dafür darüber daran dabei "
            "dasselbe derselbe dieselbe mehr"
        ),
        joining="und aber auch oder sondern",
    ),
    "es": _words(
        questions=(
            "qué que cuándo cuando dónde donde cómo como quién quien quiénes cuál cual cuáles cuánto cuánta cuántos "
            "cuántas adónde"
        ),
        pointing=(
            "él ella ellos ellas ello eso esa ese esos esas esto esta este estos estas aquello aquel aquella suyo "
            "suya mismo misma más otro otra"
        ),
        joining="y e pero también o u",
    ),
    "fr": _words(
        questions="quoi quand où pourquoi comment qui quel quelle quels quelles combien que qu lequel laquelle",
        pointing=(
            "il elle ils elles lui leur leurs eux ça cela ceci celui celle ceux celles cet cette ces même mêmes encore"
        ),
        joining="et mais aussi ou",
    ),
}


def points_back(message: str) -> bool:
    """Is it five words at most without a question word, or is there a pronoun, or a conjunction in front?

    A blank message points nowhere.
    """
    spoken = [word for word in (_EDGES.sub("", part) for part in message.split()) if word]
    if not spoken:
        return False
    parts = [_parts(word) for word in spoken]
    every = {part for group in parts for part in group}
    lists = [_EVERYWHERE]
    language = language_of(fold(part) for part in every)
    if language in _BY_LANGUAGE:
        lists.append(_BY_LANGUAGE[language])
    short = len(spoken) <= _FEW_WORDS
    if short and not any(every & words.questions for words in lists):
        return True
    pointing = {part for at, word in enumerate(spoken) if not (at and word in _POLITE) for part in parts[at]}
    return any(pointing & words.pointing or parts[0][0] in words.joining for words in lists)


def _parts(word: str) -> list[str]:
    """A word in lower case, cut at apostrophes and hyphens: "what's" holds "what"."""
    lower = word.lower()
    return [part for part in _PARTS.split(lower) if part] or [lower]

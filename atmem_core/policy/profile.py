"""Which profile facts bear on a message. Pure.

A keyword must stand in the message as a whole word. What a word is goes by Unicode: a Cyrillic keyword isn't
found inside a longer word. In scripts without spaces, where nothing parts two words, it may stand anywhere.
"""

import re
from functools import lru_cache

from atmem_core.text import fold

_UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def bears_on(keywords: tuple[str, ...], message: str) -> bool:
    """Does the message hold one of the keywords, whatever the case?"""
    folded = fold(message)
    return any(_word(keyword).search(folded) for keyword in keywords)


@lru_cache(maxsize=4_096)
def _word(keyword: str) -> re.Pattern[str]:
    plain = fold(keyword)
    if _UNSPACED.search(plain):
        return re.compile(re.escape(plain))
    return re.compile(rf"(?<!\w){re.escape(plain)}(?!\w)")

"""Stems, one word at a time, remembered for the process."""

import snowballstemmer

_LIMIT = 200_000
_SHORTEST = 3


class _Stems(dict[str, str]):
    """Word to stem. A dict, since ``stems[word]`` on the hot path must cost a look-up and no call."""

    def __init__(self) -> None:
        super().__init__()
        self._stem_word = snowballstemmer.stemmer("porter").stemWord

    def __missing__(self, word: str) -> str:
        if len(self) >= _LIMIT:
            self.clear()
        # FTS5's porter leaves words under three letters alone; Snowball's would make "is" an "i".
        plain = len(word) < _SHORTEST or not word.isalpha()
        found: str = word if plain else self._stem_word(word)
        self[word] = found
        return found


STEMS = _Stems()
"""Folded word to Porter stem; numbers and identifiers are their own stem."""


def stem(word: str) -> str:
    """The Porter stem of a folded word, as the keyword index makes it but for ``logi`` and ``bli``."""
    return STEMS[word]


def forget_stems() -> None:
    """Drop the memo: after an erase no word of it may stay in this process."""
    STEMS.clear()

"""A word list of English: which words are surely no slip of the pen.

The list is the vocabulary of uncased BERT (see NOTICE). A query word that stands in it is never
"corrected" to a stored one: "breed" isn't a misspelt "bread".
"""

from functools import cache
from importlib import resources

VOCABULARY_FILE = "bert-uncased-vocab.txt"
"""Name of the word list in the package's data; one token a line, ``##`` before word parts."""


@cache
def _words() -> frozenset[str]:
    listed = resources.files("atmem_core.text").joinpath("data", VOCABULARY_FILE)
    return frozenset(line for line in listed.read_text(encoding="utf-8").split("\n") if line.isalpha())


def is_known_word(word: str) -> bool:
    """Is this folded word, or its plain singular, in the list?"""
    words = _words()
    return word in words or (word.endswith("s") and word[:-1] in words)

"""Text at the boundary: made storable, made comparable."""

import hashlib
import re
import unicodedata

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_MARKED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")


def storable(text: str) -> str:
    """``text`` without NUL and with each lone surrogate as U+FFFD; all else stays byte for byte.

    SQLite ends a string at NUL in places, and a lone surrogate can't be encoded at all.
    """
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(lambda found: "" if found[0] == "\0" else "\ufffd", text)


def canonical(text: str) -> str:
    """NFC with each run of white space as one space and none at the ends: what equality means."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def digest(*parts: str | None) -> str:
    """SHA-256 in hex over the parts, each with its length, so that no two lists collide."""
    hasher = hashlib.sha256()
    for part in parts:
        data = b"" if part is None else part.encode("utf-8", "replace")
        head = "-" if part is None else str(len(data))
        hasher.update(f"{head}:".encode())
        hasher.update(data)
    return hasher.hexdigest()


def fold(word: str) -> str:
    """Compatibility form, case folded, accents dropped where a script's readers drop them.

    Marks stay in scripts that spell with them (Devanagari, Thai, Hebrew, Arabic ...).
    """
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word).casefold()
    kept: list[str] = []
    drop = False
    for char in unicodedata.normalize("NFD", word):
        if unicodedata.category(char) != "Mn":
            drop = unicodedata.name(char, "").startswith(_MARKED_SCRIPTS)
        elif drop:
            continue
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity; 0 to 1, and 0 for two empty sets."""
    either = one | other
    return len(one & other) / len(either) if either else 0.0

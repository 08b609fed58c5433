"""Predicates: one form of each, and which of them can have one value at a time.

Rule: only what the lists name is single-valued; anything else may be true beside itself. How it works: a
predicate is folded to words, without auxiliaries at its start, and looked up. Warning: a wrong entry here
closes facts that are still true; one that is missing leaves two facts standing, which recall then shows.
"""

import re

from atmem_core.text import fold

_BREAK = re.compile(r"[\s_\-/]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LEADING = frozenset("is are was am has have be been being does do the a an currently now still s".split())
_TRAILING = frozenset("is are was be of to the a an now currently".split())

_SAME: dict[str, tuple[str, ...]] = {
    "lives in": (
        "live in", "living in", "resides in", "reside in", "residence", "place of residence", "home city",
        "city of residence", "home town now", "moved to", "based in", "located in", "lives at", "living at",
        "current city", "current location", "city", "home location", "lives",
    ),
    "address": ("home address", "postal address", "street address"),
    "name": ("named", "called", "name is", "first name", "full name", "goes by"),
    "age": ("years old", "aged", "age is"),
    "birthday": ("birth date", "date of birth", "birthdate", "born on", "dob", "birthday is"),
    "works at": (
        "works for", "work at", "work for", "working at", "working for", "employed by", "employed at",
        "employer", "employer is", "company",
    ),
    "works as": (
        "work as", "working as", "job", "job is", "job title", "occupation", "profession", "employed as",
        "role",
    ),
    "married to": ("spouse", "spouse is", "husband", "wife", "husband is", "wife is", "marries"),
    "engaged to": ("fiance", "fiancee"),
    "partner": ("boyfriend", "girlfriend", "partner is", "in relationship with", "dating"),
    "marital status": ("relationship status", "civil status"),
    "phone number": ("phone", "telephone", "telephone number", "mobile", "mobile number", "phone number is"),
    "time zone": ("timezone",),
    "native language": ("mother tongue", "first language"),
    "nationality": ("citizenship",),
    "height": ("tall",),
    "weight": ("weighs",),
    "breed": ("breed is",),
    "colour": ("color",),
    "studies at": ("study at", "studying at"),
    "dentist": (), "doctor": ("gp", "family doctor"), "manager": ("boss",), "landlord": (),
    "password": (), "shoe size": (), "blood type": (), "gender": (), "pronouns": (), "star sign": (),
}  # fmt: skip
"""Single-valued predicates, folded, and other ways to write each."""
_CANONICAL = {one: name for name, ways in _SAME.items() for one in (name, *ways)}
_FAVOURITE = re.compile(r"^(?:favou?rite|preferred)\s+(.+)$")
_FAVOURITE_ALONE = frozenset({"favourite", "favorite", "preferred"})


def folded(text: str) -> str:
    """Words in lower case, one space between them."""
    spaced = _BREAK.sub(" ", _CAMEL.sub(" ", text))
    return " ".join(fold(word).strip(".,:;!?\"'") for word in spaced.split())


def predicate_key(predicate: str) -> str:
    """The one form by which equal predicates are equal: ``lives_in``, ``Lives in`` and ``resides in``."""
    words = folded(predicate).split()
    plain = " ".join(words)
    if plain in _CANONICAL:
        return _CANONICAL[plain]
    while len(words) > 1 and words[0] in _LEADING:
        words = words[1:]
    core = " ".join(words)
    if core in _CANONICAL:
        return _CANONICAL[core]
    while len(words) > 1 and words[-1] in _TRAILING:
        words = words[:-1]
    short = " ".join(words)
    favourite = _FAVOURITE.match(short)
    if favourite:
        return f"favourite {favourite[1]}"
    # A trailing preposition tells "works at" from "works as", so it stays unless what is left is known.
    return _CANONICAL.get(short, core)


def is_single(predicate: str) -> bool:
    """Can it have one value at a time?"""
    key = predicate_key(predicate)
    if key in _SAME:
        return True
    head, _, rest = key.partition(" ")
    return head == "favourite" and bool(rest) and key not in _FAVOURITE_ALONE

"""Pieces of English that the rules are made of, and what a match must not be.

Patterns match in any case; ``cased`` asks for capitals, which tell names from words.
"""

import re
from collections.abc import Mapping

NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'-]*(?:[ ](?:[A-Z][\w'-]*|de|da|van|von|der|la|el|bin|al))*"
PLACE = r"(?:the |a |an )?[A-Z][\w'.-]*(?:[ ,]+(?:[A-Z][\w'.-]*|of|de|do|la|upon|am))*"
WHEN_TAIL = (
    r"(?:[ ,]+(?:now|nowadays|these days|currently|again|already|too|as well|instead|at the moment|"
    r"since .+|for .+ (?:years?|months?|weeks?)(?: now)?|last .+|this .+|in (?:19|20)\d\d|"
    r"(?:a|two|three|few|\d+) \w+ ago|with .+|recently|yesterday|today)|, (?:in|near|on|at|by|close|right|just|up) .+)?"
)
ADVERB = r"(?:(?:really|absolutely|just|still|now|currently|also|actually|always|simply|totally|especially|recently) )*"
SPEAKER = r"(?:i|we)"
AM = r"(?:i am|i'm)"
HAVE = r"(?:i have|i've got|i have got|i own|we have|we've got|we own)"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
DAY = rf"(?:the )?[\w ,./-]*(?:\d|{MONTHS})[\w ,./-]*"
KIN = (
    "mother|father|mum|mom|dad|sister|brother|son|daughter|wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|"
    "aunt|uncle|cousin|niece|nephew|grandma|grandmother|grandpa|grandfather|stepson|stepdaughter|"
    "friend|best friend|neighbour|neighbor|colleague|boss|manager|doctor|dentist|therapist|landlord|landlady|"
    "roommate|flatmate|supervisor|teacher|coach|lawyer|accountant|vet"
)
OTHERS = "visitor|guest|client|customer|patient|student|tenant|lodger|child|kid"
PET = "dog|cat|puppy|kitten|horse|rabbit|hamster|parrot|pony|tortoise|turtle|goldfish|guinea pig|bird|snake"
OWNABLE = (
    rf"{PET}|{KIN}|child|children|kids?|sons|daughters|sisters|brothers|twins|dogs|cats|horses|rabbits|chickens|bees|"
    "car|bike|bicycle|motorbike|motorcycle|scooter|boat|van|house|flat|apartment|garden|allotment|cabin|piano|guitar|"
    "violin|drum kit|tesla|vespa|caravan|greenhouse|farm|shop|bakery|studio"
)
NUMBER = "a|an|one|two|three|four|five|six|seven|eight|nine|ten|\\d+|some|several"


def cased(shape: str) -> str:
    """The shape with its capitals as they stand, in a pattern that matches in any case."""
    return f"(?-i:{shape})"


# In words: what is longer is a sentence of its own.
LONG_ROLE = 4
LONG_THING = 8
LONG_PART = 10
LONG_PLAN = 14
NO_OBJECT = frozenset(
    "it that this them him her you to how when if what where why the idea way fact your my be being having "
    "these those there so not nothing everything something anything one ones both".split()
)
NO_NAMES = NO_OBJECT | frozenset(
    "she he i we who which there here today tomorrow yesterday nobody everybody somebody everyone someone no yes "
    "english german french spanish monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Capitals that are no names: they start a sentence."""
ROLE_ENDS = re.compile(
    r"(?:ist|ian|eer|er|or|ant|nurse|chef|pilot|student|vegan|vegetarian|twin|widow|widower|judge|cook|clerk|"
    r"journalist|mother|father|dad|mum|mom|grandmother|grandfather|monk|priest|nun|midwife|mechanic|surgeon|"
    r"athlete|diplomat|architect|accountant|consultant|spy|guide|therapist|veteran|pharmacist|diabetic|coeliac)$",
    re.I,
)
NO_ROLE = frozenset(
    "bother loser number matter member beginner lover believer sucker fighter owner user customer stranger "
    "former other another winner computer bit fan disaster monster author supporter follower".split()
)


def is_liked(parts: Mapping[str, str]) -> bool:
    """A thing, not "it", "how you ..." or a whole further sentence."""
    liked = parts["thing"].split()
    return liked[0].lower() not in NO_OBJECT and len(liked) <= LONG_THING and not MORE.search(parts["thing"])


MORE = re.compile(
    r"\b(?:i|you|he|she|we|they|it|because|but|if|when|which|who|that|would|could|should|was|is|are|were|did)\b",
    re.I,
)


def is_role(parts: Mapping[str, str]) -> bool:
    """A trade or a way of life, not "a bit tired"."""
    role = parts["role"].split()
    head = role[-1].lower()
    return (
        len(role) <= LONG_ROLE
        and bool(ROLE_ENDS.search(head))
        and head not in NO_ROLE
        and role[0] not in HEDGES
    )


HEDGES = frozenset(
    {"bit", "little", "big", "huge", "great", "better", "terrible", "good", "bad", "real", "total"}
)


def is_plain(parts: Mapping[str, str]) -> bool:
    """No further clause in any part, and none of them long."""
    return all(
        len(value.split()) <= LONG_PART and not MORE.search(value)
        for name, value in parts.items()
        if value and name != "verb"
    )


def is_anothers(parts: Mapping[str, str]) -> bool:
    """Somebody lives and works at a place with a name; what they like is a thing."""
    thing = parts["thing"]
    if parts["verb"].startswith(("lives", "works at", "works for")):
        return thing[0].isupper() and is_plain(parts)
    return is_liked(parts) and is_plain(parts)


def is_planned(parts: Mapping[str, str]) -> bool:
    """Something that is settled, in a few words."""
    return len(parts["plan"].split()) <= LONG_PLAN and not re.search(
        r"\b(?:if|maybe|perhaps|but)\b", parts["plan"], re.I
    )


TIME = (
    r"(?:next|this|in|on|at the end of|by|before|after) "
    rf"(?:the )?(?:\d|{MONTHS}|"
    r"spring|summer|autumn|fall|winter|week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"weekend|christmas|easter|new year|may|two|three|four|a )"
)

"""The rules: shapes of English statements, and the fact that each gives.

Rule: precise rather than eager. A shape matches a whole clause from its first word, so that what is
reported, supposed or asked never matches. How it works: named groups are the parts; ``check`` may refuse.
Warning: each new shape needs cases both ways in the tests.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_NAME = r"[A-Z][\w'-]*(?:[ ](?:[A-Z][\w'-]*|de|da|van|von|der|la|el|bin|al))*"
_PLACE = r"(?:the |a |an )?[A-Z][\w'.-]*(?:[ ,]+(?:[A-Z][\w'.-]*|of|de|do|la|upon|am))*"
_WHEN_TAIL = (
    r"(?:[ ,]+(?:now|nowadays|these days|currently|again|already|too|as well|instead|at the moment|"
    r"since .+|for .+ (?:years?|months?|weeks?)(?: now)?|last .+|this .+|in (?:19|20)\d\d|"
    r"(?:a|two|three|few|\d+) \w+ ago|with .+|recently|yesterday|today))?"
)
_ADVERB = r"(?:(?:really|absolutely|just|still|now|currently|also|actually|always|simply|totally|especially|recently) )*"
_I = r"(?:i|we)"
_AM = r"(?:i am|i'm)"
_HAVE = r"(?:i have|i've got|i have got|i own|we have|we've got|we own)"
_KIN = (
    "mother|father|mum|mom|dad|sister|brother|son|daughter|wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|"
    "aunt|uncle|cousin|niece|nephew|grandma|grandmother|grandpa|grandfather|stepson|stepdaughter|"
    "friend|best friend|neighbour|neighbor|colleague|boss|manager|doctor|dentist|therapist|landlord|landlady|"
    "roommate|flatmate|supervisor|teacher|coach|lawyer|accountant|vet"
)
_OTHERS = "visitor|guest|client|customer|patient|student|tenant|lodger|child|kid"
_PET = "dog|cat|puppy|kitten|horse|rabbit|hamster|parrot|pony|tortoise|turtle|goldfish|guinea pig|bird|snake"
_OWNABLE = (
    rf"{_PET}|{_KIN}|child|children|kids?|sons|daughters|sisters|brothers|twins|dogs|cats|horses|rabbits|chickens|bees|"
    "car|bike|bicycle|motorbike|motorcycle|scooter|boat|van|house|flat|apartment|garden|allotment|cabin|piano|guitar|"
    "violin|drum kit|tesla|vespa|caravan|greenhouse|farm|shop|bakery|studio"
)
_NUMBER = "a|an|one|two|three|four|five|six|seven|eight|nine|ten|\\d+|some|several"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One shape of statement."""

    name: str
    """Kind and shape, such as ``identity: name``."""
    shape: re.Pattern[str]
    predicate: str
    """May hold groups, as in ``has a {relation}``."""
    stated: str
    """The object, from groups."""
    entity: str = ""
    """Empty: the speaker. May hold groups."""
    single: bool = False
    """One value at a time: a listed prior of the same predicate is superseded."""
    check: Callable[[Mapping[str, str]], bool] = lambda _: True


def _rule(name: str, shape: str, predicate: str, stated: str, **more: object) -> Rule:
    # Verbs in any case; names are told apart by their capitals, which (?-i:...) asks for.
    pattern = re.compile(shape + r"[\s.!…]*$", re.I)
    return Rule(name=name, shape=pattern, predicate=predicate, stated=stated, **more)  # type: ignore[arg-type]


def _cased(shape: str) -> str:
    return f"(?-i:{shape})"


# In words: what is longer is a sentence of its own.
_LONG_ROLE = 4
_LONG_THING = 8
_LONG_PART = 10
_LONG_PLAN = 14
_NO_OBJECT = frozenset(
    "it that this them him her you to how when if what where why the idea way fact your my be being having "
    "these those there so not nothing everything something anything one ones both".split()
)
NO_NAMES = _NO_OBJECT | frozenset(
    "she he i we who which there here today tomorrow yesterday nobody everybody somebody everyone someone no yes "
    "english german french spanish monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Capitals that are no names: they start a sentence."""
_ROLE_ENDS = re.compile(
    r"(?:ist|ian|eer|er|or|ant|nurse|chef|pilot|student|vegan|vegetarian|twin|widow|widower|judge|cook|clerk|"
    r"journalist|mother|father|dad|mum|mom|grandmother|grandfather|monk|priest|nun|midwife|mechanic|surgeon|"
    r"athlete|diplomat|architect|accountant|consultant|spy|guide|therapist|veteran|pharmacist|diabetic|coeliac)$",
    re.I,
)
_NO_ROLE = frozenset(
    "bother loser number matter member beginner lover believer sucker fighter owner user customer stranger "
    "former other another winner computer bit fan disaster monster author supporter follower".split()
)


def _is_liked(parts: Mapping[str, str]) -> bool:
    """A thing, not "it", "how you ..." or a whole further sentence."""
    liked = parts["thing"].split()
    return (
        liked[0].lower() not in _NO_OBJECT and len(liked) <= _LONG_THING and not _MORE.search(parts["thing"])
    )


_MORE = re.compile(
    r"\b(?:i|you|he|she|we|they|it|because|but|if|when|which|who|that|would|could|should|was|is|are|were|did)\b",
    re.I,
)


def _is_role(parts: Mapping[str, str]) -> bool:
    role = parts["role"].split()
    head = role[-1].lower()
    return (
        len(role) <= _LONG_ROLE
        and bool(_ROLE_ENDS.search(head))
        and head not in _NO_ROLE
        and role[0] not in _HEDGES
    )


_HEDGES = frozenset(
    {"bit", "little", "big", "huge", "great", "better", "terrible", "good", "bad", "real", "total"}
)


def _is_plain(parts: Mapping[str, str]) -> bool:
    """No further clause in any part, and none of them long."""
    return all(
        len(value.split()) <= _LONG_PART and not _MORE.search(value)
        for name, value in parts.items()
        if value and name != "verb"
    )


def _is_anothers(parts: Mapping[str, str]) -> bool:
    """Somebody lives and works at a place with a name; what they like is a thing."""
    thing = parts["thing"]
    if parts["verb"].startswith(("lives", "works at", "works for")):
        return thing[0].isupper() and _is_plain(parts)
    return _is_liked(parts) and _is_plain(parts)


def _is_planned(parts: Mapping[str, str]) -> bool:
    return len(parts["plan"].split()) <= _LONG_PLAN and not re.search(
        r"\b(?:if|maybe|perhaps|but)\b", parts["plan"], re.I
    )


_TIME = (
    r"(?:next|this|in|on|at the end of|by|before|after) "
    r"(?:the )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"spring|summer|autumn|fall|winter|week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"weekend|christmas|easter|new year|may|two|three|four|a )"
)

RULES: tuple[Rule, ...] = (
    # -- identity
    _rule(
        "identity: name",
        rf"(?:my (?:full |real )?name is|{_AM} called|my name's) {_cased(f'(?P<name>{_NAME})')}",
        "name is",
        "{name}",
        single=True,
    ),
    _rule("identity: call me", rf"call me {_cased(f'(?P<name>{_NAME})')}", "name is", "{name}", single=True),
    _rule("identity: age", rf"{_AM} (?P<age>\d{{1,3}}) years old", "age is", "{age}", single=True),
    _rule(
        "identity: birthday",
        r"my birthday is (?:on )?(?P<day>(?:the )?[\w ,./-]*\d[\w ,./-]*)",
        "birthday is",
        "{day}",
        single=True,
        check=_is_plain,
    ),
    _rule(
        "identity: born",
        rf"i was born in {_cased(rf'(?P<where>{_PLACE}|(?:19|20)[0-9][0-9])')}",
        "was born in",
        "{where}",
    ),
    _rule("identity: from", rf"(?:{_AM}|i come) from {_cased(f'(?P<where>{_PLACE})')}", "is from", "{where}"),
    _rule(
        "identity: home",
        rf"(?:{_I} {_ADVERB}live|{_AM} {_ADVERB}(?:living|based)|i {_ADVERB}reside) in "
        rf"{_cased(f'(?P<where>{_PLACE})')}{_WHEN_TAIL}",
        "lives in",
        "{where}",
        single=True,
    ),
    _rule(
        "identity: moved",
        rf"(?:{_I}(?:'ve| have)? {_ADVERB}(?:moved|relocated))(?: from {_cased(_PLACE)})? to "
        rf"{_cased(f'(?P<where>{_PLACE})')}{_WHEN_TAIL}",
        "lives in",
        "{where}",
        single=True,
    ),
    _rule(
        "identity: job",
        rf"i {_ADVERB}work as (?P<role>an? [\w -]+?)(?: (?:at|for|in) {_cased(f'(?:the )?{_NAME}')})?{_WHEN_TAIL}",
        "works as",
        "{role}",
        single=True,
        check=_is_plain,
    ),
    _rule(
        "identity: employer",
        rf"(?:i {_ADVERB}work|{_AM} {_ADVERB}working) (?:at|for) {_cased(f'(?P<firm>(?:the )?{_NAME})')}{_WHEN_TAIL}",
        "works at",
        "{firm}",
        single=True,
    ),
    _rule(
        "identity: new job",
        rf"i(?:'ve| have)? {_ADVERB}(?:started (?:working )?|joined|got a job) ?(?:at|for)? ?{_cased(f'(?P<firm>{_NAME})')}{_WHEN_TAIL}",
        "works at",
        "{firm}",
        single=True,
    ),
    _rule(
        "identity: role", rf"{_AM} an? (?P<role>[\w-]+(?: [\w-]+){{0,3}})", "is a", "{role}", check=_is_role
    ),
    _rule(
        "identity: diet",
        rf"{_AM} {_ADVERB}(?P<diet>vegan|vegetarian|gluten[- ]free|lactose intolerant|coeliac|diabetic|left-handed|"
        r"colou?r[- ]blind|pescatarian|teetotal|deaf|blind|dyslexic)",
        "is",
        "{diet}",
    ),
    _rule(
        "identity: reach",
        r"my (?P<what>e-?mail|phone|mobile)(?: address| number)? is (?P<value>[\w.+-]+@[\w.-]+\w|\+?[\d ()/-]{5,20}\d)",
        "{what} is",
        "{value}",
        single=True,
    ),
    # -- preference
    _rule(
        "preference: favourite",
        r"my (?:all-time )?favou?rite (?P<what>[\w -]{2,30}?) (?:is|are) (?:still |now )?(?P<thing>.+)",
        "favourite {what} is",
        "{thing}",
        single=True,
        check=_is_liked,
    ),
    _rule(
        "preference: likes",
        rf"{_I} {_ADVERB}(?:like|love|enjoy|adore) (?P<thing>.+)",
        "likes",
        "{thing}",
        check=_is_liked,
    ),
    _rule(
        "preference: prefers", rf"{_I} {_ADVERB}prefer (?P<thing>.+)", "prefers", "{thing}", check=_is_liked
    ),
    _rule(
        "preference: dislikes",
        rf"{_I} {_ADVERB}(?:hate|dislike|detest|can't stand|cannot stand|don't like|do not like) "
        r"(?P<thing>.+)",
        "dislikes",
        "{thing}",
        check=_is_liked,
    ),
    _rule(
        "preference: allergy",
        rf"(?:{_AM} (?:\w+ly )?allergic to|i have an allergy to) (?P<thing>.+)",
        "is allergic to",
        "{thing}",
        check=_is_liked,
    ),
    _rule(
        "preference: food",
        rf"i {_ADVERB}(?:can't|cannot|don't|do not|never) (?P<verb>eat|drink) (?P<thing>.+)",
        "doesn't {verb}",
        "{thing}",
        check=_is_liked,
    ),
    # -- possession and relation
    _rule(
        "possession: named",
        rf"{_HAVE} an? (?:[\w-]+ ){{0,3}}?(?P<what>{_OWNABLE}) (?:named|called) {_cased(f'(?P<name>{_NAME})')}",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "possession: thing",
        rf"{_HAVE} (?P<thing>(?:{_NUMBER}) (?:[\w-]+ ){{0,3}}?(?:{_OWNABLE}))(?: (?:at home|as well|too|now))?",
        "has",
        "{thing}",
        check=_is_plain,
    ),
    _rule(
        "possession: is mine",
        rf"{_cased(f'(?P<name>{_NAME})')} is (?:my|our) (?P<kind>(?:[\w-]+ )*)(?P<what>{_PET})",
        "has a {what}",
        "{name}{kind}",
        check=_is_plain,
    ),
    _rule(
        "possession: mine is called",
        rf"(?:my|our) (?P<what>{_PET})(?:'s)? (?:name )?is (?:called |named )?{_cased(f'(?P<name>{_NAME})')}",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: is mine",
        rf"{_cased(f'(?P<name>{_NAME})')} is (?:my|our) (?:\w+ )?(?P<what>{_KIN})",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: mine is called",
        rf"(?:my|our) (?P<what>{_KIN})(?:'s)? (?:name )?is (?:called |named )?{_cased(f'(?P<name>{_NAME})')}",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: married",
        rf"(?:{_AM}|i got) (?P<how>married|engaged) to {_cased(f'(?P<name>{_NAME})')}",
        "is {how} to",
        "{name}",
        single=True,
    ),
    _rule(
        "relation: of another",
        rf"my (?P<what>{_KIN}|{_PET}|{_OTHERS})(?: {_cased(f'(?P<name>{_NAME})')}),? "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|likes|loves|hates|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="{name}",
        check=_is_anothers,
    ),
    _rule(
        "relation: of another, unnamed",
        rf"my (?P<what>{_KIN}|{_PET}|{_OTHERS}) "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|likes|loves|hates|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="user's {what}",
        check=_is_anothers,
    ),
    _rule(
        "relation: of a name",
        rf"{_cased(f'(?P<name>{_NAME})')} "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|is married to|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="{name}",
        check=_is_anothers,
    ),
    # -- plan
    _rule(
        "plan: planning",
        rf"(?:{_AM}|we're|we are) {_ADVERB}planning to (?P<plan>.+)|{_I} {_ADVERB}plan to (?P<plan2>.+)",
        "plans to",
        "{plan}",
        check=_is_planned,
    ),
    _rule(
        "plan: dated",
        rf"(?:{_AM}|we're|we are) (?:going to |)(?P<plan>(?:move|moving|fly|flying|travel|travelling|traveling|"
        rf"marry|getting married|get married|start|starting|retire|retiring|visit|visiting|emigrate) ?.*{_TIME}.*)",
        "plans",
        "{plan}",
        check=_is_planned,
    ),
)

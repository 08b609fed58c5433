"""The rules: shapes of English statements, and the fact that each gives.

Rule: precise rather than eager. A shape matches a whole clause from its first word, so that what is
reported, supposed or asked never matches. How it works: named groups are the parts; ``check`` may refuse.
Warning: each new shape needs cases both ways in the tests.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from atmem_core.remember.extraction.rule_shapes import (
    ADVERB,
    AM,
    DAY,
    HAVE,
    KIN,
    NAME,
    NUMBER,
    OTHERS,
    OWNABLE,
    PET,
    PLACE,
    SPEAKER,
    TIME,
    WHEN_TAIL,
    cased,
    is_anothers,
    is_liked,
    is_plain,
    is_planned,
    is_role,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One shape of statement."""

    name: str
    """Kind and shape, such as ``identity: name``."""
    shape: str
    """A regular expression of the whole clause, its end included."""
    predicate: str
    """May hold groups, as in ``has a {relation}``."""
    stated: str
    """The object, from groups."""
    entity: str = ""
    """Empty: the speaker. May hold groups."""
    single: bool = False
    """One value at a time: a listed prior of the same predicate is superseded."""
    check: Callable[[Mapping[str, str]], bool] = lambda _: True

    def match(self, clause: str) -> re.Match[str] | None:
        """The clause as this rule reads it; None when it has another shape."""
        return _compiled(self.shape).match(clause)


# When first used: to compile them all takes a fifth of the time in which the package is imported.
@cache
def _compiled(shape: str) -> re.Pattern[str]:
    # Verbs in any case; names are told apart by their capitals, which (?-i:...) asks for.
    return re.compile(shape, re.I)


def _rule(name: str, shape: str, predicate: str, stated: str, **more: object) -> Rule:
    whole = shape + r"[\s.!…]*$"
    return Rule(name=name, shape=whole, predicate=predicate, stated=stated, **more)  # type: ignore[arg-type]


RULES: tuple[Rule, ...] = (
    # -- identity
    _rule(
        "identity: name",
        rf"(?:my (?:full |real )?name is|{AM} called|my name's) {cased(f'(?P<name>{NAME})')}",
        "name is",
        "{name}",
        single=True,
    ),
    _rule("identity: call me", rf"call me {cased(f'(?P<name>{NAME})')}", "name is", "{name}", single=True),
    _rule("identity: age", rf"{AM} (?P<age>\d{{1,3}}) years old", "age is", "{age}", single=True),
    _rule(
        "identity: birthday",
        rf"my birthday is (?:on )?(?P<day>{DAY})",
        "birthday is",
        "{day}",
        single=True,
        check=is_plain,
    ),
    _rule(
        "identity: born",
        rf"i was born in {cased(rf'(?P<where>{PLACE}|(?:19|20)[0-9][0-9])')}",
        "was born in",
        "{where}",
    ),
    _rule("identity: from", rf"(?:{AM}|i come) from {cased(f'(?P<where>{PLACE})')}", "is from", "{where}"),
    _rule(
        "identity: home",
        rf"(?:{SPEAKER} {ADVERB}live|{AM} {ADVERB}(?:living|based)|i {ADVERB}reside) in "
        rf"{cased(f'(?P<where>{PLACE})')}{WHEN_TAIL}",
        "lives in",
        "{where}",
        single=True,
    ),
    _rule(
        "identity: moved",
        rf"(?:{SPEAKER}(?:'ve| have)? {ADVERB}(?:moved|relocated))(?: from {cased(PLACE)})? to "
        rf"{cased(f'(?P<where>{PLACE})')}{WHEN_TAIL}",
        "lives in",
        "{where}",
        single=True,
    ),
    _rule(
        "identity: job",
        rf"i {ADVERB}work as (?P<role>an? [\w -]+?)(?: (?:at|for|in) {cased(f'(?:the )?{NAME}')})?{WHEN_TAIL}",
        "works as",
        "{role}",
        single=True,
        check=is_plain,
    ),
    _rule(
        "identity: employer",
        rf"(?:i {ADVERB}work|{AM} {ADVERB}working) (?:at|for) {cased(f'(?P<firm>(?:the )?{NAME})')}{WHEN_TAIL}",
        "works at",
        "{firm}",
        single=True,
    ),
    _rule(
        "identity: new job",
        rf"i(?:'ve| have)? {ADVERB}(?:started (?:working )?|joined|got a job) ?(?:at|for)? ?{cased(f'(?P<firm>{NAME})')}{WHEN_TAIL}",
        "works at",
        "{firm}",
        single=True,
    ),
    _rule(
        "identity: role",
        rf"{AM} an? (?P<role>[\w-]+(?: [\w-]+){{0,3}}?)(?: (?:at|for|in|with) .+)?",
        "is a",
        "{role}",
        check=is_role,
    ),
    _rule(
        "identity: diet",
        rf"{AM} {ADVERB}(?P<diet>vegan|vegetarian|gluten[- ]free|lactose intolerant|coeliac|diabetic|left-handed|"
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
    _rule("possession: drives", r"(?:i|we) drive (?P<thing>an? .+)", "drives", "{thing}", check=is_liked),
    # -- preference
    _rule(
        "preference: favourite",
        r"my (?:all-time )?favou?rite (?P<what>[\w -]{2,30}?) (?:is|are) (?:still |now )?(?P<thing>.+)",
        "favourite {what} is",
        "{thing}",
        single=True,
        check=is_liked,
    ),
    _rule(
        "preference: likes",
        rf"{SPEAKER} {ADVERB}(?:like|love|enjoy|adore) (?P<thing>.+)",
        "likes",
        "{thing}",
        check=is_liked,
    ),
    _rule(
        "preference: prefers",
        rf"{SPEAKER} {ADVERB}prefer (?P<thing>.+)",
        "prefers",
        "{thing}",
        check=is_liked,
    ),
    _rule(
        "preference: dislikes",
        rf"{SPEAKER} {ADVERB}(?:hate|dislike|detest|can't stand|cannot stand|don't like|do not like) "
        r"(?P<thing>.+)",
        "dislikes",
        "{thing}",
        check=is_liked,
    ),
    _rule(
        "preference: allergy",
        rf"(?:{AM} (?:\w+ly )?allergic to|i have an allergy to) (?P<thing>.+)",
        "is allergic to",
        "{thing}",
        check=is_liked,
    ),
    _rule(
        "preference: food",
        rf"i {ADVERB}(?:can't|cannot|don't|do not|never) (?P<verb>eat|drink) (?P<thing>.+)",
        "doesn't {verb}",
        "{thing}",
        check=is_liked,
    ),
    # -- possession and relation
    _rule(
        "possession: named",
        rf"{HAVE} an? (?:[\w-]+ ){{0,3}}?(?P<what>{OWNABLE}) (?:named|called) {cased(f'(?P<name>{NAME})')}",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "possession: thing",
        rf"{HAVE} (?P<thing>(?:{NUMBER}) (?:[\w-]+ ){{0,3}}?(?:{OWNABLE}))(?: (?:at home|as well|too|now))?",
        "has",
        "{thing}",
        check=is_plain,
    ),
    _rule(
        "possession: is mine",
        rf"{cased(f'(?P<name>{NAME})')} is (?:my|our) (?P<kind>(?:[\w-]+ )*)(?P<what>{PET})",
        "has a {what}",
        "{name}{kind}",
        check=is_plain,
    ),
    _rule(
        "possession: mine is called",
        rf"(?:my|our) (?P<what>{PET})(?:'s)? (?:name )?is (?:called |named )?{cased(f'(?P<name>{NAME})')}",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: is mine",
        rf"{cased(f'(?P<name>{NAME})')} is (?:my|our) (?:\w+ )?(?P<what>{KIN})",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: mine is called",
        rf"(?:my|our) (?P<what>{KIN})(?: at {cased(NAME)}(?: & {cased(NAME)})?)?(?:'s)? (?:name )?is "
        rf"(?:now )?(?:called |named )?{cased(f'(?P<name>{NAME})')}(?:,? (?:at|on|from|in) .+)?",
        "has a {what}",
        "{name}",
    ),
    _rule(
        "relation: married",
        rf"(?:{AM}|i got) (?P<how>married|engaged) to {cased(f'(?P<name>{NAME})')}",
        "is {how} to",
        "{name}",
        single=True,
    ),
    _rule(
        "relation: of another",
        rf"my (?P<what>{KIN}|{PET}|{OTHERS})(?: {cased(f'(?P<name>{NAME})')}),? "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|likes|loves|hates|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="{name}",
        check=is_anothers,
    ),
    _rule(
        "relation: of another, unnamed",
        rf"my (?P<what>{KIN}|{PET}|{OTHERS}) "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|likes|loves|hates|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="user's {what}",
        check=is_anothers,
    ),
    _rule(
        "relation: of a name",
        rf"{cased(f'(?P<name>{NAME})')} "
        r"(?P<verb>is allergic to|lives in|works at|works for|works as|is married to|can't eat) (?P<thing>.+)",
        "{verb}",
        "{thing}",
        entity="{name}",
        check=is_anothers,
    ),
    _rule(
        "relation: work of another",
        rf"my (?P<what>{KIN}) {cased(f'(?P<name>{NAME})')} is an? "
        r"(?P<role>[\w-]+(?: [\w-]+){0,2}?)(?: (?:at|for|in) .+)?",
        "is a",
        "{role}",
        entity="{name}",
        check=is_role,
    ),
    _rule(
        "relation: birthday of another",
        rf"{cased(f'(?P<name>{NAME})')}'s birthday is (?:on )?(?P<day>{DAY})",
        "birthday is",
        "{day}",
        entity="{name}",
        check=is_plain,
    ),
    # -- plan
    _rule(
        "plan: planning",
        rf"(?:{AM}|we're|we are) {ADVERB}planning to (?P<plan>.+)|{SPEAKER} {ADVERB}plan to (?P<plan2>.+)",
        "plans to",
        "{plan}",
        check=is_planned,
    ),
    _rule(
        "plan: dated",
        rf"(?:{AM}|we're|we are) (?:going to |)(?P<plan>(?:move|moving|fly|flying|travel|travelling|traveling|"
        rf"marry|getting married|get married|start|starting|retire|retiring|visit|visiting|emigrate) ?.*{TIME}.*)",
        "plans",
        "{plan}",
        check=is_planned,
    ),
)

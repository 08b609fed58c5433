"""Trust: what a source may support, and what is kept from everybody until a person has looked.

Rule: trust lowers a class and never raises one. How it works: what a web page or a tool said is background
at most; what commands its reader is background at most when the user said it, and nothing at all when anybody
else did. Vouched for, by trust 1, a record counts as any other. Warning: a shape says nothing of truth. A
plain lie by somebody with trust is not found here.
"""

from atmem_core.records import VOUCHED, Candidate, Note, Query, Reading, ReasonCode, Source
from atmem_core.text.instructions import instruction_flags

LEAST_TRUST = 0.3
"""A record below it never is direct support by itself."""
LEAST_TRUST_TOOL = 0.5
"""The same for what a tool said: somebody has to vouch for it."""


def untrusted(_query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """What a web page or an unchecked tool said is never injected on its own word."""
    low = low_trust(candidate.source, candidate.trust)
    return ReasonCode.UNTRUSTED_SOURCE if low else None


def low_trust(source: Source, trust: float) -> bool:
    """Is it believed too little to be told by itself? Never what a person vouched for."""
    if trust >= VOUCHED:
        return False
    least = LEAST_TRUST_TOOL if source is Source.TOOL else LEAST_TRUST
    return trust < least or source is Source.WEB


def commanding(_query: Query, candidate: Candidate, _reading: Reading) -> ReasonCode | None:
    """What speaks to the assistant instead of about the world; here, the user's own words or a quotation."""
    if candidate.trust >= VOUCHED or not instruction_flags(candidate.text):
        return None
    return ReasonCode.INSTRUCTION_SHAPED


def quarantined(candidate: Candidate) -> bool:
    """Is it a command that somebody else than the user brought in, and nobody has looked at it?"""
    outside = candidate.source is not Source.USER and candidate.trust < VOUCHED
    return outside and bool(instruction_flags(candidate.text))


def may_stand_unjudged(note: Note) -> bool:
    """May a note be shown that no decision released, such as a neighbour or a line of an index?

    What a page or a tool said may not, nor what commands its reader: what a decision would lower doesn't come
    in by another door.
    """
    if note.trust >= VOUCHED:
        return True
    return not low_trust(note.source, note.trust) and not instruction_flags(note.text)

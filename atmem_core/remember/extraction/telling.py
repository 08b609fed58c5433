"""What of a turn tells: the speaker's own statements, without questions, orders, quotes and recalled text.

Rule: only what stands here may become a fact, whoever extracts. How it works: whole blocks that aren't the
speaker's go first, then sentence by sentence whatever asks, orders or tries to steer. Warning: English
first; what a pattern doesn't know passes, and the extractor's own care is left.
"""

import re

from atmem_core.policy import words
from atmem_core.policy.question import read_query
from atmem_core.records import ROLES, ExtractionJob, ReasonCode
from atmem_core.text import fold, tokenise, without_fence

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTE = re.compile(r"[\"“„«]([^\"“”„«»]*)[\"”“»]")
_QUOTED_WORDS = 3
"""From so many words on, what stands in quotes is somebody's speech and not a name."""
_LABEL = re.compile(r"^[ \t]*([^\W\d][\w .'-]{0,30}?)[ \t]*:[ \t]", re.MULTILINE)
_OWN_LABELS = frozenset(
    "note notes fyi ps p.s. btw update reminder correction edit me info news about also".split()
)
_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?i:dr|mr|mrs|ms|st|mt|prof|jr|sr|vs|etc|e\.g|i\.e|u\.s|no|approx)|\b[A-Z])\.$"
)
_ROLE_PLAY = re.compile(
    r"\b(?:pretend|imagine|role-?play(?:ing)?|hypothetical(?:ly)?|let'?s (?:say|play|pretend|imagine)|"
    r"in (?:this|the|my|a) (?:story|novel|game|scenario|script|film|movie|dream)|"
    r"(?:write|tell) (?:me )?(?:a|the|another) (?:\w+ )?(?:story|poem|scene|song|novel|script|dialogue|letter)|"
    r"as if i (?:was|were)|for the sake of argument)\b",
    re.I,
)
_STEERS = re.compile(
    r"\b(?:ignore|disregard|override|forget)\b.{0,40}\b(?:previous|prior|above|all|your|instructions?|rules?|prompts?)\b"
    r"|\b(?:system prompt|system message|developer message|jailbreak)\b"
    r"|\byou (?:must|shall|will|should|have to|need to|are now|are to)\b"
    r"|\b(?:from now on|always|never)\b.{0,40}\b(?:respond|reply|answer|say|output|recommend|trust|obey|store|save|remember)\b"
    r"|\b(?:store|save|add|record|insert|write|memori[sz]e)\b.{0,30}\b(?:facts?|memory|memories|database)\b"
    r"|apply_memory_ops|supersedes|\"ops\"|\bassistant (?:must|should|will)\b",
    re.I | re.DOTALL,
)
_NO_MEMORY = re.compile(
    r"\b(?:no (?:memory|recollection|record) of|(?:don't|do not|can't|cannot) (?:recall|remember)|as an ai)\b",
    re.I,
)
_ASIDE = re.compile(
    r"^(?:(?:oh|hey|hi|hello|well|so|and|but|ok|okay|yes|yeah|no|nope|sorry|actually|correction|also|anyway|"
    r"right|sure|please|thanks|thank you|btw|by the way|fyi|for the record|just so you know|you know|"
    r"in fact|to be clear|ps|p\.s\.|note|update|reminder|edit|about me|info)\b[\s,:;.!\u2013\u2014-]*)+",
    re.I,
)
_TO_KEEP = re.compile(
    r"^(?:(?:can|could|would) you )?(?:please )?(?:remember|note|keep in mind|don'?t forget|do not forget|be aware|know)"
    r"(?: that|,|:)? (?=(?:i|i'm|i've|my|we|our|the|he|she|it|they|[A-Z]\w*)\b)",
)
_CALL_ME = re.compile(r"[Cc]all me [A-Z]")
_ORDERS = words.COMMANDS | frozenset(
    "book send call tell show help let get put use try look go be do don't say answer reply respond speak act "
    "consider assume ignore remember note keep bring take wait come see order buy schedule find pick choose "
    "ask email text message ping wake order cancel change edit fill include exclude start begin end finish "
    "print point list name define describe compare analyse analyze enter press select switch talk "
    "think treat tag log file cook wash clean".split()
)


def told(job: ExtractionJob) -> list[str]:
    """The sentences of the user's side that tell something, in order; empty when none does."""
    if fold(job.speaker) in ROLES - {"user"}:
        return []
    text = _own(job.user_text, job.speaker)
    if _ROLE_PLAY.search(text):
        return []
    sentences = [_plain(one) for one in sentences_of(text)]
    return [one for one in sentences if one and _tells(one)]


def sentences_of(text: str) -> list[str]:
    """The text cut at ends of sentences and lines, not at "Dr." and initials."""
    found: list[str] = []
    for part in filter(None, (one.strip() for one in _END.split(text))):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def without_asides(sentence: str) -> str:
    """The sentence without "well, by the way," at its start."""
    return _ASIDE.sub("", sentence).strip()


def _own(text: str, speaker: str) -> str:
    """Without recalled blocks, code, quoted mail, and lines that another speaker's name leads."""
    text = _CODE.sub(" ", without_fence(text)).replace("’", "'")
    text = _QUOTED_LINE.sub("", text)
    ours = {fold(speaker), "user", "i"} | _OWN_LABELS
    lines = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        if label is None:
            lines.append(line)
        elif fold(label[1]) in ours:
            lines.append(line[label.end() :])
    return "\n".join(lines)


def _plain(sentence: str) -> str:
    """Without what leads up to the statement; empty when somebody else's words stand in it."""
    if any(len(quote.split()) >= _QUOTED_WORDS for quote in _QUOTE.findall(sentence)):
        return ""
    sentence = without_asides(_QUOTE.sub(r"\1", sentence))
    return (
        without_asides(_TO_KEEP.sub("", sentence[:1].lower() + sentence[1:]))
        if _keeps(sentence)
        else sentence
    )


def _keeps(sentence: str) -> bool:
    return bool(_TO_KEEP.match(sentence[:1].lower() + sentence[1:]))


def _tells(sentence: str) -> bool:
    if sentence.rstrip(" \"'”’)").endswith("?") or _STEERS.search(sentence) or _NO_MEMORY.search(sentence):
        return False
    folded = [token.word for token in tokenise(sentence)]
    if not folded or (folded[0] in _ORDERS and not _CALL_ME.match(sentence)):
        return False
    query = read_query(sentence, max_chars=len(sentence) + 1)
    return query.refusal not in _TELLS_NOTHING and not query.reading.question


_TELLS_NOTHING = (ReasonCode.SMALL_TALK, ReasonCode.NO_CONTENT, ReasonCode.TASK_COMMAND)

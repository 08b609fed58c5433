"""The extractor that needs no model: rules over clauses. The default, and it says what it is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from atmem_core.policy.predicates import folded, predicate_key
from atmem_core.records import (
    OWNER,
    Extraction,
    ExtractionJob,
    FactOperation,
    FactRef,
    OperationKind,
)
from atmem_core.remember.extraction.operations import MOST_OPERATIONS, whose
from atmem_core.remember.extraction.rule_shapes import NO_NAMES
from atmem_core.remember.extraction.rule_table import RULES, Rule
from atmem_core.remember.extraction.telling import told, without_asides
from atmem_core.text import fold

_UNSURE = re.compile(
    r"\b(?:if|unless|would|could|might|maybe|perhaps|probably|possibly|wish|hope|suppose|guess|used to|"
    r"almost|no longer|not anymore|any more|anymore|as though|joke|joking|kidding|lol)\b|i'd\b",
    re.I,
)
"""A clause that holds one of them is left alone: what is wished, doubted or over isn't so."""
_CLAUSES = re.compile(
    r"[,;]?\s+(?:and|but|so)\s+(?=(?:i|i'm|i've|we|my|our)\b)|;\s+|,\s+(?=(?:i|i'm|my)\b)", re.I
)
_CONTRAST = re.compile(
    r",?\s+(?:and |but )?not\s+(?:in |at |for |a |an |the )?(?P<old>[\w' .-]+?)(?:\s+any ?more)?[\s.!]*$",
    re.I,
)
_MEANT = re.compile(
    r"^(?:i meant|i mean|it's|it is|that's|make that|should be)(?: to say)? "
    r"(?P<new>[\w' -]+?),? not (?P<old>[\w' -]+?)[\s.!]*$",
    re.I,
)
_TAIL = re.compile(
    r",?\s+(?:because|since|so|although|though|that|which|who|whose|when|while|after|until)\b.*$"
    r"|,\s+(?:it|this|she|he|they|we|and)\b.*$",
    re.I,
)
_VERBS = "lives?|works?|likes?|loves?|hates?|prefers?|is|am|was|have|has|can't|don't|doesn't|drives?"
_CARRIED = re.compile(rf",?\s+and\s+(?=(?:{_VERBS})\b)", re.I)
"""Where a second verb has the same subject as the first."""
_SUBJECT = re.compile(
    r"^((?-i:I|We)|(?:my|our) \w+(?: (?-i:[A-Z][\w'-]*))?|(?-i:[A-Z][\w'-]*))\s+" + rf"(?=(?:{_VERBS})\b)",
    re.I,
)
_CONFIDENCE = 0.9


class RuleExtractor:
    """Reads English statements of identity, preference, possession, relation and plan, and corrections."""

    @property
    def name(self) -> str:
        """Says that it is rules."""
        return "rules (no model)"

    def extract(self, job: ExtractionJob, priors: Sequence[FactRef]) -> Extraction:
        """Facts of the clauses that a rule matches, in order, each once."""
        taken: dict[tuple[str, str, str], FactOperation] = {}
        for sentence in told(job):
            for operation in _operations(sentence, job, priors):
                key = (folded(operation.entity), predicate_key(operation.predicate), folded(operation.object))
                taken.setdefault(key, operation)
        return Extraction(operations=tuple(taken.values())[:MOST_OPERATIONS])


def _operations(sentence: str, job: ExtractionJob, priors: Sequence[FactRef]) -> Iterator[FactOperation]:
    for part in _clauses(sentence):
        corrected = _corrected(part, job, priors)
        if corrected is not None:
            yield corrected
            continue
        contrast = _CONTRAST.search(part)
        old = "" if contrast is None else contrast["old"]
        clause = _TAIL.sub("", part if contrast is None else part[: contrast.start()]).rstrip(" ,;")
        if clause and not _UNSURE.search(clause):
            found = next((one for rule in RULES if (one := _read(rule, clause, job)) is not None), None)
            if found is not None:
                yield _against(found, priors, old)


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence that state something by themselves; a shared subject is said again."""
    for part in _CLAUSES.split(sentence):
        clause = without_asides(part)
        subject = _SUBJECT.match(clause)
        first, *others = _CARRIED.split(clause) if subject else [clause]
        yield first
        yield from (f"{subject[1]} {other}" for other in others if subject)


def _read(rule: Rule, clause: str, job: ExtractionJob) -> FactOperation | None:
    """The fact that the rule makes of the clause."""
    match = rule.match(clause)
    if match is None:
        return None
    parts = {name.rstrip("2"): value.strip(" ,.!") for name, value in match.groupdict().items() if value}
    no_name = fold(parts.get("name", "").split(" ")[0]) in NO_NAMES
    if no_name or not rule.check(parts):
        return None
    if parts.get("kind"):
        parts["kind"] = f", a {parts['kind']} {parts['what']}"
    blank = dict.fromkeys(match.groupdict(), "")
    entity = rule.entity.format(**blank | parts) if rule.entity else OWNER
    return FactOperation(
        kind=OperationKind.ADD,
        entity=_entity(entity, job.speaker),
        predicate=rule.predicate.format(**parts),
        object=rule.stated.format(**blank | parts),
        confidence=_CONFIDENCE,
    )


def _entity(entity: str, speaker: str) -> str:
    """The speaker in the place of "user", also in "user's sister"."""
    head, possessive, rest = entity.partition("'s ")
    return whose(head, speaker) + possessive + rest


def _against(operation: FactOperation, priors: Sequence[FactRef], old: str) -> FactOperation:
    """An UPDATE when a listed fact says another value of what has one, or the value that is denied."""
    about = (folded(operation.entity), predicate_key(operation.predicate))
    for prior in priors:
        if (folded(prior.entity), predicate_key(prior.predicate)) != about:
            continue
        if folded(prior.object) == folded(operation.object):
            continue
        if _single(operation.predicate) or (old and folded(prior.object) == folded(old)):
            return _update(operation, prior)
    return operation


def _single(predicate: str) -> bool:
    singles = {rule.predicate for rule in RULES if rule.single}
    return predicate in singles or predicate.startswith("favourite ")


def _corrected(clause: str, job: ExtractionJob, priors: Sequence[FactRef]) -> FactOperation | None:
    """As in "I meant Porto, not Lisbon": the speaker's first listed fact that says Lisbon gives way."""
    match = _MEANT.match(clause)
    if match is None:
        return None
    speaker = whose(OWNER, job.speaker)
    for prior in priors:
        if fold(prior.entity) == fold(speaker) and folded(prior.object) == folded(match["old"]):
            stated = match["new"].strip(" ,.")
            fixed = FactOperation(
                kind=OperationKind.ADD,
                entity=prior.entity,
                predicate=prior.predicate,
                object=stated,
                confidence=_CONFIDENCE,
            )
            return _update(fixed, prior)
    return None


def _update(operation: FactOperation, prior: FactRef) -> FactOperation:
    parts: Mapping[str, object] = {
        "entity": operation.entity,
        "predicate": operation.predicate,
        "object": operation.object,
    }
    return FactOperation(
        kind=OperationKind.UPDATE,
        supersedes=prior.id,
        confidence=operation.confidence,
        **parts,  # type: ignore[arg-type]
    )

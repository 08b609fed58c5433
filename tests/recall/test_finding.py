"""A rewritten query finds candidates; the original alone establishes support."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core import Decision, Memory, ReasonCode, SupportClass
from atmem_core.clock import SystemClock
from atmem_core.config import Config
from atmem_core.embedding import resolve
from atmem_core.policy.calibration import JudgeRule
from atmem_core.policy.decide import decide
from atmem_core.recall.reader import Answer
from atmem_core.recall.request import Request
from atmem_core.records import Candidate, EmbedPurpose, Scope
from atmem_core.semantic.calibrations import BUNDLED, load
from atmem_core.store import open_store
from atmem_core.testing import FakeClock, FakeEmbedder
from atmem_core.testing.judges import FakeJudge
from tests.policy.builders import candidate, query, situation

NOTES = (
    "Tom's brother Karl has the phone number 0711 44.",
    "Tom has the phone number 030 12.",
    "My phone is a Fairphone.",
    "Karl keeps bees behind the old mill.",
    "Karl is Tom's brother.",
    "The old mill is in Bath.",
    "I live in Lisbon.",
    "My dentist appointment is on 12 March at 9:30.",
)
QUESTIONS = (
    "and the phone number of the other one?",
    "what about his phone?",
    "where do I live?",
    "does Karl keep bees?",
    "what about his?",
    "thanks, that's great",
)
FINDINGS = (
    "phone number of Tom's brother Karl",
    "Karl bees old mill Bath Lisbon dentist March",
    "I live in Lisbon.",
    "the",
    "",
)
REQUEST = Request(scope=Scope(subject="ada"))


def opened(embedder: FakeEmbedder | None = None, *, config: Config | None = None) -> Memory:
    # A clock that stands still: recency is the same for both decisions.
    memory = Memory.open(":memory:", embedder=embedder, config=config, clock=FakeClock())
    for text in NOTES:
        memory.remember(text, subject="ada")
    return memory


@pytest.fixture(scope="module")
def by_words() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


@pytest.fixture(scope="module")
def by_meaning() -> Iterator[Memory]:
    # One record comes by meaning, so that others are left for the rewritten query to find.
    embedder = FakeEmbedder(synonyms=[("phone", "number"), ("live", "lisbon")])
    with opened(embedder, config=Config(vector_pool=1)) as memory:
        yield memory


def classes(decision: Decision) -> dict[str, SupportClass]:
    return {one.record_id: one.support_class for one in decision.candidates}


def both(memory: Memory, text: str, finding: str, *, background: bool = False) -> tuple[Answer, Answer]:
    """Without the rewritten query, and with it."""
    return (
        memory._reader.decide(text, REQUEST, allow_background=background),
        memory._reader.decide(text, REQUEST, allow_background=background, finding=finding),
    )


def assert_only_the_pool_differs(without: Answer, found: Answer) -> None:
    before, after = classes(without.decision), classes(found.decision)
    assert {one: after[one] for one in before} == before
    assert SupportClass.DIRECT_SUPPORT not in {after[one] for one in after.keys() - before.keys()}
    assert found.released == without.released
    if SupportClass.DIRECT_SUPPORT in before.values():
        assert found.decision.support_class is SupportClass.DIRECT_SUPPORT


@pytest.mark.parametrize("store", ["by_words", "by_meaning"])
@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("finding", FINDINGS)
def test_a_rewritten_query_changes_the_pool_and_no_class(
    store: str, text: str, finding: str, request: pytest.FixtureRequest
) -> None:
    assert_only_the_pool_differs(*both(request.getfixturevalue(store), text, finding))


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(sorted({word for note in NOTES for word in note.split()})), max_size=8),
    st.sampled_from(QUESTIONS),
)
def test_whatever_the_words_of_a_rewritten_query_are(
    by_meaning: Memory, words: Sequence[str], text: str
) -> None:
    assert_only_the_pool_differs(*both(by_meaning, text, " ".join(words)))


def test_it_finds_what_the_original_does_not(by_words: Memory) -> None:
    without, found = both(by_words, "what about his phone?", "does Tom's brother Karl keep bees?")
    added = classes(found.decision).keys() - classes(without.decision).keys()
    assert {found.notes[one].text for one in added} == {
        "Karl keeps bees behind the old mill.",
        "Karl is Tom's brother.",
    }


def test_what_it_finds_may_be_background_by_its_own_meaning() -> None:
    question, near = "what about his phone?", "Karl keeps bees."
    vectors = {question: (1.0, 0.0), near: (0.8, 0.6), "His phone.": (1.0, 0.0)}
    embedder = FakeEmbedder(vectors)
    with Memory.open(":memory:", embedder=embedder, config=Config(vector_pool=1)) as memory:
        for text in (near, "His phone."):
            memory.remember(text, subject="ada")
        without, found = both(memory, question, "does Karl keep bees?", background=True)
    assert near not in {note.text for note in without.notes.values()}
    assert near in {note.text for note in found.released}


def test_every_number_is_measured_against_the_original(by_meaning: Memory) -> None:
    without, found = both(by_meaning, "what about his phone?", FINDINGS[0])
    assert [one for one in found.decision.candidates if one.record_id in without.notes] == list(
        without.decision.candidates
    )
    assert found.decision.query_sha256 == without.decision.query_sha256


def test_the_rewritten_query_is_not_embedded() -> None:
    embedder = FakeEmbedder()
    with opened(embedder) as memory:
        embedder.calls.clear()
        memory._reader.decide("what about his phone?", REQUEST, finding=FINDINGS[0])
    assert [(call.texts, call.purpose) for call in embedder.calls] == [
        (("what about his phone?",), EmbedPurpose.QUERY)
    ]


def test_the_judge_reads_the_original_and_the_same_records() -> None:
    judge = FakeJudge()
    rule = JudgeRule(version="fake-1", weight=0.8, bar=1.0, denied=0.05, agreed=0.06)
    wide = replace(load(BUNDLED), direct=0.02, background=0.01, judge=rule)
    config = Config(vector_pool=1, judged_answers=2)
    with Memory(
        open_store(":memory:", config=config),
        resolve(FakeEmbedder()),
        config=config,
        clock=SystemClock(),
        judge=judge,
        calibration_for=lambda *_, **__: wide,
    ) as memory:
        for text in NOTES:
            memory.remember(text, subject="ada")
        assert_only_the_pool_differs(*both(memory, "where do I live?", "phone number of Karl, Tom's brother"))
    assert judge.calls[0] == judge.calls[1]
    assert judge.calls[0][0] == "where do I live?"


def test_a_message_that_asks_nothing_is_refused_as_before(by_words: Memory) -> None:
    _, found = both(by_words, "thanks, that's great", FINDINGS[0], background=True)
    assert (found.decision.candidates, found.decision.reason_codes) == ((), (ReasonCode.SMALL_TALK,))


def test_what_the_original_finds_is_not_crowded_out() -> None:
    with opened(config=Config(judged_candidates=1)) as memory:
        without, found = both(memory, "where do I live?", "Karl bees old mill Bath phone dentist March")
    assert found.released == without.released != ()
    assert len(found.notes) > len(without.notes)


def test_a_record_of_another_subject_is_found_by_no_query(by_words: Memory) -> None:
    by_words.remember("Karl's phone number is 555.", subject="bob")
    _, found = both(by_words, "what about his phone?", "Karl's phone number 555")
    assert "bob" not in {note.scope.subject for note in found.notes.values()}


# the rule itself

QUESTION = query("what breed is my dog Brutus?")
strong = st.builds(
    lambda text, coverage, cosine: candidate(text, coverage=coverage, cosine=cosine),
    st.sampled_from(("Brutus is my Bernese mountain dog.", "My dog Brutus is a Leonberger.", "Rain.")),
    st.floats(0, 1),
    st.floats(-1, 1),
)


@given(strong)
def test_what_only_a_rewritten_query_found_is_background_at_most(one: Candidate) -> None:
    by_rewriting = replace(one, found_by_rewriting=True)
    alone = decide(QUESTION, [one], situation()).candidates[0]
    found = decide(QUESTION, [by_rewriting], situation()).candidates[0]
    assert found.support_class is not SupportClass.DIRECT_SUPPORT
    assert found.relevance_score == alone.relevance_score
    if alone.support_class is not SupportClass.DIRECT_SUPPORT and alone.relevance_score < 0.6:
        assert found.support_class is alone.support_class


def test_it_says_why_it_was_lowered() -> None:
    one = candidate("Brutus is my Bernese mountain dog.", found_by_rewriting=True)
    (found,) = decide(QUESTION, [one], situation()).candidates
    assert found.support_class is SupportClass.BACKGROUND_CONTEXT
    assert found.reason_codes == (ReasonCode.FOUND_BY_REWRITING,)


def test_it_displaces_no_direct_record_of_the_same_content() -> None:
    own = candidate("Brutus is my Bernese mountain dog.", record_id="n1", coverage=0.8, cosine=0.6)
    better = candidate("Brutus is my Bernese mountain dog.", record_id="n2", found_by_rewriting=True)
    assert decide(QUESTION, [own, better], situation()).ranked_record_ids == ("n1",)

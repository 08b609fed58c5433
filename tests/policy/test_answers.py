"""What a judge may do to a class: lower it, and nothing else."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.answers import doubtful
from atmem_core.policy.calibration import JudgeRule
from atmem_core.policy.decide import conclude, decide
from atmem_core.policy.weigh import weigh
from atmem_core.records import SUPPORT_RANK, Candidate, Decision, Query, ReasonCode, SupportClass
from tests.policy.builders import CALIBRATION, candidate, query, situation
from tests.policy.test_rules import QUESTION, candidates, many

RULE = JudgeRule(version="fake-1", weight=2.0, bar=0.0, denied=0.1, agreed=0.9)
JUDGED = situation(calibration=replace(CALIBRATION, judge=RULE))
share = st.floats(0, 1)


def judged(pool: list[Candidate], answers: dict[str, float], asked: Query = QUESTION) -> Decision:
    return conclude(asked, weigh(asked, pool, JUDGED), JUDGED, answers)


@given(many, st.data())
def test_no_answer_raises_a_class(pool: list[Candidate], data: st.DataObject) -> None:
    answers = {one.record_id: data.draw(share) for one in pool}
    without = {one.record_id: one.support_class for one in decide(QUESTION, pool, situation()).candidates}
    for one in judged(pool, answers).candidates:
        # A repeat of a record that the judge lowered may stand in its place.
        if one.reason_codes != (ReasonCode.DIRECT_THRESHOLD,):
            assert SUPPORT_RANK[one.support_class] <= SUPPORT_RANK[SupportClass.DIRECT_SUPPORT]
        if one.support_class is SupportClass.DIRECT_SUPPORT:
            assert SUPPORT_RANK[without[one.record_id]] >= SUPPORT_RANK[SupportClass.BACKGROUND_CONTEXT]


@given(candidates(), share, share)
def test_a_surer_answer_never_lowers_a_class(one: Candidate, less: float, more: float) -> None:
    low, high = sorted((less, more))
    before = judged([one], {one.record_id: low}).support_class
    after = judged([one], {one.record_id: high}).support_class
    assert SUPPORT_RANK[after] >= SUPPORT_RANK[before]


@given(candidates(), share)
def test_an_answer_never_beats_no_judge(one: Candidate, answer: float) -> None:
    alone = decide(QUESTION, [one], situation()).support_class
    assert SUPPORT_RANK[judged([one], {one.record_id: answer}).support_class] <= SUPPORT_RANK[alone]


def test_what_the_judge_takes_for_no_answer_is_background() -> None:
    pool = [candidate("Brutus is my Bernese mountain dog.")]
    decision = judged(pool, {pool[0].record_id: 0.02})
    assert decision.support_class is SupportClass.BACKGROUND_CONTEXT
    assert decision.reason_codes == (ReasonCode.NOT_ANSWERED,)
    assert decision.candidates[0].signals["answerable"] == 0.02


def test_what_hardly_reached_the_threshold_is_withheld_outright() -> None:
    weak = candidate(
        "Brutus is my Bernese mountain dog.", coverage=0.6, typo_coverage=0.6, bm25=0.6, cosine=0.7
    )
    assert decide(QUESTION, [weak], situation()).support_class is SupportClass.DIRECT_SUPPORT
    assert judged([weak], {weak.record_id: 0.02}).support_class is SupportClass.NO_USEFUL_MEMORY


def test_a_record_that_nobody_asked_about_is_not_released() -> None:
    pool = [candidate("Brutus is my Bernese mountain dog.")]
    decision = judged(pool, {})
    assert decision.ranked_record_ids == ()
    assert decision.reason_codes == (ReasonCode.NOT_JUDGED,)


def test_the_questions_own_words_are_immune() -> None:
    asked = query("bernese mountain dog")
    pool = [candidate("Brutus is my Bernese mountain dog.")]
    assert doubtful(asked, weigh(asked, pool, JUDGED), limit=3) == []
    assert judged(pool, {pool[0].record_id: 0.0}, asked).ranked_record_ids == (pool[0].record_id,)


def test_one_word_is_no_exact_match() -> None:
    asked = query("Brutus?")
    pool = [candidate("Brutus is my Bernese mountain dog.")]
    assert judged(pool, {pool[0].record_id: 0.0}, asked).ranked_record_ids == ()


def test_the_judge_is_asked_about_the_best_and_no_more() -> None:
    pool = [
        candidate(f"Brutus is my Bernese mountain dog number {at}.", cosine=0.5 + at / 100) for at in range(5)
    ]
    asked = doubtful(QUESTION, weigh(QUESTION, pool, JUDGED), limit=3)
    assert [one.record_id for one in asked] == [pool[at].record_id for at in (4, 3, 2)]

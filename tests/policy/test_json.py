"""A decision's JSON is written by hand for speed, and is what the standard library would write."""

import json

from hypothesis import given
from hypothesis import strategies as st

from atmem_core.policy.decide import decide
from atmem_core.records import JudgedCandidate, ReasonCode, SignalContribution, SupportClass
from tests.policy.builders import candidate, query, situation

NUMBERS = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-2, 2))
CONTRIBUTIONS = st.builds(
    SignalContribution,
    name=st.text(max_size=5),
    version=st.text(max_size=2),
    normalized_score=NUMBERS,
    raw_score=st.none() | NUMBERS,
    eligible_for_support=st.booleans(),
)


def plain(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@given(
    st.builds(
        JudgedCandidate,
        record_id=st.text(max_size=8),
        support_class=st.sampled_from(SupportClass),
        relevance_score=NUMBERS,
        rank_score=NUMBERS,
        contributions=st.lists(CONTRIBUTIONS, max_size=3, unique_by=lambda part: part.name).map(tuple),
        reason_codes=st.lists(st.sampled_from(ReasonCode), max_size=3).map(tuple),
    )
)
def test_a_candidate_is_written_as_the_library_writes_it(judged: JudgedCandidate) -> None:
    assert judged.to_json() == plain(judged.to_dict())


def test_a_decision_is_written_as_the_library_writes_it() -> None:
    texts = ("Brutus is my dog.", "The dog park is closed.", "I like tea.")
    decision = decide(
        query("what is my dog called?"),
        [candidate(text, cosine=cosine) for text, cosine in zip(texts, (0.8, -0.1, None), strict=True)],
        situation(),
    )
    assert len(decision.candidates) == 3
    assert decision.to_json() == plain(decision.to_dict())

"""The decision against the schema file that ships."""

import json
from importlib import resources
from typing import Any

import jsonschema
from hypothesis import given

from atmem_core.policy.calibration import RANKING_SIGNALS
from atmem_core.policy.decide import decide
from atmem_core.records import Candidate, ReasonCode
from tests.policy.builders import query, situation
from tests.policy.test_rules import QUESTION, many


def schema() -> dict[str, Any]:
    folder = resources.files("atmem_core.records").joinpath("schema")
    text = folder.joinpath("atmem-retrieval-decision-v1.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


CHECK = jsonschema.Draft202012Validator(schema())


@given(many)
def test_every_decision_validates(pool: list[Candidate]) -> None:
    CHECK.validate(json.loads(decide(QUESTION, pool, situation()).to_json()))


def test_a_refused_query_validates() -> None:
    CHECK.validate(decide(query("thanks!"), [], situation(semantic=None)).to_dict())


def test_the_schema_lists_every_reason_and_no_other() -> None:
    assert schema()["$defs"]["reason"]["enum"] == [code.value for code in ReasonCode]


def test_the_schema_lists_every_signal_that_only_orders() -> None:
    (rule,) = schema()["$defs"]["contribution"]["allOf"]
    assert sorted(rule["if"]["properties"]["name"]["enum"]) == sorted(RANKING_SIGNALS)


def test_the_schema_refuses_a_prior_that_claims_support() -> None:
    document = json.loads(decide(QUESTION, [], situation()).to_json())
    prior = {
        "name": "trust",
        "version": "1",
        "normalized_score": 0.5,
        "raw_score": 0.5,
        "eligible_for_support": True,
    }
    document["candidates"] = [
        {
            "record_id": "n1",
            "support_class": "direct_support",
            "relevance_score": 0.9,
            "rank_score": 0.9,
            "signals": {"trust": 0.5},
            "signal_contributions": [prior],
            "reason_codes": [],
        }
    ]
    assert not CHECK.is_valid(document)
    prior["eligible_for_support"] = False
    assert CHECK.is_valid(document)

"""The demo shows all three outcomes, with a model and without."""

import json

import pytest

from atmem_cli.conversation import ASKED, TOLD
from tests.adapters.cli.shell import atmem, process

THREE = {"direct_support", "background_context", "no_useful_memory"}


@pytest.mark.parametrize("options", [[], ["--lexical-only"]], ids=["auto", "lexical only"])
def test_all_three_outcomes_are_shown(options: list[str]) -> None:
    questions = atmem("demo", "--json", *options).document["questions"]
    assert {one["decision"]["support_class"] for one in questions} == THREE


@pytest.mark.parametrize("options", [[], ["--lexical-only"]], ids=["auto", "lexical only"])
def test_nothing_but_direct_support_is_released(options: list[str]) -> None:
    for one in atmem("demo", "--json", *options).document["questions"]:
        direct = one["decision"]["support_class"] == "direct_support"
        assert (len(one["released"]) > 0) == direct, one["question"]


@pytest.mark.parametrize("options", [[], ["--lexical-only"]], ids=["auto", "lexical only"])
def test_a_corrected_statement_is_never_released(options: list[str]) -> None:
    (new,) = [told for told in TOLD if told.corrects is not None]
    (old,) = [told.text for told in TOLD if told.text.startswith(str(new.corrects))]
    released = [
        text for one in atmem("demo", "--json", *options).document["questions"] for text in one["released"]
    ]
    assert old not in released


def test_a_person_sees_each_statement_question_and_reason() -> None:
    ran = atmem("demo", "--lexical-only")
    assert ran.status == 0
    for told in TOLD:
        assert told.text in ran.out
    for asked in ASKED:
        assert asked.shows in ran.out
    assert ran.out.count("Why: ") >= len(ASKED)


def test_without_a_model_the_demo_says_what_is_missing_and_how_to_get_it() -> None:
    ran = atmem("demo", "--lexical-only")
    assert "Judged with: none" in ran.out
    assert "pip install 'atmem-core[local]'" in ran.out


def test_the_demo_runs_by_itself_and_says_what_judged() -> None:
    ran = process("demo", "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["embedder"]["name"] == "embedder"

"""Each objection: a pair of statements that differ in what it is about."""

from typing import Any

import pytest

from atmem_core.policy.guards import objections
from atmem_core.policy.reading import read
from atmem_core.records import ReasonCode, Source
from tests.policy.builders import candidate, query


def against(question: str, statement: str, **changes: Any) -> tuple[ReasonCode, ...]:
    return objections(query(question), candidate(statement, **changes), read(statement))


@pytest.mark.parametrize(
    ("question", "fits", "differs", "reason"),
    [
        (
            "status of INC100234?",
            "INC100234 is closed.",
            "INC100235 is closed.",
            "identifier_absent",
        ),
        ("what is sample S-2041?", "S-2041 is basalt.", "S-2042 is basalt.", "identifier_absent"),
        (
            "which bug is in v2.3.10?",
            "2.3.10 leaks memory.",
            "v2.3.11 leaks memory.",
            "identifier_absent",
        ),
        ("where does Anna live?", "Anna lives in Rome.", "Bea lives in Rome.", "name_absent"),
        (
            "what is my dog called?",
            "My dog is called Rex.",
            "Anna's dog is called Rex.",
            "owner_mismatch",
        ),
        (
            "what is Anna's dog called?",
            "Anna's dog is Rex.",
            "Anna met Bea's dog Rex.",
            "owner_mismatch",
        ),
        ("which food do I not like?", "I don't like olives.", "I like pasta.", "polarity_mismatch"),
        ("which food do I not like?", "I hate olives.", "I like pasta.", "polarity_mismatch"),
        ("what do I like to eat?", "I like pasta.", "I don't like olives.", "polarity_mismatch"),
        (
            "when is the review?",
            "The review is on Tuesday.",
            "The review is with Tom.",
            "asked_kind_absent",
        ),
        (
            "how many eggs are left?",
            "Six eggs are left.",
            "Some eggs are left.",
            "asked_kind_absent",
        ),
        ("who fixed the sink?", "Marco fixed the sink.", "The sink is fixed.", "asked_kind_absent"),
        ("what colour is the car?", "The car is red.", "The car is new.", "asked_kind_absent"),
        (
            "what is the alarm PIN?",
            "The alarm PIN is 4471.",
            "The alarm is loud.",
            "asked_kind_absent",
        ),
        ("which dog is mine?", "The brown dog is mine.", "Which dog is mine?", "question_shaped"),
    ],
)
def test_an_objection_names_what_differs(question: str, fits: str, differs: str, reason: str) -> None:
    assert reason not in against(question, fits)
    assert reason in against(question, differs)


def test_a_yes_or_no_question_is_answered_by_the_opposite_too() -> None:
    assert against("do I like olives?", "I don't like olives.") == ()


def test_a_web_page_is_never_direct_support_by_its_own_word() -> None:
    reasons = against("who fixed the sink?", "Marco fixed the sink.", source=Source.WEB)
    assert ReasonCode.UNTRUSTED_SOURCE in reasons


def test_a_named_speaker_is_the_one_asked_about() -> None:
    told = "I live in Rome."
    assert against("where does Anna live?", told, speaker="Anna") == ()
    assert ReasonCode.NAME_ABSENT in against("where does Anna live?", told, speaker="Bea")


def test_who_says_i_speaks_of_herself_also_when_she_addresses_the_one_asked_about() -> None:
    question = "where does Anna live?"
    assert ReasonCode.OWNER_MISMATCH in against(question, "Anna, I live in Rome now.", speaker="Bea")
    assert against(question, "Anna's flat is in Rome, I love it.", speaker="Bea") == ()


def test_what_a_tool_said_needs_somebody_to_vouch_for_it() -> None:
    told = ("who fixed the sink?", "Marco fixed the sink.")
    assert ReasonCode.UNTRUSTED_SOURCE in against(*told, source=Source.TOOL, trust=0.4)
    assert against(*told, source=Source.TOOL, trust=0.8) == ()


@pytest.mark.parametrize("text", ["我的预约是什么时候", "когда мой приём?", "متى موعدي؟"])
def test_a_text_in_another_script_is_not_read_as_english(text: str) -> None:
    assert not query(text).reading.english

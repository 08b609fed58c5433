"""What of a turn tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.remember.extraction.telling import sentences_of, told
from tests.extraction.jobs import job


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I live in Lisbon. Where do you live? Write me a haiku.", ["I live in Lisbon."]),
        ("Thanks! Hello!", []),
        ("Please remember that my dog is Brutus.", ["my dog is Brutus."]),
        ("Don't forget that I am vegan.", ["I am vegan."]),
        ("Note: I moved to Porto.", ["I moved to Porto."]),
        ("Can you book a table for two?", []),
        ("Dr. Weber is my dentist.", ["Dr. Weber is my dentist."]),
        ('My dog is called "Brutus".', ["My dog is called Brutus."]),
        ('He wrote "I hate all of you" to me.', []),
        ("user: I live in Lisbon.\nassistant: I live in a computer.", ["I live in Lisbon."]),
        ("I bought a bike\nIt is red", ["I bought a bike", "It is red"]),
        ("", []),
        ("???", []),
    ],
)
def test_statements_are_kept_and_nothing_else(text: str, sentences: list[str]) -> None:
    assert told(job(text)) == sentences


def test_a_named_speakers_own_label_is_no_other_speaker() -> None:
    assert told(job("Tom: I live in Rome.", speaker="Tom")) == ["I live in Rome."]
    assert told(job("Tom: I live in Rome.", speaker="Anna")) == []


def test_sentences_end_where_they_end() -> None:
    assert sentences_of("I met Dr. Weber. He is tall!  Yes\n\nOK") == [
        "I met Dr. Weber.",
        "He is tall!",
        "Yes",
        "OK",
    ]


@given(st.text(max_size=300))
def test_any_text_may_be_read(text: str) -> None:
    for sentence in told(job(text)):
        assert sentence.strip()
        assert not sentence.rstrip().endswith("?")

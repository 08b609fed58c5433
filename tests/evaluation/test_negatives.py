"""Questions that nothing answers, made from a data set."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from atmem_core.evaluation import Dataset, Format, read_dataset
from atmem_core.evaluation.dataset import DatasetStore, Question
from atmem_core.evaluation.negatives import MADE, chores, limited, with_negatives
from atmem_core.policy.metrics import NegativeKind
from tests.evaluation import builders
from tests.evaluation.builders import written


@pytest.fixture
def talk(tmp_path: Path) -> Dataset:
    return read_dataset(written(tmp_path, "talk.json", builders.LOCOMO))


def of(stores: Sequence[DatasetStore], kind: NegativeKind) -> list[Question]:
    return [one for store in stores for one in store.questions if one.negative is kind]


def test_an_unrelated_question_is_another_conversation_s_as_it_is(talk: Dataset) -> None:
    made = with_negatives(talk, count=10, seed=0)
    asked = {one.text for one in of(made.stores[:1], NegativeKind.UNRELATED)}
    assert asked == {one.text for one in talk.stores[1].answerable}


def test_an_unrelated_question_names_nobody_of_the_store(tmp_path: Path) -> None:
    other = {**builders.OLA_AND_UNA, "qa": [builders.asked("What does Ida think of Ola?", 4, "D1:1")]}
    talk = read_dataset(written(tmp_path, "talk.json", [builders.IDA_AND_PER, other]))
    assert of(with_negatives(talk, count=10, seed=0).stores[:1], NegativeKind.UNRELATED) == []


def test_the_same_names_take_the_place_of_the_other_speakers(talk: Dataset) -> None:
    made = with_negatives(talk, count=10, seed=0)
    assert {one.text for one in of(made.stores[:1], NegativeKind.SAME_NAMES)} == {
        "What kind of telescope does Ida have?",
        "Where did Per win the chess tournament?",
    }


def test_names_are_swapped_at_once_and_whole(tmp_path: Path) -> None:
    swapped = {
        **builders.IDA_AND_PER,
        "sample_id": "una-ola",
        "conversation": {
            "session_1": [
                builders.turn("D1:1", "Per", "Perhaps."),
                builders.turn("D1:2", "Ida", "No."),
            ]
        },
        "qa": [builders.asked("Did Per, perhaps, call Ida in Persia?", 4, "D1:1")],
    }
    talk = read_dataset(written(tmp_path, "talk.json", [builders.IDA_AND_PER, swapped]))
    made = with_negatives(talk, count=10, seed=0)
    assert [one.text for one in of(made.stores[:1], NegativeKind.SAME_NAMES)] == [
        "Did Ida, perhaps, call Per in Persia?"
    ]


def test_a_copy_lacks_the_evidence_and_the_turns_beside_it(talk: Dataset) -> None:
    made = with_negatives(talk, count=10, seed=0)
    copies = [store for store in made.stores if store.name.startswith("ola-una, copy")]
    kept = {
        question.text: {note.key for note in copy.notes} for copy in copies for question in copy.questions
    }
    assert kept["What kind of telescope does Ola have?"] == {"D1:3", "D1:4", "D1:5", "D1:6"}
    assert kept["Where did Una win the chess tournament?"] == {"D1:4", "D1:5", "D1:6"}


def test_a_neighbour_in_another_session_stays(talk: Dataset) -> None:
    made = with_negatives(talk, count=10, seed=0)
    (copy,) = [
        store
        for store in made.stores
        if any("pottery class" in one.text for one in store.questions) and "copy" in store.name
    ]
    assert {"D1:4", "D2:1"} & {note.key for note in copy.notes} == {"D1:4"}


def test_a_question_about_a_copy_has_no_evidence(talk: Dataset) -> None:
    asked = of(with_negatives(talk, count=10, seed=0).stores, NegativeKind.FACT_ABSENT)
    assert asked
    assert all(one.evidence == () for one in asked)


def test_there_are_two_hundred_chores_in_four_languages_and_no_two_alike() -> None:
    texts = [text for group in chores().values() for text in group]
    assert len(set(texts)) == len(texts) >= 200
    assert {label.rpartition(" ")[2] for label in chores()} == {"en", "de", "es", "fr"}


def test_the_chores_are_english_mostly() -> None:
    counts = {label: len(texts) for label, texts in chores().items()}
    english = sum(count for label, count in counts.items() if label.endswith("en"))
    assert english > sum(counts.values()) / 2


def test_no_more_are_made_than_there_are_answerable_questions(talk: Dataset) -> None:
    made = with_negatives(talk, count=100, seed=0)
    assert len(of(made.stores[:1], NegativeKind.CHORE)) == len(talk.stores[0].answerable) == 3


def test_the_same_seed_makes_the_same_questions(talk: Dataset) -> None:
    assert with_negatives(talk, count=2, seed=3) == with_negatives(talk, count=2, seed=3)


def test_another_seed_makes_others(talk: Dataset) -> None:
    first = of(with_negatives(talk, count=3, seed=0).stores, NegativeKind.CHORE)
    second = of(with_negatives(talk, count=3, seed=1).stores, NegativeKind.CHORE)
    assert first != second


def test_a_larger_number_adds_to_the_smaller_one(talk: Dataset) -> None:
    few = of(with_negatives(talk, count=1, seed=0).stores[:1], NegativeKind.CHORE)
    many = of(with_negatives(talk, count=3, seed=0).stores[:1], NegativeKind.CHORE)
    assert many[: len(few)] == few


def test_none_are_made_when_none_are_wanted(talk: Dataset) -> None:
    assert with_negatives(talk, count=0, seed=0) == talk


@pytest.mark.parametrize("layout", Format)
def test_every_layout_says_what_is_made_for_it(layout: Format) -> None:
    assert layout in MADE


def test_a_limit_takes_a_part_of_the_questions_in_their_order(talk: Dataset) -> None:
    few = limited(talk, stores=1, questions=2, seed=0)
    (store,) = few.stores
    places = [talk.stores[0].questions.index(one) for one in store.questions]
    assert len(places) == 2
    assert places == sorted(places)


def test_a_limit_keeps_a_case_whole(tmp_path: Path) -> None:
    doors = read_dataset(written(tmp_path, "doors.json", builders.PRECISION))
    for seed in range(4):
        (store,) = limited(doors, stores=None, questions=1, seed=seed).stores
        cases = [one.case for one in store.questions]
        assert cases in (["c1"], ["c2", "c2"])

"""What each layout becomes."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from atmem_core.errors import InvalidInput
from atmem_core.evaluation import Dataset, read_dataset
from atmem_core.evaluation.dataset import NoteStatus
from atmem_core.policy.metrics import NegativeKind
from tests.evaluation import builders
from tests.evaluation.builders import lines, said, written


@pytest.fixture
def locomo(tmp_path: Path) -> Dataset:
    return read_dataset(written(tmp_path, "talk.json", builders.LOCOMO))


# -- LoCoMo


def test_a_turn_keeps_its_speaker_session_and_time(locomo: Dataset) -> None:
    note = locomo.stores[0].notes[1]
    assert (note.key, note.speaker, note.scope.session) == ("D1:2", "Per", "session_1")
    assert note.occurred_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_a_photo_s_caption_is_part_of_the_turn(locomo: Dataset) -> None:
    assert locomo.stores[0].notes[2].text == "Lovely! [photo: a grey dog on a sofa]"


def test_a_conversation_is_a_store_of_its_own(locomo: Dataset) -> None:
    assert [store.name for store in locomo.stores] == ["ida-per", "ola-una"]
    assert locomo.stores[0].speakers == ("Ida", "Per")


def test_evidence_that_names_several_turns_is_several_pieces(locomo: Dataset) -> None:
    assert locomo.stores[0].questions[2].evidence == (("D2:3",), ("D2:4",))


def test_category_five_asks_the_wrong_person(locomo: Dataset) -> None:
    question = locomo.stores[0].questions[3]
    assert (question.negative, question.evidence) == (NegativeKind.WRONG_PERSON, ())


def test_a_question_whose_evidence_is_no_turn_is_left_out_and_counted(locomo: Dataset) -> None:
    assert len(locomo.stores[0].questions) == 4
    assert locomo.skipped == 1


def test_questions_are_asked_a_day_after_the_last_turn(locomo: Dataset) -> None:
    assert locomo.stores[0].now == datetime(2023, 6, 3, 9, 5, tzinfo=UTC)


# -- SQuAD and XQuAD


def test_paragraphs_of_an_article_are_notes(tmp_path: Path) -> None:
    store = read_dataset(written(tmp_path, "dev.json", builders.SQUAD)).stores[0]
    assert (store.name, [note.key for note in store.notes]) == ("Lighthouses", ["p1", "p2"])
    assert store.questions[2].evidence == (("p2",),)


def test_an_impossible_question_is_one_whose_fact_is_absent(tmp_path: Path) -> None:
    question = read_dataset(written(tmp_path, "dev.json", builders.SQUAD)).stores[0].questions[1]
    assert (question.negative, question.evidence) == (NegativeKind.FACT_ABSENT, ())


def test_one_language_asks_the_paragraphs_of_another(tmp_path: Path) -> None:
    asking = written(tmp_path, "xquad.de.json", builders.XQUAD_DE)
    stored = written(tmp_path, "xquad.en.json", builders.XQUAD_EN)
    (store,) = read_dataset(asking, paragraphs=stored).stores
    assert store.notes[0].text.startswith("The mine")
    (question,) = store.questions
    assert (question.text, question.label, question.evidence) == (
        "Was wurde verkauft?",
        "de",
        (("a1p1",),),
    )


def test_one_language_asks_its_own_paragraphs(tmp_path: Path) -> None:
    (store,) = read_dataset(written(tmp_path, "xquad.de.json", builders.XQUAD_DE)).stores
    assert store.notes[0].text.startswith("Das Bergwerk")


def test_a_folder_asks_in_every_language_about_english_paragraphs(tmp_path: Path) -> None:
    written(tmp_path, "xquad.de.json", builders.XQUAD_DE)
    written(tmp_path, "xquad.en.json", builders.XQUAD_EN)
    (store,) = read_dataset(tmp_path).stores
    assert [question.label for question in store.questions] == ["de", "en"]
    assert store.notes[0].text.startswith("The mine")


def test_languages_of_different_articles_are_refused(tmp_path: Path) -> None:
    asking = written(tmp_path, "xquad.de.json", builders.XQUAD_DE)
    stored = written(tmp_path, "xquad.en.json", builders.SQUAD)
    with pytest.raises(InvalidInput, match="give two files of the same set"):
        read_dataset(asking, paragraphs=stored)


# -- LongMemEval


def test_a_question_with_its_haystack_is_a_store(tmp_path: Path) -> None:
    store = read_dataset(written(tmp_path, "long.json", builders.LONGMEMEVAL)).stores[0]
    assert len(store.notes) == 4
    assert store.notes[0].occurred_at == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert store.now == datetime(2023, 6, 1, 10, tzinfo=UTC)


def test_marked_turns_of_an_answer_session_are_the_evidence(tmp_path: Path) -> None:
    store = read_dataset(written(tmp_path, "long.json", builders.LONGMEMEVAL)).stores[0]
    assert store.questions[0].evidence == (("1:0",),)


def test_without_marks_any_turn_of_the_answer_session_is_evidence(tmp_path: Path) -> None:
    question = {
        **builders.LONGMEMEVAL[0],
        "haystack_sessions": [[said("user", "Hello.")], [said("user", "Turku."), said("user", "In May.")]],
    }
    store = read_dataset(written(tmp_path, "long.json", [question])).stores[0]
    assert store.questions[0].evidence == (("1:0", "1:1"),)


def test_an_abstention_question_is_one_whose_fact_is_absent(tmp_path: Path) -> None:
    question = read_dataset(written(tmp_path, "long.json", builders.LONGMEMEVAL)).stores[1].questions[0]
    assert (question.negative, question.evidence) == (NegativeKind.FACT_ABSENT, ())


def test_sessions_without_a_date_each_are_refused(tmp_path: Path) -> None:
    question = {**builders.LONGMEMEVAL[0], "haystack_dates": ["2023/05/20 (Sat) 02:21"]}
    with pytest.raises(InvalidInput, match="there must be one of each a session"):
        read_dataset(written(tmp_path, "long.json", [question]))


def test_a_date_in_another_form_is_refused_with_the_right_one(tmp_path: Path) -> None:
    question = {**builders.LONGMEMEVAL[0], "question_date": "June"}
    with pytest.raises(InvalidInput, match="must look like"):
        read_dataset(written(tmp_path, "long.json", [question]))


# -- JSON lines


def test_a_note_that_takes_another_s_place_is_told_after_it(tmp_path: Path) -> None:
    (store,) = read_dataset(lines(tmp_path, builders.LINES)).stores
    assert [note.key for note in store.notes] == ["n1", "n2"]
    assert store.notes[1].supersedes == "n1"
    assert store.speakers == ("Mira",)


def test_a_question_without_evidence_asks_what_is_absent(tmp_path: Path) -> None:
    (store,) = read_dataset(lines(tmp_path, builders.LINES)).stores
    assert store.questions[1].negative is NegativeKind.FACT_ABSENT
    assert store.questions[1].label == "medical"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"type": "memo"}, "line 6: type 'memo' is none of store, note, question"),
        ({"type": "note", "text": "Rain."}, "line 6 has no 'key'"),
        ({"type": "question", "text": ["a"]}, "line 6: 'text' must be a text, got a list"),
        ({"type": "question", "text": "a", "evidence": "n1"}, "'evidence' must be a list of texts"),
        ({"type": "question", "text": "a", "kind": "odd"}, "kind 'odd' is none of unrelated, chore"),
        ({"type": "note", "key": "k", "text": "a", "status": "odd"}, "status 'odd' is none of active"),
        ({"type": "note", "key": "k", "text": "a", "occurred_at": "May"}, "is no ISO 8601 time: 'May'"),
        ({"type": "note", "store": "home", "key": "n1", "text": "a"}, "two notes have the key 'n1'"),
        (
            {"type": "note", "store": "home", "key": "n3", "text": "a", "supersedes": "n1"},
            "two notes supersede 'n1'",
        ),
        (
            {"type": "note", "store": "home", "key": "n3", "text": "a", "supersedes": "n9"},
            "note 'n3' supersedes 'n9', which is no note before it",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_line_is_named(line: dict[str, object], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_dataset(lines(tmp_path, [*builders.LINES, line]))


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = lines(tmp_path, builders.LINES)
    path.write_text(path.read_text(encoding="utf-8") + "{oops\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 7 is no JSON"):
        read_dataset(path)


# -- precision


def test_a_record_may_say_by_which_it_is_superseded(tmp_path: Path) -> None:
    (store,) = read_dataset(written(tmp_path, "doors.json", builders.PRECISION)).stores
    assert {note.key: note.supersedes for note in store.notes}["r2"] == "r1"


def test_a_record_has_its_scope_and_status(tmp_path: Path) -> None:
    (store,) = read_dataset(written(tmp_path, "doors.json", builders.PRECISION)).stores
    notes = {note.key: note for note in store.notes}
    assert notes["r3"].scope.subject == "bo"
    assert notes["r4"].status is NoteStatus.FORGOTTEN


def test_the_turns_of_a_session_are_one_case(tmp_path: Path) -> None:
    (store,) = read_dataset(written(tmp_path, "doors.json", builders.PRECISION)).stores
    assert [(one.case, one.label) for one in store.questions] == [
        ("c1", "single turn"),
        ("c2", "session"),
        ("c2", "session"),
    ]
    assert store.questions[1].scope.subject == "ada"


# -- labelled stores


def test_a_kind_of_case_is_a_kind_of_negative(tmp_path: Path) -> None:
    (store,) = read_dataset(written(tmp_path, "desk.json", builders.STORE)).stores
    assert [one.negative for one in store.questions] == [
        None,
        NegativeKind.CHORE,
        NegativeKind.FACT_ABSENT,
    ]

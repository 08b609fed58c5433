"""A run stores what the data set says and keeps what came of each question."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atmem_core import EmbedPurpose, Memory
from atmem_core.evaluation import Dataset, Progress, read_dataset
from atmem_core.evaluation.dataset import SUBJECT, DatasetNote, DatasetStore, Question
from atmem_core.evaluation.model import Model
from atmem_core.evaluation.negatives import with_negatives
from atmem_core.evaluation.run import Run, run
from atmem_core.evaluation.storing import PART_CHARS, CountingClock, parts, tell
from atmem_core.policy.metrics import Outcome
from atmem_core.testing.embedders import BrokenEmbedder, FakeEmbedder, Fault
from tests.evaluation import builders
from tests.evaluation.builders import written

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = Model(None)


@pytest.fixture
def doors(tmp_path: Path) -> Dataset:
    return read_dataset(written(tmp_path, "doors.json", builders.PRECISION))


@pytest.fixture
def talk(tmp_path: Path) -> Dataset:
    return read_dataset(written(tmp_path, "talk.json", builders.LOCOMO))


def without_times(brought: Run) -> list[Outcome]:
    return [replace(one, cpu_ms=0.0) for one in brought.outcomes]


def test_superseded_foreign_forgotten_and_expired_records_come_back_nowhere(doors: Dataset) -> None:
    outcomes = run(doors, WORDS).outcomes
    assert sum(one.forbidden for one in outcomes) == 4
    assert sum(one.leaked for one in outcomes) == 0


def test_a_record_that_must_return_and_does_is_counted(doors: Dataset) -> None:
    outcome = run(doors, WORDS).outcomes[0]
    assert (outcome.injected_right, outcome.covered, outcome.passed) == (1, 1, True)


def test_a_forbidden_record_that_comes_back_is_counted(tmp_path: Path) -> None:
    case = {"query": "What is the gate code?", "scope": {"subject": "ada"}, "must_not_return": ["r2"]}
    data = {**builders.PRECISION, "cases": [case]}
    (outcome,) = run(read_dataset(written(tmp_path, "doors.json", data)), WORDS).outcomes
    assert (outcome.leaked, outcome.forbidden, outcome.passed) == (1, 1, False)


def test_an_answer_has_its_place_in_the_ranking(talk: Dataset) -> None:
    outcome = run(talk, WORDS).outcomes[0]
    assert outcome.ranks == (1,)
    assert outcome.top_right


def test_evidence_that_is_not_found_has_no_place(talk: Dataset) -> None:
    store = talk.stores[0]
    odd = replace(store.questions[0], text="Xylophone zebra?")
    (outcome,) = run(replace(talk, stores=(replace(store, questions=(odd,)),)), WORDS).outcomes
    assert outcome.ranks == (None,)
    assert outcome.score is None


def test_a_run_repeats_to_the_digit(talk: Dataset) -> None:
    whole = with_negatives(talk, count=3, seed=0)
    assert without_times(run(whole, WORDS)) == without_times(run(whole, WORDS))


def test_progress_rises_to_the_total(talk: Dataset) -> None:
    seen: list[Progress] = []
    run(talk, WORDS, progress=seen.append)
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert (seen[-1].done, seen[-1].total) == (14 + 6, 14 + 6)


def test_a_note_is_embedded_once_for_a_store_and_its_copies(talk: Dataset) -> None:
    embedder = FakeEmbedder()
    run(with_negatives(talk, count=5, seed=0), Model(embedder))
    texts = Counter(
        text for call in embedder.calls if call.purpose is EmbedPurpose.DOCUMENT for text in call.texts
    )
    assert max(texts.values()) == 1


def test_each_decision_makes_its_own_vector(talk: Dataset) -> None:
    embedder = FakeEmbedder()
    store = talk.stores[0]
    twice = replace(store, questions=(store.questions[0], store.questions[0]))
    run(replace(talk, stores=(twice,)), Model(embedder))
    asked = [text for call in embedder.calls if call.purpose is EmbedPurpose.QUERY for text in call.texts]
    assert asked.count(store.questions[0].text) == 2


def test_what_was_not_available_is_counted(talk: Dataset) -> None:
    with BrokenEmbedder(Fault.RAISES) as embedder:
        brought = run(talk, Model(embedder))
    assert brought.degraded["embedding_unavailable"] == len(brought.outcomes)


def test_a_long_note_is_told_in_parts_that_end_with_a_sentence() -> None:
    text = "The tide tables were printed twice that year. " * 200
    pieces = parts(text)
    assert len(pieces) > 1
    assert all(len(piece) <= PART_CHARS and piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == text.strip()


def test_a_long_text_without_a_space_is_cut_all_the_same() -> None:
    assert [len(piece) for piece in parts("x" * (PART_CHARS + 5))] == [PART_CHARS, 5]


def test_any_part_of_a_note_is_its_evidence() -> None:
    filler = "The tide tables were printed twice that year. " * 100
    note = DatasetNote(key="n", text=f"{filler}The lighthouse keeper was called Odin.")
    question = Question(text="What was the lighthouse keeper called?", label="a", evidence=(("n",),))
    store = DatasetStore(name="s", now=NOW, notes=(note,), questions=(question,))
    with Memory.open(":memory:", embedder=None, clock=CountingClock(NOW)) as memory:
        told = tell(memory, store)
        (hit, *_) = memory.search(question.text, subject=SUBJECT)
    assert len(told.ids["n"]) == 2
    assert hit.record_id in told.ids["n"]


def test_equal_notes_share_one_record() -> None:
    notes = tuple(DatasetNote(key=key, text="Thanks, see you then.") for key in ("a", "b"))
    store = DatasetStore(name="s", now=NOW, notes=notes, questions=())
    with Memory.open(":memory:", embedder=None, clock=CountingClock(NOW)) as memory:
        told = tell(memory, store)
    assert told.ids["a"] == told.ids["b"]


def test_a_note_that_is_refused_is_counted() -> None:
    notes = (DatasetNote(key="a", text="  "), DatasetNote(key="b", text="Rain at noon."))
    store = DatasetStore(name="s", now=NOW, notes=notes, questions=())
    with Memory.open(":memory:", embedder=None, clock=CountingClock(NOW)) as memory:
        assert tell(memory, store).refused == 1

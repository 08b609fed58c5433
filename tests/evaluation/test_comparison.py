"""The comparison with mem0: pinned, optional, and honest about what ran."""

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from atmem_core.errors import InvalidInput
from atmem_core.evaluation import Dataset, evaluate, pinned_data, read_dataset
from atmem_core.evaluation.comparison import Comparison, comparison_table
from atmem_core.evaluation.figures import figures
from atmem_core.evaluation.mem0_oss import ask_mem0, manifest
from atmem_core.policy.metrics import NegativeKind
from atmem_core.testing.embedders import FakeEmbedder
from tests.adapters.cli.shell import atmem
from tests.evaluation import builders
from tests.evaluation.builders import answerable, negative, written


class FakeMem0:
    """Finds the texts that share a word with the query, in the order in which they were added."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, str]] = {}
        self.vector_store = SimpleNamespace(client=SimpleNamespace(close=lambda: None))
        self.embedding_model: Any = None

    def add(self, messages: list[dict[str, str]], *, user_id: str, infer: bool) -> dict[str, Any]:
        assert not infer
        text = messages[0]["content"]
        self.embedding_model.embed(text, "add")
        key = f"m{len(self.texts)}"
        self.texts[key] = (user_id, text)
        return {"results": [{"id": key}]}

    def search(
        self, query: str, *, filters: Mapping[str, str], top_k: int, threshold: float
    ) -> dict[str, list[dict[str, Any]]]:
        assert threshold == 0.1
        words = set(query.casefold().strip("?").split())
        found = [
            {"id": key, "score": 0.5}
            for key, (user, text) in self.texts.items()
            if user == filters["user_id"] and words & set(text.casefold().strip(".").split())
        ]
        return {"results": found[:top_k]}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[FakeMem0]:
    """Every memory that was opened."""
    made: list[FakeMem0] = []

    def from_config(_config: Mapping[str, Any]) -> FakeMem0:
        made.append(FakeMem0())
        return made[-1]

    module = ModuleType("mem0")
    vars(module)["Memory"] = SimpleNamespace(from_config=from_config)
    monkeypatch.setitem(sys.modules, "mem0", module)
    return made


@pytest.fixture
def doors(tmp_path: Path) -> Dataset:
    return read_dataset(written(tmp_path, "doors.json", builders.PRECISION))


def compared(**changes: Any) -> Comparison:
    made = Comparison(
        manifest="mem0-oss-v1",
        version="2.2.1",
        optional_parts=(),
        pinned_version="2.2.1",
        pinned_data=True,
        settings={"injected": 5},
        figures=figures([answerable(ranks=(3,)), negative(NegativeKind.CHORE, injected=2)]),
    )
    return replace(made, **changes)


def test_the_manifest_pins_the_data_that_ships() -> None:
    digest = hashlib.sha256(pinned_data().read_bytes()).hexdigest()
    assert manifest().data_sha256 == digest == read_dataset(pinned_data()).digest


def test_the_data_that_ships_has_answerable_questions_and_every_kind_of_negative() -> None:
    asked = [one for store in read_dataset(pinned_data()).stores for one in store.questions]
    assert sum(one.negative is None for one in asked) == 40
    brought = {one.negative for one in asked} - {None}
    assert brought == set(NegativeKind) - {NegativeKind.SAME_NAMES}


def test_without_mem0_the_command_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", absent)
    ran = atmem("eval", "--compare", "mem0", "--embedder", "none")
    assert ran.status == 2
    assert "mem0 isn't installed; pip install 'mem0ai==2.2.1'" in ran.err


def test_a_data_set_may_be_left_out_for_a_comparison_alone() -> None:
    ran = atmem("eval")
    assert ran.status == 2
    assert "give a file or a folder of labelled questions" in ran.err


def test_a_comparison_needs_a_model(monkeypatch: pytest.MonkeyPatch, doors: Dataset) -> None:
    monkeypatch.setattr("atmem_core.evaluation.comparison.installed_version", lambda: "2.2.1")
    with pytest.raises(InvalidInput, match="there is no model"):
        evaluate(doors, embedder=None, mem0=True)


def test_mem0_gets_only_what_is_current(opened: list[FakeMem0], doors: Dataset) -> None:
    ask_mem0(doors, FakeEmbedder())
    texts = sorted(text for _, text in opened[0].texts.values())
    assert texts == ["The gate code is 7203.", "The gate code is 9999."]


def test_mem0_is_asked_for_one_subject_at_a_time(opened: list[FakeMem0], doors: Dataset) -> None:
    outcome = ask_mem0(doors, FakeEmbedder())[0]
    assert opened
    assert (outcome.injected, outcome.injected_right, outcome.leaked) == (1, 1, 0)
    assert outcome.ranks == (1,)


def test_a_speaker_s_name_goes_before_the_text(opened: list[FakeMem0], tmp_path: Path) -> None:
    ask_mem0(read_dataset(written(tmp_path, "desk.json", builders.STORE)), FakeEmbedder())
    assert ("evaluation", "Noor: Visitors park behind the bakery.") in opened[0].texts.values()


def test_each_store_has_a_memory_of_its_own(opened: list[FakeMem0], tmp_path: Path) -> None:
    ask_mem0(read_dataset(written(tmp_path, "talk.json", builders.LOCOMO)), FakeEmbedder())
    assert [len(one.texts) for one in opened] == [8, 6]


def test_a_report_sets_both_side_by_side(
    opened: list[FakeMem0], doors: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atmem_core.evaluation.comparison.installed_version", lambda: "9.9")
    report = evaluate(doors, embedder=FakeEmbedder(), mem0=True)
    assert opened
    assert report.tables()[0].title == "Beside mem0 9.9"
    assert "comparison" in report.to_dict()


def test_the_table_names_both_figures() -> None:
    ours = figures([answerable(), negative(NegativeKind.CHORE)])
    rows = {row[0]: row[1:] for row in comparison_table(ours, compared()).rows}
    assert rows["MRR@5"] == ("100.0", "33.3")
    assert rows["chore: withheld"] == ("100.0", "0.0")


def test_a_version_or_data_that_is_not_the_pinned_one_is_said() -> None:
    ours = figures([answerable(), negative(NegativeKind.CHORE)])
    says = comparison_table(ours, compared(version="2.0.0", pinned_data=False)).says
    assert "version 2.2.1, which is not what ran" in says
    assert "the pinned data is not what ran" in says

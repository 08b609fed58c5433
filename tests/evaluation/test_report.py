"""The report: the same digits twice, no text, and plots only where they can be drawn."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from atmem_core.evaluation import Report, Sampling, evaluate, read_dataset, write_report
from atmem_core.evaluation.figures import figures
from atmem_core.evaluation.tables import percent, tables
from atmem_core.policy.metrics import NegativeKind
from tests.evaluation import builders
from tests.evaluation.builders import answerable, negative, written


def reported(folder: Path, data: object = builders.LOCOMO) -> Report:
    dataset = read_dataset(written(folder, "data.json", data))
    return evaluate(dataset, embedder=None, sampling=Sampling(negatives=3))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return reported(tmp_path_factory.mktemp("report"))


def without_times(report: Report) -> dict[str, Any]:
    document: dict[str, Any] = report.to_dict()
    del document["figures"]["cpu_ms"]
    return document


def test_a_report_repeats_to_the_digit(report: Report, tmp_path: Path) -> None:
    assert without_times(reported(tmp_path)) == without_times(report)


def test_a_report_is_json(report: Report) -> None:
    document = report.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["format"] == "atmem-evaluation-v1"


def test_a_report_counts_what_was_run(report: Report) -> None:
    data = report.to_dict()["dataset"]
    assert isinstance(data, dict)
    assert (data["stores"], data["notes"], data["answerable"], data["skipped"]) == (2, 14, 5, 1)


def test_a_report_names_its_judge(report: Report) -> None:
    judge = report.judge
    assert str(judge["calibration"]).startswith("lexical-only-")
    assert str(judge["model"]).startswith("none")
    assert "thresholds" in judge


def test_a_report_holds_no_text_of_a_note_or_question(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    content = "".join((tmp_path / name).read_text(encoding="utf-8") for name in ("report.json", "report.md"))
    assert "greyhound" not in content


def test_shipped_point_and_sweep_are_both_there(report: Report) -> None:
    found = report.figures
    kinds = {one.kind for one in found.separations}
    assert kinds == set(NegativeKind)
    assert {one.name for one in found.sweeps} == {*kinds, "far, together", "near, together"}


def test_a_sweep_has_a_point_for_each_target() -> None:
    found = figures([answerable(), negative(score=None, certainty=None)])
    (sweep,) = found.sweeps
    assert [one.target for one in sweep.points] == [0.90, 0.95]
    assert [one.false_injection for one in sweep.points] == [0.0, 0.0]


def test_without_an_answerable_question_there_is_no_sweep() -> None:
    assert figures([negative()]).sweeps == ()


def test_a_question_without_a_candidate_is_in_no_bin() -> None:
    assert sum(one.count for one in figures([negative(score=None), answerable()]).bins) == 1


def test_the_sum_of_a_single_label_is_not_repeated() -> None:
    (table,) = [one for one in tables(figures([answerable()])) if one.title == "Retrieval"]
    assert [row[0] for row in table.rows] == ["all"]


def test_a_table_without_a_row_is_left_out() -> None:
    assert "Cases" not in [one.title for one in tables(figures([answerable()]))]


def test_a_share_of_nothing_is_a_dash() -> None:
    assert (percent(None), percent(0.256)) == ("-", "25.6")


def test_cases_are_reported_first(tmp_path: Path) -> None:
    table = reported(tmp_path, builders.PRECISION).tables()[0]
    assert (table.title, table.rows[-1][:2]) == ("Cases", ("all", "2 of 2"))


def test_without_the_extra_the_page_says_what_the_plots_need(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    files = write_report(report, tmp_path / "new")
    page = (tmp_path / "new" / "report.md").read_text(encoding="utf-8")
    assert [path.name for path in files] == ["report.json", "report.md"]
    assert "pip install 'atmem-core[eval]'" in page


def test_plots_are_drawn_and_shown_on_the_page(report: Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra eval")
    _, page, *plots = write_report(report, tmp_path)
    assert {path.stem for path in plots} == {"sweep", "operating-point", "reliability", "retrieval"}
    content = page.read_text(encoding="utf-8")
    assert all(f"]({path.name})" in content for path in plots)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in plots)


def test_what_has_no_figure_has_no_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra eval")
    dataset = read_dataset(written(tmp_path, "desk.json", builders.STORE))
    report = evaluate(dataset, embedder=None, sampling=Sampling(limit=1, seed=4))
    unanswered = [one for one in report.figures.labels if one.answered is None]
    plots = {path.stem for path in write_report(report, tmp_path / "out")[2:]}
    assert ("operating-point" in plots) == bool(unanswered)

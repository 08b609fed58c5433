"""Pages for people: links lead somewhere, examples run, the reference is what the code says."""

import json
import re
from pathlib import Path

import pytest

from tests.house.markdown import Block, anchors, blocks, links
from tests.house.tree import ROOT, name, pages, project, run_python

PAGES = pages()
EXAMPLES = [page for page in PAGES if any(b.info == "python" for b in blocks(page.read_text()))]
RUNNER = Path(__file__).with_name("run_blocks.py")


def is_local(link: str) -> bool:
    return not re.match(r"[a-z]+:", link)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in filter(is_local, links(page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        there = target.exists()
        if not there or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    assert broken == []


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached, waiting = {index}, [index]
    while waiting:
        page = waiting.pop()
        for link in filter(is_local, links(page.read_text(encoding="utf-8"))):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in reached:
                reached.add(target)
                waiting.append(target)
    docs = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert {name(page) for page in docs - reached} == set()


def expected_outputs(found: list[Block]) -> list[str | None]:
    """For each Python block the text block right after it, if there is one."""
    outputs: list[str | None] = []
    for block, following in zip(found, [*found[1:], None], strict=True):
        if block.info == "python":
            shown = following is not None and following.info == "text" and following.follows
            outputs.append(following.body if following is not None and shown else None)
    return outputs


@pytest.mark.parametrize("page", EXAMPLES, ids=name)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    found = blocks(page.read_text(encoding="utf-8"))
    code = [block for block in found if block.info == "python"]
    places = [[f"{name(page)}:{block.line}", block.body] for block in code]
    printed = json.loads(run_python(str(RUNNER), stdin=json.dumps(places), cwd=tmp_path))
    for block, shown, output in zip(code, expected_outputs(found), printed, strict=True):
        if shown is not None:
            assert output == shown, f"{name(page)}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_block_says_its_language(page: Path) -> None:
    known = {"python", "sh", "text", "json", "toml", "sql"}
    odd = [b.line for b in blocks(page.read_text(encoding="utf-8")) if b.info not in known]
    assert odd == [], "python blocks are run, sh blocks are not; say text for anything else"


def test_the_generated_reference_is_what_the_code_says() -> None:
    assert run_python("docs/generate.py", "--check") == ""


def test_the_changelog_has_an_entry_for_this_version() -> None:
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = re.escape(project()["project"]["version"])
    assert re.search(rf"^## \[{version}\] - (unreleased|\d{{4}}-\d\d-\d\d)$", page, re.MULTILINE)
    assert "## [Unreleased]" in page


def test_the_decision_records_are_numbered_without_a_gap() -> None:
    files = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    assert [int(path.name[:4]) for path in files] == list(range(1, len(files) + 1))


def test_every_test_that_architecture_names_is_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    gone = []
    for path, test in named:
        file = ROOT / path
        if not file.exists() or (test and f"def {test}(" not in file.read_text(encoding="utf-8")):
            gone.append(f"{path}::{test}")
    assert named
    assert gone == []

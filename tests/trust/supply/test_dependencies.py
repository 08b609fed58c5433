"""What comes with the product is listed, its licence may be shipped, and CI installs one file each."""

import re
from pathlib import Path

import pytest

from atmem_core.embedding.catalog import BUNDLED, MULTILINGUAL
from atmem_core.embedding.installed import sha256_of
from atmem_core.judge.encoder import MODEL, SHA256
from tests.house.markdown import rows, section
from tests.trust.supply.closure import PAGE, shipped, tools
from tests.trust.supply.lock import LOCK, locked

MAY_BE_SHIPPED = frozenset(
    {
        "0BSD", "3-Clause BSD License", "Apache License", "Apache Software License", "Apache-2.0",
        "BSD License", "BSD-2-Clause", "BSD-3-Clause",
        "CC0-1.0", "CNRI-Python", "ISC", "ISC License (ISCL)", "MIT",
        "MIT License", "MIT-0", "MIT-CMU", "MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)", "PSF-2.0",
        "Python Software Foundation License", "Version 2.0", "Zlib", "any-OSI",
    }
)  # fmt: skip
"""Licences whose terms a wheel that only depends on them keeps. MPL binds changes to its own files."""


def listed(title: str) -> dict[str, str]:
    return dict(rows(section(PAGE.read_text(encoding="utf-8"), title)))


def pinned() -> dict[str, str]:
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {line.partition("==")[0]: line.partition("==")[2] for line in lines}


@pytest.mark.parametrize("title", ["Shipped", "Tools"])
def test_every_dependency_is_listed_with_its_licence(title: str) -> None:
    found = shipped() if title == "Shipped" else tools()
    page = listed(title)
    assert {name: page.get(name) for name in found} == found


@pytest.mark.parametrize(("name", "licence"), sorted(listed("Shipped").items()))
def test_a_licence_may_be_shipped(name: str, licence: str) -> None:
    parts = {part.strip() for part in re.split(r" AND \(?| OR |; |, ", licence.removesuffix(" OR MIT)"))}
    assert parts - MAY_BE_SHIPPED == set(), f"{name} is under {licence}"


def test_ci_installs_one_version_and_one_digest_of_each() -> None:
    lock = pinned()
    assert [one for one in lock.values() if not re.fullmatch(r"\S+ --hash=sha256:[0-9a-f]{64}", one)] == []
    assert {**listed("Shipped"), **listed("Tools")}.keys() - lock.keys() == set()
    run = (LOCK.parent / "run").read_text(encoding="utf-8")
    assert "--require-hashes --no-deps -r .ci/lock.txt" in run


def test_a_lock_holds_names_versions_and_digests() -> None:
    package = {
        "metadata": {"name": "Typing_Extensions", "version": "4.16.0"},
        "download_info": {"url": "https://elsewhere", "archive_info": {"hashes": {"sha256": "ab"}}},
    }
    ourselves = {"metadata": {"name": "atmem-core", "version": "1"}, "download_info": {}}
    lines = locked({"install": [package, ourselves]})
    assert lines == ["typing-extensions==4.16.0 --hash=sha256:ab"]


def test_models_are_listed_by_their_digest() -> None:
    page = listed("Models")
    assert SHA256 in page["answerability.onnx"]
    assert BUNDLED.sha256 in page[BUNDLED.name]
    assert MULTILINGUAL.sha256 in page[MULTILINGUAL.name]
    assert sha256_of(Path(MODEL)) == SHA256

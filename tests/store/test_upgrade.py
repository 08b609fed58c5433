"""Files of every schema before this one open, with all that was in them."""

import json
from contextlib import closing
from importlib import resources
from pathlib import Path

import apsw
import pytest

from atmem_core import Memory
from atmem_core.embedding import HashingEmbedder
from atmem_core.store.sqlite.asking import every
from atmem_core.store.sqlite.opening import APPLICATION_ID, SCHEMA_VERSION
from tests.trust.isolation.owner import OWNER, everything, settle

_TABLES = (
    "SELECT name FROM old.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'notes\\_fts%' ESCAPE '\\' "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
)
_COLUMNS = "SELECT name FROM pragma_table_info(:table, 'old')"
_COPY = "INSERT INTO old.<table> (<columns>) SELECT <columns> FROM main.<table>"


_SINCE = {"profile": 6, "lesson": 6, "procedure": 6}
"""Kinds of record that came later."""


def _had(version: int, line: str) -> bool:
    return version >= _SINCE.get(json.loads(line)["record"], 0)


def of_schema(version: int, path: Path, newest: Path) -> None:
    """A file as that schema's scripts make it, with what of ``newest`` it can hold."""
    folder = resources.files("atmem_core.store.sqlite").joinpath("sql")
    scripts = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    with closing(apsw.Connection(str(path))) as old:
        for script in scripts:
            if int(script[:4]) <= version:
                old.execute(folder.joinpath(script).read_text(encoding="utf-8")).fetchall()
        old.pragma("application_id", APPLICATION_ID)
        old.pragma("user_version", version)
    with closing(apsw.Connection(str(newest))) as source:
        source.execute("ATTACH ? AS old", (str(path),))
        for (table,) in every(source, _TABLES):
            columns = ", ".join(name for (name,) in every(source, _COLUMNS, {"table": table}))
            source.execute(_COPY.replace("<table>", table).replace("<columns>", columns))
    with closing(apsw.Connection(str(path))) as old:
        old.execute("INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')")


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_file_of_an_older_schema_opens_with_all_that_it_held(tmp_path: Path, version: int) -> None:
    with Memory.open(tmp_path / "new.db", embedder=HashingEmbedder()) as memory:
        if version >= 3:
            settle(memory)
        else:  # facts and turns had no place yet
            memory.remember("Brutus is my Bernese.", subject=OWNER, tags=("pets",))
        told = everything(memory)
    of_schema(version, tmp_path / "old.db", tmp_path / "new.db")
    with Memory.open(tmp_path / "old.db", embedder=HashingEmbedder()) as memory:
        assert memory.verify() == []
        assert everything(memory)[:-1] == [line for line in told[:-1] if _had(version, line)]
        memory.remember("A new one.", subject=OWNER)
        assert memory.stats().schema_version == SCHEMA_VERSION
        assert memory.verify() == []

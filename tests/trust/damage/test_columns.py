"""A file in which any column holds anything: only our errors come out, and no wrong content unseen."""

import zlib
from pathlib import Path

import pytest

from atmem_core import Memory, StoreCorrupt
from tests.trust.damage.garbled import GARBLES, columns, copied, faults, filled, garble
from tests.trust.isolation.owner import OWNER

CONTENT = {
    "notes": ("id", "text", "search_text", "content_hash", "checksum", "tags"),
    "facts": ("entity", "predicate", "object", "key", "checksum"),
    "turns": ("id", "subject", "session", "role", "speaker", "source", "text", "search_text", "checksum"),
    "vectors": ("vector", "checksum"),
    "note_tags": ("tag",),
    "vocabulary": ("word", "documents"),
    "near_keys": ("key",),
}
"""Of which no change may stay unseen."""


def tried(folder: Path, garbles: dict[tuple[str, str], list[str]]) -> list[str]:
    ids = filled(folder / "whole.db")
    found = []
    for (table, column), names in garbles.items():
        for name in names:
            path = copied(folder / "whole.db", folder / f"{table}.{column}.{name}.db")
            if garble(path, table, column, GARBLES[name]):
                found += [f"{table}.{column} {name}: {fault}" for fault in faults(path, ids)]
    return found


def test_every_tenth_column_garbled_in_one_way_gives_only_our_errors(tmp_path: Path) -> None:
    filled(tmp_path / "seen.db")
    names = list(GARBLES)
    chosen = {
        pair: [names[zlib.crc32(".".join(pair).encode()) % len(names)]]
        for pair in columns(tmp_path / "seen.db")[::10]
    }
    assert len(chosen) > 6
    assert tried(tmp_path, chosen) == []


@pytest.mark.long
def test_each_column_garbled_in_every_way_gives_only_our_errors(tmp_path: Path) -> None:
    filled(tmp_path / "seen.db")
    assert tried(tmp_path, {pair: list(GARBLES) for pair in columns(tmp_path / "seen.db")}) == []


@pytest.mark.parametrize("table", CONTENT)
def test_no_change_of_content_stays_unseen(tmp_path: Path, table: str) -> None:
    filled(tmp_path / "whole.db")
    for column in CONTENT[table]:
        for name in ("another", "bytes"):
            path = copied(tmp_path / "whole.db", tmp_path / f"{column}.{name}.db")
            if garble(path, table, column, GARBLES[name]):
                assert verified(path) != [], (column, name)


def verified(path: Path) -> list[str]:
    with Memory.open(path, embedder=None) as memory:
        return memory.verify()


def test_a_column_that_became_null_is_damage_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "whole.db"
    ids = filled(path)
    assert garble(path, "notes", "use_count", "NULL")
    with Memory.open(path, embedder=None) as memory:
        with pytest.raises(StoreCorrupt, match="atmem repair"):
            memory.notes(subject=OWNER, all_states=True, limit=50)
        with pytest.raises(StoreCorrupt, match="atmem repair"):
            list(memory.export_records(subject=OWNER))
        assert any(line.startswith("notes: use_count holds") for line in memory.verify())
        assert memory.get(ids.note, subject=OWNER).text  # the other rows are read


def test_a_mistake_of_ours_on_a_healthy_file_stays_what_it_is(tmp_path: Path) -> None:
    filled(tmp_path / "whole.db")
    with Memory.open(tmp_path / "whole.db", embedder=None) as memory:
        connections = memory._store._connections  # type: ignore[attr-defined]  # no verb of ours may be wrong
        with pytest.raises(KeyError, match="mistake"), connections.reading():
            raise KeyError("mistake")
        with pytest.raises(TypeError, match="mistake"), connections.writing():
            raise TypeError("mistake")

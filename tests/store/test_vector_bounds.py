"""What bounds the search of vectors: memory, subjects that were seen, and how much of a file is scanned."""

from pathlib import Path

import pytest

from atmem_core.config import Config
from atmem_core.store.sqlite import vector_cache
from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import IDENTITY, SteppingClock, drafted, reading, unit


def test_memory_stays_bounded_when_two_thousand_subjects_are_asked(tmp_path: Path) -> None:
    most = 64_000
    store = SqliteStore.open(tmp_path / "many.db", config=Config(vector_cache_bytes=most))
    clock = SteppingClock()
    for at in range(200):
        stored = store.add(drafted(f"note {at}", clock, subject=f"s{at}"))
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
    for _ in range(2):
        for at in range(2_000):
            with store.read(reading(f"s{at}")) as view:
                list(view.nearest(IDENTITY, unit(at), 3))
            assert store._cache.nbytes <= most
            assert len(store._cache._seen) <= vector_cache._MOST_SEEN
    store.close()


@pytest.mark.parametrize("extension", [True, False])
def test_a_scan_of_the_file_ends_at_the_ceiling_and_counts_the_rest(
    tmp_path: Path,
    extension: bool,  # noqa: FBT001 - pytest passes it
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = Config(brute_force_ceiling=5, vector_cache_bytes=0)
    store = SqliteStore.open(tmp_path / "many.db", config=config)
    if not extension:
        monkeypatch.setattr(store._connections, "vector_extension", False)
    clock = SteppingClock()
    rows = []
    for at in range(8):
        stored = store.add(drafted(f"note {at}", clock))
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
        rows.append(stored.row)
    for _ in range(2):
        with store.read(reading()) as view:
            assert {row for row, _ in view.nearest(IDENTITY, unit(0), 50)} == set(rows[3:])
            assert view.unscanned == 3
    store.close()


def test_a_subject_above_the_ceiling_is_whole_from_its_first_query_where_it_fits(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "many.db", config=Config(brute_force_ceiling=5))
    clock = SteppingClock()
    for at in range(8):
        stored = store.add(drafted(f"note {at}", clock))
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
    with store.read(reading()) as view:
        assert len(view.nearest(IDENTITY, unit(0), 50)) == 8
        assert view.unscanned == 0
    store.close()

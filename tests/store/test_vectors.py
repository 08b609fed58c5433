"""Four ways to the nearest vectors, one order; what is in memory is as fresh as the file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmem_core.records import Note, Selector
from atmem_core.store.sqlite.matrix import Matrix
from atmem_core.store.sqlite.store import SqliteStore
from tests.conftest import ROOT
from tests.store.histories import (
    IDENTITY,
    LATER,
    SteppingClock,
    drafted,
    opened,
    reading,
    row_of,
    unit,
)
from tests.store.vector_ways import (
    DIMENSIONS,
    WAYS,
    Floats,
    brute,
    fill,
    has_extension,
    nearest,
    same_order,
    store_of,
    vectors_of,
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("k", [1, 7, 60, 500])
def test_every_way_gives_the_order_of_a_plain_scan(
    way: str,
    near: bool,  # noqa: FBT001 - pytest passes it
    k: int,
) -> None:
    store = store_of(way)
    vectors = vectors_of(5, 60, near=near)
    notes = fill(store, vectors)
    query = vectors_of(6, 1)[0] if not near else vectors[7]
    same_order(nearest(store, query, k), brute(vectors, notes, query, k))
    store.close()


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[list[SqliteStore], Floats, list[Note]]]:
    ways = [way for way in WAYS if way != "extension" or has_extension()]
    made = [store_of(way) for way in ways]
    vectors = np.concatenate([vectors_of(1, 40), vectors_of(2, 40, near=True)])
    notes = [fill(store, vectors) for store in made]
    yield made, vectors, notes[0]
    for store in made:
        store.close()


@given(seed=st.integers(0, 10_000), k=st.integers(1, 90), crowd=st.booleans())
def test_all_ways_agree_on_any_query(
    stores: tuple[list[SqliteStore], Floats, list[Note]],
    seed: int,
    k: int,
    crowd: bool,  # noqa: FBT001 - hypothesis draws it
) -> None:
    made, vectors, notes = stores
    query = vectors_of(2, 1, near=True)[0] if crowd else unit(seed, DIMENSIONS)
    wanted = brute(vectors, notes, query, k)
    for store in made:
        same_order(nearest(store, query, k), wanted)


@pytest.mark.parametrize("way", WAYS)
def test_equal_vectors_go_by_content_hash(way: str) -> None:
    store = store_of(way)
    vectors = np.stack([unit(1, DIMENSIONS)] * 20)
    notes = fill(store, vectors)
    found = nearest(store, unit(1, DIMENSIONS), 5)
    assert [one for one, _ in found] == sorted(note.content_hash for note in notes)[:5]
    store.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given_filter", [{"project": "p1"}, {"tags": ("t0",)}, {"project": "p9"}])
def test_filters_hold_before_the_cut(way: str, given_filter: dict[str, Any]) -> None:
    store = store_of(way)
    vectors = vectors_of(8, 60)
    notes = fill(store, vectors)
    read_filter = reading(**given_filter)
    kept = [
        at
        for at, note in enumerate(notes)
        if read_filter.scope.project in {None, note.scope.project} and set(read_filter.tags) <= set(note.tags)
    ]
    query = unit(9, DIMENSIONS)
    wanted = brute(vectors[kept], [notes[at] for at in kept], query, 5)
    same_order(nearest(store, query, 5, read_filter), wanted)
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_hidden_notes_take_no_place(way: str) -> None:
    store = store_of(way)
    vectors = vectors_of(8, 30)
    notes = fill(store, vectors)
    query = vectors[3]
    nearest(store, query, 1)
    store.forget("ada", Selector(note_id=notes[3].id), at=LATER)
    store.add(drafted("newer", SteppingClock(name="b")), supersedes=notes[4].id)
    kept = [at for at in range(30) if at not in {3, 4}]
    wanted = brute(vectors[kept], [notes[at] for at in kept], query, 28)
    same_order(nearest(store, query, 28), wanted)
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_the_best_of_none_and_a_k_of_none_are_empty(way: str) -> None:
    store = store_of(way)
    assert nearest(store, unit(1, DIMENSIONS), 3) == []
    fill(store, vectors_of(1, 6))
    assert nearest(store, unit(1, DIMENSIONS), 0) == []
    with store.read(reading()) as view:
        assert view.nearest("other" * 12, unit(1, DIMENSIONS), 3) == []
        assert view.cosines(IDENTITY, unit(1, DIMENSIONS), []) == {}
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_vectors_of_another_length_are_passed_over(way: str) -> None:
    store = store_of(way)
    vectors = vectors_of(1, 12)
    notes = fill(store, vectors)
    odd = row_of(store, notes[0])
    store.put_vectors(IDENTITY, {odd: unit(1, DIMENSIONS + 3)})
    found = nearest(store, vectors[0], 50)
    same_order(found, brute(vectors[1:], notes[1:], vectors[0], 50))
    with store.read(reading()) as view:
        assert odd not in view.cosines(IDENTITY, vectors[0], [odd, row_of(store, notes[1])])
        assert [row for row, _ in view.nearest(IDENTITY, unit(1, DIMENSIONS + 3), 5)] == [odd]
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_vector_of_zeros_has_cosine_zero(way: str) -> None:
    store = store_of(way)
    vectors = vectors_of(1, 12)
    vectors[5] = 0
    notes = fill(store, vectors)
    found = dict(nearest(store, vectors[1], 12))
    assert found[notes[5].content_hash] == 0.0
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_cosines_are_exact(way: str) -> None:
    store = store_of(way)
    vectors = vectors_of(3, 30)
    notes = fill(store, vectors)
    query = unit(4, DIMENSIONS)
    nearest(store, query, 3)
    rows = {row_of(store, note): at for at, note in enumerate(notes)}
    with store.read(reading()) as view:
        found = view.cosines(IDENTITY, query, [*rows, 1 << 60])
    assert set(found) == set(rows)
    for row, cosine in found.items():
        assert cosine == pytest.approx(float(vectors[rows[row]] @ query), abs=1e-6)
    store.close()


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_numbers_at_every_look(way: str) -> None:
    """A decision rounds to six digits: the last bit must not depend on who is in memory."""
    store = store_of(way)
    vectors = np.concatenate([vectors_of(8, 40), vectors_of(9, 40, near=True)])
    notes = fill(store, vectors)
    at_row = {row_of(store, note): at for at, note in enumerate(notes)}
    for query in (vectors[45], unit(12, DIMENSIONS)):
        exact = vectors.astype(np.float64) @ query.astype(np.float64)
        wanted = brute(vectors, notes, query, 25)
        for _ in range(3):
            with store.read(reading()) as view:
                found = view.nearest(IDENTITY, query, 25)
                others = view.cosines(IDENTITY, query, list(at_row))
            assert [notes[at_row[row]].content_hash for row, _ in found] == [one for one, _ in wanted]
            for row, cosine in [*found, *others.items()]:
                assert abs(cosine - exact[at_row[row]]) < 1e-12
    store.close()


# --- freshness -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_what_another_store_writes_is_seen_at_the_next_call(tmp_path: Path, way: str) -> None:
    path = tmp_path / "two.db"
    writer, reader = opened(path), store_of(way, path)
    clock = SteppingClock()
    vectors = vectors_of(11, 30)
    notes = []
    for at, vector in enumerate(vectors):
        stored = writer.add(drafted(f"note {at}", clock))
        writer.put_vectors(IDENTITY, {stored.row: vector})
        notes.append(stored.note)
        assert nearest(reader, vector, 1)[0][0] == stored.note.content_hash
    vectors[2] = unit(99, DIMENSIONS)
    writer.put_vectors(IDENTITY, {row_of(writer, notes[2]): vectors[2]})
    same_order(nearest(reader, vectors[2], 30), brute(vectors, notes, vectors[2], 30))
    writer.erase("ada", Selector(note_id=notes[2].id), at=LATER)
    left = [at for at in range(30) if at != 2]
    wanted = brute(vectors[left], [notes[at] for at in left], vectors[2], 30)
    same_order(nearest(reader, vectors[2], 30), wanted)
    writer.close()
    reader.close()


def test_an_old_snapshot_never_sees_newer_vectors(tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    old, new = opened(path), opened(path)
    vectors = vectors_of(11, 10)
    notes = fill(new, vectors)
    query = vectors[0]
    with old.read(reading()) as view:
        before = view.nearest(IDENTITY, query, 3)
        stored = new.add(drafted("newer", SteppingClock(name="b")))
        new.put_vectors(IDENTITY, {stored.row: query, row_of(new, notes[0]): unit(3, DIMENSIONS)})
        old._cache._held.update(_loaded(new, query))  # as if another thread had read meanwhile
        assert [row for row, _ in view.nearest(IDENTITY, query, 3)] == [row for row, _ in before]
    assert nearest(old, query, 1)[0][0] == stored.note.content_hash
    old.close()
    new.close()


def _loaded(store: SqliteStore, query: Floats) -> dict[tuple[int, str, int], Matrix]:
    nearest(store, query, 1)
    return dict(store._cache._held)


@pytest.mark.parametrize("exact", [4, 1_000])
def test_a_snapshot_of_a_matrix_stays_as_it_was(exact: int) -> None:
    matrix = Matrix(DIMENSIONS, exact=exact)
    vectors = vectors_of(1, 50)
    matrix.append(list(range(20)), [vector.tobytes() for vector in vectors[:20]])
    snapshot = matrix.snapshot()
    before = snapshot.cosines(vectors[0]).copy()
    matrix.append([3, *range(20, 50)], [vectors[40].tobytes(), *(one.tobytes() for one in vectors[20:])])
    assert np.array_equal(snapshot.cosines(vectors[0]), before)
    assert snapshot.of([3, 30]) == [3, None]
    allowed = snapshot.mask(frozenset({30, 2}), included=True)
    assert allowed is not None
    assert np.flatnonzero(allowed).tolist() == [2]
    assert matrix.count == 50


# --- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("exact", [5, 1_000])
def test_memory_stays_within_its_bound_and_the_least_recent_goes(exact: int) -> None:
    most = 3 * 40 * (DIMENSIONS * 4 + 112) + 9_000
    store = opened(vector_cache_bytes=most, exact_vectors=exact)
    clock = SteppingClock()
    vectors = vectors_of(1, 40)
    for at in range(12):
        rows = {}
        for turn in range(40):
            stored = store.add(drafted(f"note {turn}", clock, subject=f"s{at}"))
            rows[stored.row] = vectors[turn]
        store.put_vectors(IDENTITY, rows)
    first = None
    for at in range(12):
        nearest(store, vectors[0], 3, reading(f"s{at}"))
        held = list(store._cache._held)
        first = first or held[0]
        assert held[-1] != first or at == 0
        assert 0 < store._cache.nbytes <= most
    assert first not in store._cache._held
    assert 1 < len(store._cache._held) < 12
    store.close()


def test_a_subject_that_does_not_fit_is_never_held() -> None:
    store = opened(vector_cache_bytes=2_000)
    vectors = vectors_of(1, 40)
    notes = fill(store, vectors)
    for _ in range(3):
        same_order(nearest(store, vectors[0], 5), brute(vectors, notes, vectors[0], 5))
        assert store._cache.nbytes == 0
    store.close()


def test_a_subject_is_taken_into_memory_at_its_second_query() -> None:
    store = opened()
    fill(store, vectors_of(1, 5))
    with store.read(reading()) as view:
        view.nearest(IDENTITY, unit(1, DIMENSIONS), 1)
        assert store._cache.nbytes == 0
        view.nearest(IDENTITY, unit(1, DIMENSIONS), 1)
        assert store._cache.nbytes > 0
    store.close()


KEYWORDS_ONLY = """
import sys
from atmem_core import Memory
memory = Memory.open(sys.argv[1], embedder=None)
note = memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
assert memory.search("dog", subject="ada", mode="keyword")
memory.forget(note.id, subject="ada")
memory.verify()
memory.close()
assert "numpy" not in sys.modules, "numpy"
assert "sqlite_vec" not in sys.modules, "sqlite_vec"
"""


def test_keywords_alone_need_no_numpy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KEYWORDS_ONLY, str(tmp_path / "a.db")]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr


# --- the waiting list ------------------------------------------------------------------------------


def test_a_note_waits_for_its_vector_until_it_has_one() -> None:
    store = opened()
    clock = SteppingClock()
    notes = [store.add(drafted(f"note {at}", clock, subject=f"s{at % 2}")) for at in range(6)]
    waiting = [one.row for one in store.awaiting_vectors(limit=9)]
    assert waiting == sorted((one.row for one in notes), reverse=True)
    own = [one.note.id for one in store.awaiting_vectors(limit=2, subject="s1")]
    assert own == [notes[5].note.id, notes[3].note.id]
    assert store.awaiting_vectors(limit=9, subject="nobody") == []
    store.put_vectors(IDENTITY, {notes[5].row: unit(1), 1 << 40: unit(2), 7: unit(3)})
    store.forget("s1", Selector(note_id=notes[3].note.id), at=LATER)
    store.erase("s0", Selector(note_id=notes[0].note.id), at=LATER)
    left = {one.row for one in store.awaiting_vectors(limit=9)}
    assert left == {notes[at].row for at in (1, 2, 4)}
    assert store.stats().vectors == 1
    store.put_vectors(IDENTITY, {notes[0].row: unit(1)})
    assert store.stats().vectors == 1
    store.close()

"""Files for the tests, and one look at all that a store can read."""

from pathlib import Path

from atmem_core.store.sqlite.store import SqliteStore
from tests.store.histories import IDENTITY, SteppingClock, drafted, opened, reading, unit


def filled(path: Path, count: int = 3) -> list[str]:
    """A file with a few embedded notes, closed."""
    store = opened(path)
    clock = SteppingClock()
    ids = []
    for at in range(count):
        stored = store.add(drafted(f"brutus note {at}", clock, tags=("pets",)))
        store.put_vectors(IDENTITY, {stored.row: unit(at)})
        ids.append(stored.note.id)
    store.close()
    return ids


def read_everything(store: SqliteStore) -> int:
    """Every verb that reads; how many notes there are."""
    with store.read(reading()) as view:
        rows = view.postings("brutus")
        assert len(view.documents(rows)) == len(view.eligible(rows)) == len(rows)
        assert len(view.search_texts(rows)) == view.document_frequency("brutus")
        view.vocabulary(6)
        for _ in range(3):
            view.nearest(IDENTITY, unit(1), 2)
        view.cosines(IDENTITY, unit(1), rows)
    notes = store.notes(reading(tags=("pets",)), limit=100, all_states=True)
    assert store.versions("ada", notes[0].id) == [notes[0]]
    assert store.get("ada", notes[0].id) == notes[0]
    store.awaiting_vectors(limit=3)
    store.facts()
    store.stats("ada")
    return store.stats().notes

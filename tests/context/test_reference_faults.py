"""Faults of a system like this one, each as a test.

1, 6 and 11 stand in test_provider, 5 in test_channels and in tests/links.
"""

from atmem_core import Config, Memory
from atmem_core.testing.clocks import FakeClock
from atmem_core.testing.embedders import FakeEmbedder


def test_2_and_3_what_gives_way_is_archived_and_never_the_newest() -> None:
    with Memory.open(":memory:", embedder=None, clock=FakeClock(), config=Config(max_notes=2)) as memory:
        used = [memory.remember(f"note {number}", subject="ada").id for number in range(2)]
        memory.mark_used(used, subject="ada")
        new = memory.remember("note 2, never used", subject="ada").id
        assert memory.get(new, subject="ada").archived_at is None
        archived = [one for one in used if memory.get(one, subject="ada").archived_at is not None]
        assert len(archived) == 1
        newest = memory.remember("note 3", subject="ada").id
        kept = [memory.get(one, subject="ada").archived_at is None for one in (*used, new, newest)]
        assert kept[-1]
        assert sum(kept) == 2
        assert memory.stats(subject="ada").notes == 4, "nothing was deleted"


def test_4_the_same_text_in_two_projects_is_two_notes() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        one, other = (
            memory.remember("We deploy on Fridays.", subject="ada", project=project) for project in ("p", "q")
        )
        assert one.id != other.id
        for project, note in (("p", one), ("q", other)):
            block = memory.context(
                "when do we deploy?", subject="ada", project=project, allow_background=True
            )
            assert block.record_ids == (note.id,)


def test_7_a_tag_is_looked_for_before_any_cut() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        wanted = memory.remember("the dog barked, at first", subject="ada", tags=["old"]).id
        for number in range(80):
            memory.remember(f"the dog barked, time {number}", subject="ada")
        assert [hit.record_id for hit in memory.search("dog barked", subject="ada", tags=["old"], k=1)] == [
            wanted
        ]


def test_8_the_strongest_match_of_words_comes_first() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember(
            "a dog, a cat and a long tale of many other things in a town by the sea", subject="ada"
        )
        best = memory.remember("dog cat", subject="ada").id
        memory.remember("a cat", subject="ada")
        assert memory.search("dog cat", subject="ada")[0].record_id == best


def test_9_a_note_is_embedded_once() -> None:
    embedder = FakeEmbedder()
    with Memory.open(":memory:", embedder=embedder, config=Config(backfill=False)) as memory:
        memory.remember("Brutus is my dog.", subject="ada")
    assert [call.texts for call in embedder.calls] == [("Brutus is my dog.",)]


def test_10_the_inside_of_a_run_without_spaces_is_found_and_yo_is_ye() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        dog = memory.remember("我的狗叫布鲁图斯", subject="ada").id
        flight = memory.remember("Самолёт в пять часов", subject="ada").id
        assert [hit.record_id for hit in memory.search("布鲁图斯", subject="ada")] == [dog]
        assert [hit.record_id for hit in memory.search("самолет", subject="ada")] == [flight]

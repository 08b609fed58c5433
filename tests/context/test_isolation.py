"""Histories of writes by several subjects and projects: a context shows its own and nobody else's."""

from hypothesis import given, settings
from hypothesis import strategies as st

from atmem_core import Channel, Memory
from atmem_core.testing.clocks import FakeClock

WORDS = ("dog", "vet", "garden", "train", "bread")
writes = st.lists(
    st.tuples(
        st.sampled_from(["ada", "eve"]),
        st.sampled_from([None, "p", "q"]),
        st.sampled_from(["note", "link", "profile", "lesson", "procedure"]),
        st.sampled_from(WORDS),
    ),
    max_size=14,
)


def tell(memory: Memory, acts: list[tuple[str, str | None, str, str]]) -> dict[str, tuple[str, str | None]]:
    """Whose each record is, by id."""
    owners: dict[str, tuple[str, str | None]] = {}
    notes: dict[tuple[str, str | None], list[str]] = {}
    for number, (who, told_in, kind, word) in enumerate(acts):
        where = None if kind == "profile" else told_in
        text = f"the {word} number {number} of {who} in {where}"
        if kind == "note":
            made = memory.remember(text, subject=who, project=where).id
            notes.setdefault((who, where), []).append(made)
        elif kind == "link":
            known = notes.get((who, where), [])
            if len(known) > 1:
                memory.links.add(known[-1], known[0], subject=who)
            continue
        elif kind == "profile":
            made = memory.profile.set(f"k{number}", text, subject=who).id
        elif kind == "lesson":
            made = memory.lessons.add(f"the {word}", text, subject=who, project=where).id
        else:
            made = memory.procedures.add(f"the {word}", [text, "end"], subject=who, project=where).id
        owners[made] = who, where
    return owners


@settings(max_examples=60)
@given(writes, st.sampled_from([None, "p", "q"]), st.sampled_from(WORDS))
def test_no_context_shows_a_foreign_subject_or_project(
    acts: list[tuple[str, str | None, str, str]], project: str | None, word: str
) -> None:
    with Memory.open(":memory:", embedder=None, clock=FakeClock()) as memory:
        owners = tell(memory, acts)
        block = memory.provider().before_turn(
            f"what is the {word} of ada?", turn_id="t", subject="ada", project=project, allow_background=True
        )
        assert len(block.record_ids) == len(set(block.record_ids))
        profile = {
            one for part in block.sections if part.channel is Channel.PROFILE for one in part.record_ids
        }
        for record_id in block.record_ids:
            who, where = owners[record_id]
            assert who == "ada"
            assert project is None or record_id in profile or where == project
        assert "eve" not in block.text

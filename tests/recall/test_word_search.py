"""Words are searched for in the text by how they start: the same is found as by stemming all of it."""

from hypothesis import given
from hypothesis import strategies as st

from atmem_core.recall.keyword import Wording, _counts, _start, lexical, lexicals
from atmem_core.text import STEMS
from tests.benchmarks.texts import vocabulary

ENDINGS = (
    "s es ies ed ing ational ency izer bly ally ently ization ator iveness biliti bility icate "
    "alize ful y ll logy"
)
WORDS = st.one_of(
    st.sampled_from(vocabulary()),
    st.builds(str.__add__, st.sampled_from(vocabulary()), st.sampled_from(ENDINGS.split())),
    st.text("abelisyou1_é", min_size=1, max_size=8),
)


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(WORDS, max_size=4))
def test_each_stem_is_counted_as_often_as_a_word_of_it_stands(text: list[str], others: list[str]) -> None:
    stems = [STEMS[word] for word in text]
    sought = dict.fromkeys([*stems, *(STEMS[word] for word in others)])
    counts = _counts(" ".join(text), tuple((stem, _start(stem)) for stem in sought))
    assert counts == {stem: stems.count(stem) for stem in sought if stem in stems}
    assert list(counts) == [stem for stem in sought if stem in stems]


def test_no_word_differs_from_its_stem_before_the_stem_s_last_letter() -> None:
    words = [word + ending for word in vocabulary()[::10] for ending in ENDINGS.split()]
    assert [word for word in [*vocabulary(), *words] if not f" {word}".startswith(_start(STEMS[word]))] == []


def test_rows_measured_together_get_what_each_gets_alone() -> None:
    weights = {"dog": 3.0, "breed": 5.0}
    wording = Wording(
        weights=weights,
        meant={"hound": "dog"},
        total=8.0,
        mean_length=4.0,
        sought=tuple((stem, _start(stem)) for stem in (*weights, "hound")),
    )
    texts = {1: ("my dog", 2), 2: ("a dog", 2), 3: ("dog dog", 2), 4: ("a hound", 2), 5: ("breeds of dog", 3)}
    found = lexicals(texts, wording)
    assert found == {row: lexical(text, length, wording) for row, (text, length) in texts.items()}
    assert found[1] == found[2] != found[3]
    assert found[4].coverage == 0.0 < found[4].typo_coverage

"""The store against LangGraph's own, and what it does beyond it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from atmem_core import InvalidInput, Memory
from atmem_core.testing import FakeClock
from atmem_langgraph import AtmemState, AtmemStore, RecallNode
from tests.adapters.langgraph.graphs import Context, said


@contextmanager
def opened(**options: Any) -> Iterator[AtmemStore]:
    with Memory.open(":memory:", embedder=None) as memory:
        yield AtmemStore(memory, **{"subject": "ada", **options})


@pytest.fixture
def store() -> Iterator[AtmemStore]:
    with opened() as store:
        yield store


def _condition(drawn: tuple[Any, tuple[str, ...]]) -> MatchCondition:
    return MatchCondition(*drawn)


LABELS = st.sampled_from(["a", "b", "a%", "a_", "ä", "A"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "K", "k ", "", "k%", "ключ"])
TEXTS = st.one_of(
    st.text(max_size=8), st.sampled_from(["tea", " tea", "te\u0301a", "t\u00e9a", "a\0b", "\ud800"])
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXTS,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=5,
)
VALUES = st.one_of(st.dictionaries(TEXTS, JSON, max_size=3), TEXTS.map(lambda text: {"content": text}))
PUTS = st.tuples(NAMESPACES, KEYS, st.one_of(st.none(), VALUES)).map(lambda one: PutOp(*one))
CONDITIONS = st.tuples(
    st.sampled_from(["prefix", "suffix"]),
    st.lists(st.one_of(LABELS, st.just("*")), min_size=1, max_size=2).map(tuple),
).map(_condition)
GETS = st.tuples(NAMESPACES, KEYS).map(lambda one: GetOp(*one))
SEARCHES = st.one_of(st.just(()), NAMESPACES).map(lambda prefix: SearchOp(prefix, limit=100))
LISTS = st.tuples(
    st.one_of(st.none(), st.lists(CONDITIONS, max_size=2).map(tuple)), st.one_of(st.none(), st.integers(1, 3))
).map(lambda one: ListNamespacesOp(one[0], one[1]))
READS = st.one_of(GETS, SEARCHES, LISTS)


def plain(result: Any) -> Any:
    """A result without times, in an order of its own."""
    if isinstance(result, list) and result and not isinstance(result[0], tuple):
        return sorted((item.namespace, item.key, repr(item.value)) for item in result)
    return (result.namespace, result.key, result.value) if hasattr(result, "value") else result


@settings(max_examples=40)
@given(batches=st.lists(st.lists(st.one_of(PUTS, READS), max_size=6), max_size=5))
def test_it_answers_as_langgraphs_own_store(batches: list[list[Any]]) -> None:
    reference = InMemoryStore()
    with opened() as store:
        for ops in batches:
            assert [*map(plain, store.batch(ops))] == [*map(plain, non_empty(reference, ops))]


def non_empty(reference: InMemoryStore, ops: list[Any]) -> list[Any]:
    """Its answers, without the empty namespaces that it still lists once one was read or emptied."""
    results: list[Any] = [None] * len(ops)
    for place, op in enumerate(ops):
        if not isinstance(op, PutOp):
            (results[place],) = reference.batch([op])
            _drop_empty(reference)
    reference.batch([op for op in ops if isinstance(op, PutOp)])
    _drop_empty(reference)
    return results


def _drop_empty(reference: InMemoryStore) -> None:
    for namespace in [one for one, items in reference._data.items() if not items]:
        del reference._data[namespace]


def test_a_batch_reads_before_it_writes_and_the_last_write_wins(store: AtmemStore) -> None:
    ops: list[Any] = [PutOp(("n",), "k", {"a": "1"}), GetOp(("n",), "k"), PutOp(("n",), "k", {"a": "2"})]
    assert store.batch(ops) == InMemoryStore().batch(ops) == [None, None, None]
    item = store.get(("n",), "k")
    assert item is not None
    assert item.value == {"a": "2"}


def test_a_value_comes_back_exactly(store: AtmemStore) -> None:
    values: list[dict[str, Any]] = [
        {"content": "I like tea."},
        {"content": " padded "},
        {"content": "two\nlines"},
        {"content": "a\0b"},
        {"content": ""},
        {},
        {"kind": "Memory", "content": {"text": "x", "tags": [1, 2.5, None, True]}},
        {"content": "<atmem-memory>x</atmem-memory>"},
        {"a name that is far too long to be a tag": "x"},
    ]
    for number, value in enumerate(values):
        store.put(("n",), str(number), value)
        item = store.get(("n",), str(number))
        assert item is not None
        assert item.value == value


def test_equal_values_under_two_keys_are_two_items(store: AtmemStore) -> None:
    store.put(("n",), "a", {"content": "I like tea."})
    store.put(("n",), "b", {"content": "I like tea."})
    store.put(("n", "m"), "a", {"content": "I like tea."})
    assert len(store.search(("n",))) == 3
    assert len(store.search(("n", "m"))) == 1
    store.delete(("n",), "a")
    assert [item.key for item in store.search(("n",))] == ["b", "a"]


def test_times_say_when_it_was_made_and_when_it_was_changed() -> None:
    clock = FakeClock()
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        store, made = AtmemStore(memory, subject="ada"), clock.now()
        for text in ("tea", "coffee", " coffee"):
            store.put(("n",), "k", {"content": text})
            changed = clock.now()
            clock.advance(timedelta(hours=1))
        item = store.get(("n",), "k")
    assert item is not None
    assert (item.created_at, item.updated_at) == (made, changed)


def test_a_search_ranks_and_filters(store: AtmemStore) -> None:
    store.put(("n",), "bike", {"content": "The colour of my bike is green.", "year": 2020})
    store.put(("n",), "boat", {"content": "The colour of my boat is red.", "year": 2024})
    found = store.search(("n",), query="bike")
    assert found[0].key == "bike"
    assert found[0].score is not None
    assert [item.key for item in store.search(("n",), query="colour", filter={"year": {"$gt": 2021}})] == [
        "boat"
    ]
    assert store.search(("n",), filter={"year": {"$gte": 2020, "$lt": 2021}})[0].key == "bike"
    assert store.search(("n",), filter={"content": {"$gt": 3}}) == []
    with pytest.raises(InvalidInput, match=r"\$in"):
        store.search(("n",), filter={"year": {"$in": [1]}})


def test_a_label_names_the_subject_and_nobody_reads_over_it() -> None:
    with opened(subject=1) as store:
        store.put(("memories", "ada"), "k", {"content": "I like tea."})
        store.put(("memories", "eve"), "k", {"content": "I like coffee."})
        (item,) = store.search(("memories", "ada"), query="like")
        assert item.value == {"content": "I like tea."}
        assert store.list_namespaces(prefix=("memories", "ada")) == [("memories", "ada")]
        for read in (
            lambda: store.search(("memories",)),
            store.list_namespaces,
            lambda: store.list_namespaces(prefix=("memories", "*")),
            lambda: store.put(("memories",), "k", {"a": 1}),
        ):
            with pytest.raises(InvalidInput, match="whose memory"):
                read()


@pytest.mark.parametrize("wrong", [{"index": {"dims": 3}}, {"subject": -1}, {"subject": True}])
def test_a_wrong_option_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(InvalidInput), opened(**wrong):
        pass


def test_what_it_cannot_do_is_an_error(store: AtmemStore) -> None:
    with pytest.raises(InvalidInput, match="index"):
        store.put(("n",), "k", {"a": "b"}, index=["a"])
    with pytest.raises(InvalidInput, match="index"):
        store.put(("n",), "k", {"a": "b"}, index=False)
    with pytest.raises(NotImplementedError):
        store.put(("n",), "k", {"a": "b"}, ttl=5)
    with pytest.raises(InvalidInput, match="JSON"):
        store.put(("n",), "k", {"a": {1, 2}})
    for namespace in ((), ("a.b",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {"a": "b"})
    assert store.search(()) == []


async def test_a_graph_writes_it_and_a_node_recalls_it() -> None:
    with Memory.open(":memory:", embedder=None) as memory:

        async def keep(state: AtmemState, runtime: Runtime[Context]) -> dict[str, Any]:
            assert runtime.store is not None
            await runtime.store.aput(("memories", "ada"), "k", {"content": "The code of my locker is 4711."})
            return {}

        graph = StateGraph(AtmemState, context_schema=Context)
        graph.add_node(keep)
        graph.add_node(RecallNode(memory))
        graph.add_edge(START, "keep")
        graph.add_edge("keep", "recall")
        graph.add_edge("recall", END)
        compiled = graph.compile(store=AtmemStore(memory, subject=1))
        state = await compiled.ainvoke(said("What is the code of my locker?"), context=Context("ada"))
    assert len(state["memory_record_ids"]) == 1


async def test_writers_beside_each_other_lose_nothing(store: AtmemStore) -> None:
    await asyncio.gather(
        *(store.aput(("n",), str(number), {"content": f"Item {number}."}) for number in range(20))
    )
    assert len(store.search(("n",), limit=100)) == 20

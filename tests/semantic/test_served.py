"""A profile whose model is a server's: set up, down, changed under its name. The server is a stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from atmem_core import EmbeddingUnavailable, Memory, ProfileRefused, SupportClass
from atmem_core.config import Config
from atmem_core.embedding import MiniLmEmbedder
from tests.embedding.servers import Stand, embedding_server

QUESTION = "What breed is my dog Brutus?"


@pytest.fixture
def stand() -> Iterator[Stand]:
    with embedding_server(model="house-model", serves=MiniLmEmbedder()) as found:
        yield found


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    config = Config(backfill=False, embedding_timeout_ms=2_000)
    with Memory.open(tmp_path / "agent.db", config=config) as opened:
        opened.remember("Brutus is my Bernese mountain dog.", subject="ada")
        opened.remember("I live in Lisbon.", subject="ada")
        yield opened


def set_up(memory: Memory, stand: Stand) -> None:
    memory.semantic.setup(subject="ada", provider="ollama", model="house-model", base_url=stand.url)


def test_a_served_model_passes_the_gate_and_serves(memory: Memory, stand: Stand) -> None:
    set_up(memory, stand)
    decision = memory.decide(QUESTION, subject="ada")
    assert decision.support_class is SupportClass.DIRECT_SUPPORT
    assert decision.semantic is not None
    assert decision.semantic.health == "healthy"
    assert memory.semantic.status(subject="ada").health.value == "healthy"


def test_a_server_that_goes_away_costs_meaning_and_no_more_is_released(memory: Memory, stand: Stand) -> None:
    set_up(memory, stand)
    healthy = {QUESTION: memory.decide(QUESTION, subject="ada")}
    for query in ("Which animal lives with me?", "Where is my home?", "Who fixes the boiler?"):
        healthy[query] = memory.decide(query, subject="ada")
    stand.statuses = [503] * 999
    for query, before in healthy.items():
        after = memory.decide(f"{query} ", subject="ada")
        assert set(after.ranked_record_ids) <= set(before.ranked_record_ids)
        assert "embedding_unavailable" in [code.value for code in after.degraded]


def test_a_model_of_hashes_is_refused_and_the_old_one_goes_on(memory: Memory, stand: Stand) -> None:
    stand.serves = None
    with pytest.raises(ProfileRefused) as refused:
        set_up(memory, stand)
    assert refused.value.code == "gate_failed"
    assert memory.decide(QUESTION, subject="ada").support_class is SupportClass.DIRECT_SUPPORT


def test_weights_that_changed_under_the_name_are_not_asked(tmp_path: Path, stand: Stand) -> None:
    path, config = tmp_path / "agent.db", Config(backfill=False, embedding_timeout_ms=2_000)
    with Memory.open(path, config=config) as memory:
        memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
        set_up(memory, stand)
    stand.digest = "sha-2"
    with Memory.open(path, config=config) as memory:
        before = len(stand.texts())
        decision = memory.decide(QUESTION, subject="ada")
        assert decision.semantic is not None
        assert decision.semantic.health == "unavailable"
        assert [text for text in stand.texts()[before:] if text != "word"] == []
        assert memory.semantic.status(subject="ada").health.value == "identity_changed"
        memory.semantic.rebuild(subject="ada")
        again = memory.decide(QUESTION, subject="ada").semantic
        assert again is not None
        assert again.health == "healthy"


def test_a_model_that_is_missing_is_pulled_when_allowed_and_the_download_is_told(
    memory: Memory, stand: Stand
) -> None:
    stand.installed, told = False, list[tuple[int, int]]()
    with pytest.raises(EmbeddingUnavailable, match="ollama pull house-model"):
        set_up(memory, stand)
    memory.semantic.setup(
        subject="ada",
        provider="ollama",
        model="house-model",
        base_url=stand.url,
        allow_download=True,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[0] == (5, 10)
    assert memory.semantic.status(subject="ada").health.value == "healthy"

"""One decision through every door: the same store, clock and query give the same bytes."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from agent_framework import Agent as FrameworkAgent
from agents import Agent as OpenAIAgent
from agents import RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message
from langgraph.graph import START, StateGraph
from mcp import Client
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from atmem_agent_framework import AtmemContextProvider
from atmem_core import Memory, Scope
from atmem_core.embedding import resolve
from atmem_core.host import HostMemory
from atmem_core.testing import FakeClock
from atmem_langgraph import AtmemState, RecallNode
from atmem_mcp import build_server
from atmem_openai_agents import AtmemTurns
from atmem_pydantic_ai import MemoryCapability, MemoryEvent
from tests.adapters.agent_framework.test_provider import Scripted
from tests.adapters.cli.shell import atmem
from tests.adapters.langgraph.graphs import said
from tests.house.tree import ROOT

TOLD = (
    "The code of my gym locker is quillfeather.",
    "Brutus is my Bernese mountain dog.",
    "My dentist appointment is on 12 March at 9:30.",
    "I am allergic to peanuts.",
    "My sister Mara moved to Porto in 2024.",
    "The wifi password at the cabin is brookside7.",
    "I don't drink coffee any more.",
    "My passport number is X4471902.",
)
QUERIES = (
    "What is the code of my gym locker?",
    "Which code has my gym locker?",
    "What breed is my dog Brutus?",
    "Who is Brutus?",
    "When is my dentist appointment?",
    "Who is my dentist?",
    "What am I allergic to?",
    "Am I allergic to peanuts?",
    "Where does my sister Mara live?",
    "When did Mara move to Porto?",
    "What is the wifi password at the cabin?",
    "What is the wifi password at the office?",
    "Do I drink coffee?",
    "What is my passport number?",
    "Is my passport number X4471903?",
    "Thanks!",
    "Hello there!",
    "Write a haiku about the sea.",
    "Translate this into French.",
    "How tall is the tallest tower of Dubai?",
    "What is the code of my gym lokcer?",
    "What bread is my dog Brutus?",
    "BRUTUS",
    "dog",
    "peanuts?",
    "My sister",
    "quillfeather",
    "brookside7",
    "12 March",
    "9:30",
    "What did I tell you about my dog, my sister and my dentist?",
    "Was ist der Code meines Schranks?",
    "¿Cómo se llama mi perro?",
    "我的狗是什么品种",
    "code " * 300,
    "?",
    "🐕",
    "Porto",
    "What is Eve's gym locker code?",
    "Remind me of the code of my gym locker, please.",
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def database(tmp_path: Path, clock: FakeClock) -> Path:
    path = tmp_path / "agent.db"
    with Memory.open(path, embedder=None, clock=clock) as memory:
        for text in TOLD:
            memory.remember(text, subject="ada")
    return path


@pytest.fixture
def memory(database: Path, clock: FakeClock) -> Iterator[Memory]:
    with Memory.open(database, embedder=None, clock=clock) as memory:
        yield memory


@pytest.fixture
def wanted(memory: Memory) -> list[str]:
    return [memory.decide(query, subject="ada").to_json() for query in QUERIES]


def same_bytes(decision: Any) -> str:
    """JSON of a decision as ``Decision.to_json`` writes it."""
    return json.dumps(decision, sort_keys=True, separators=(",", ":"))


def test_there_are_forty_queries_with_every_outcome(wanted: list[str]) -> None:
    classes = {json.loads(one)["support_class"] for one in wanted}
    assert len(set(QUERIES)) == 40
    assert classes == {"direct_support", "background_context", "no_useful_memory"}


def test_the_context_providers_door(memory: Memory, wanted: list[str]) -> None:
    host, scope = HostMemory(memory), Scope(subject="ada")
    recalled = [host.recall(query, scope).value for query in QUERIES]
    assert [one.decision.to_json() for one in recalled if one is not None] == wanted


def test_the_door_of_a_turn(memory: Memory, wanted: list[str]) -> None:
    provider = memory.provider()
    shown = [
        provider.before_turn(query, turn_id=query, subject="ada") for query in QUERIES if len(query) < 512
    ]
    decided = [one.decision.to_json() for one in shown if one.decision is not None]
    assert decided == [one for one, query in zip(wanted, QUERIES, strict=True) if len(query) < 512]
    long = provider.before_turn("code " * 300, turn_id="long", subject="ada").decision
    assert long is not None
    assert long.to_json() in wanted


def test_langgraphs_door(memory: Memory, wanted: list[str]) -> None:
    builder = StateGraph(AtmemState)
    builder.add_node(RecallNode(memory, subject="ada", keep_candidates=10**6))
    builder.add_edge(START, "recall")
    graph = builder.compile()
    states = [graph.invoke(said(query)) for query in QUERIES]
    assert [same_bytes(state["memory_decision"]) for state in states] == wanted


def test_pydantic_ais_door(memory: Memory, wanted: list[str]) -> None:
    events: list[MemoryEvent] = []
    capability = MemoryCapability(memory, subject="ada", observe=events.append)
    agent = Agent(TestModel(call_tools=[]), capabilities=[capability])
    for query in QUERIES:
        agent.run_sync(query)
    assert [same_bytes(event.decision) for event in events] == wanted


def test_agent_frameworks_door(memory: Memory, wanted: list[str]) -> None:
    async def ask() -> list[Any]:
        provider = AtmemContextProvider(memory, subject="ada", keep_candidates=10**6)
        agent = FrameworkAgent(client=Scripted(), context_providers=[provider])
        decisions = []
        for query in QUERIES:
            session = agent.create_session()
            await agent.run(query, session=session)
            decisions.append(session.state["atmem"]["memory_decision"])
        return decisions

    assert [same_bytes(decision) for decision in asyncio.run(ask())] == wanted


def test_openai_agents_door(memory: Memory, wanted: list[str]) -> None:
    async def ask() -> list[Any]:
        model, turns, decisions = ScriptedModel(), AtmemTurns(memory), []
        for query in QUERIES:
            model.enqueue([assistant_message("Noted.")])
            turn = turns.turn(subject="ada")
            config = RunConfig(call_model_input_filter=turn, tracing_disabled=True)
            await Runner.run(OpenAIAgent(name="a", model=model), query, run_config=config)
            decisions.append(turn.decision)
        return decisions

    assert [same_bytes(decision) for decision in asyncio.run(ask())] == wanted


def test_mcps_door(memory: Memory, wanted: list[str]) -> None:
    async def ask() -> list[Any]:
        async with Client(build_server(memory, subject="ada", answer_bytes=10**9)) as client:
            return [
                (await client.call_tool("memory_recall_decision", {"query": query})).structured_content
                for query in QUERIES
            ]

    assert [same_bytes(answer["decision"]) for answer in asyncio.run(ask())] == wanted


ASK_OPENCLAW = """
const [folder, python, server, database] = process.argv.slice(1);
const { default: plugin } = await import(`${folder}/index.js`);
const { FakeOpenClaw } = await import(`${folder}/tests/fake_openclaw.js`);
const config = { database, subject: "ada", shareAcrossAgents: true, capture: "off", deadlineMs: 14000 };
const host = new FakeOpenClaw(plugin, { ...config, command: python, commandArgs: ["-c", server] });
let text = "";
for await (const part of process.stdin) text += part;
const decisions = [];
for (const query of JSON.parse(text)) {
  const answer = await host.tool("memory_recall").execute("1", { query });
  decisions.push(answer.details.decision);
}
await host.stop();
process.stdout.write(JSON.stringify(decisions));
"""
SERVED = """
import sys
sys.path[:0] = {paths!r}
from atmem_core import Memory
from atmem_core.testing import FakeClock
from atmem_mcp import build_server, serve_stdio
with Memory.open(sys.argv[2], embedder=None, clock=FakeClock()) as memory:
    serve_stdio(build_server(memory, subject="ada", answer_bytes=10**9))
"""
"""What `atmem mcp` runs, with a clock and a size of answers that it has no options for."""


@pytest.mark.skipif(which("node") is None, reason="needs node on the path")
def test_openclaws_door(database: Path, wanted: list[str]) -> None:
    served = SERVED.format(paths=[str(ROOT), str(ROOT / "adapters")])
    folder = (ROOT / "adapters" / "openclaw").as_uri()
    words = ["node", "--input-type=module", "-e", ASK_OPENCLAW, folder, sys.executable, served, str(database)]
    ran = subprocess.run(words, input=json.dumps(QUERIES), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    # JavaScript writes 1.0 as 1: the values are the same, not the bytes.
    assert json.loads(ran.stdout) == [json.loads(one) for one in wanted]


def test_the_command_lines_door(
    database: Path, wanted: list[str], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The command line has no option for a clock, and none for leaving out an installed model.
    monkeypatch.setattr("atmem_core.memory.facade.SystemClock", lambda: clock)
    monkeypatch.setattr("atmem_core.memory.facade.resolve", lambda _: resolve(None))
    printed = [atmem("decide", database, "--subject", "ada", "--json", "--", query) for query in QUERIES]
    assert [same_bytes(json.loads(one.out)) for one in printed] == wanted

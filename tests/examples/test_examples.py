"""The examples run, offline, as somebody would run them."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from atmem_core import Memory

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CONVERSATION = EXAMPLES / "langgraph_conversation.py"
needs_langgraph = pytest.mark.skipif(
    find_spec("langgraph") is None or find_spec("langchain") is None,
    reason="needs langgraph: pip install 'atmem-core[langgraph]'",
)

needs_pydantic_ai = pytest.mark.skipif(
    find_spec("pydantic_ai") is None, reason="needs pydantic-ai: pip install 'atmem-core[pydantic-ai]'"
)

needs_agent_framework = pytest.mark.skipif(
    find_spec("agent_framework") is None,
    reason="needs agent-framework-core: pip install 'atmem-core[agent-framework]'",
)
needs_openai_agents = pytest.mark.skipif(
    find_spec("agents") is None, reason="needs openai-agents: pip install 'atmem-core[openai-agents]'"
)
needs_adk = pytest.mark.skipif(
    find_spec("google") is None or find_spec("google.adk") is None,
    reason="needs google-adk in a venv of its own: pip install google-adk",
)
needs_strands = pytest.mark.skipif(
    find_spec("strands") is None, reason="needs strands in a venv of its own: pip install strands-agents"
)
needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="needs mcp: pip install 'atmem-core[mcp]'")


def run(script: Path, *words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, script, *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def locomo_sample() -> dict[str, Any]:
    """The smallest sample in LoCoMo's layout that has one of everything."""
    return {
        "sample_id": "conv-0",
        "conversation": {
            "speaker_a": "Mara",
            "speaker_b": "Joel",
            "session_10_date_time": "1:05 pm on 3 March, 2024",
            "session_10": [{"speaker": "Joel", "dia_id": "D10:1", "text": "I sold my boat to Ines."}],
            "session_2_date_time": "9:30 am on 2 February, 2024",
            "session_2": [
                {"speaker": "Mara", "dia_id": "D2:1", "text": "My greyhound is called Pepper."},
                {
                    "speaker": "Joel",
                    "dia_id": "D2:2",
                    "text": "Look at this!",
                    "img_url": ["https://example.org/a.jpg"],
                    "blip_caption": "a photo of a red kayak on a beach",
                },
            ],
        },
        "qa": [
            {
                "question": "What is the name of Mara's greyhound?",
                "answer": "Pepper",
                "evidence": ["D2:1"],
                "category": 4,
            },
            {
                "question": "How much did Ines pay for her violin?",
                "adversarial_answer": "nothing",
                "evidence": ["D:10:01; D2:2"],
                "category": 5,
            },
        ],
    }


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "samples.json"
    path.write_text(json.dumps([locomo_sample(), locomo_sample() | {"sample_id": "conv-1"}]))
    return path


def test_the_minimal_example_shows_an_answer_and_two_silences() -> None:
    printed = run(EXAMPLES / "minimal.py").stdout
    assert printed.count("(nothing to inject)") == 2
    assert "Bernese mountain dog" in printed


@needs_langgraph
def test_the_sample_conversation_is_remembered_and_asked_about() -> None:
    printed = run(CONVERSATION).stdout
    assert printed.count("\n? ") + 1 == 12
    assert "no_useful_memory" in printed or "background_context" in printed


@needs_langgraph
def test_the_report_counts_what_was_injected() -> None:
    total = json.loads(run(CONVERSATION, "--json").stdout)["total"]
    assert total["turns"] == 24
    assert total["answerable"]["questions"] == 8
    assert total["adversarial"]["questions"] == 4
    assert total["turns_per_s"] > 0
    assert total["decisions_per_s"] > 0
    assert sum(counts["questions"] for counts in total["by_category"].values()) == 12


@needs_langgraph
def test_the_report_is_a_table_for_people() -> None:
    printed = run(CONVERSATION, "--report", "--embedder", "none").stdout
    assert "24 turns stored" in printed
    assert printed.splitlines()[1].split() == ["questions", "evidence", "all", "of", "it", "withheld"]


@needs_langgraph
def test_the_benchmarks_layout_is_read_conversation_by_conversation(locomo: Path) -> None:
    report = json.loads(run(CONVERSATION, locomo, "--json", "--allow-background").stdout)
    first, second = report["conversations"]
    assert (first["conversations"], second["conversations"]) == (["conv-0"], ["conv-1"])
    assert first["turns"] == second["turns"] == 3
    assert first["answerable"]["with_evidence_injected"] == 1
    assert report["total"]["adversarial"]["questions"] == 2


@needs_langgraph
def test_turns_keep_speaker_session_time_and_caption(locomo: Path, tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    run(CONVERSATION, locomo, "--db", database, "--embedder", "none", "--report")
    with Memory.open(database, embedder=None) as memory:
        notes = memory.notes(subject="conv-0")
    told = {
        (note.speaker, note.scope.session, f"{note.occurred_at:%Y-%m-%d %H:%M:%S}", note.text)
        for note in notes
    }
    assert told == {
        ("Mara", "session_2", "2024-02-02 09:30:00", "My greyhound is called Pepper."),
        (
            "Joel",
            "session_2",
            "2024-02-02 09:30:01",
            "Look at this! [photo: a photo of a red kayak on a beach]",
        ),
        ("Joel", "session_10", "2024-03-03 13:05:00", "I sold my boat to Ines."),
    }


@needs_langgraph
def test_a_conversation_played_twice_is_stored_once(locomo: Path, tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    for _ in range(2):
        run(CONVERSATION, locomo, "--db", database, "--embedder", "none", "--report")
    with Memory.open(database, embedder=None) as memory:
        assert len(memory.notes(subject="conv-0")) == 3


@needs_langgraph
def test_a_file_of_another_layout_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"hello": 1}')
    with pytest.raises(AssertionError, match="neither JSON lines"):
        run(CONVERSATION, path)


class Endpoint(BaseHTTPRequestHandler):
    """Says "Certainly." and keeps the requests, as an OpenAI-compatible server would not."""

    requests: list[dict[str, Any]]
    keys: list[str | None]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.requests.append(json.loads(body) | {"path": self.path})
        self.keys.append(self.headers["authorization"])
        answer = {"choices": [{"message": {"role": "assistant", "content": "Certainly."}}]}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def endpoint() -> Iterator[HTTPServer]:
    Endpoint.requests, Endpoint.keys = [], []
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@needs_langgraph
def test_an_openai_compatible_endpoint_gets_the_memory_in_its_request(
    endpoint: HTTPServer, monkeypatch: pytest.MonkeyPatch, locomo: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    printed = run(CONVERSATION, locomo, "--base-url", url, "--model", "m1", "--allow-background").stdout
    assert printed.count("Certainly.") == 4
    first = Endpoint.requests[0]
    assert (first["path"], first["model"]) == ("/v1/chat/completions", "m1")
    assert "My greyhound is called Pepper." in first["messages"][0]["content"]
    assert first["messages"][-1] == {
        "role": "user",
        "content": "What is the name of Mara's greyhound?",
    }
    assert set(Endpoint.keys) == {"Bearer not-a-key"}


@needs_langgraph
def test_the_chat_remembers_over_two_sittings(tmp_path: Path) -> None:
    chat, database = EXAMPLES / "langgraph_chat.py", tmp_path / "agent.db"
    first = run(chat, database, "--subject", "ada", stdin="My greyhound is called Pepper.\n")
    again = run(chat, database, "--subject", "ada", stdin="What is my greyhound called?\n")
    other = run(chat, database, "--subject", "eve", stdin="What is my greyhound called?\n")
    assert "no memory" in first.stdout
    assert "Pepper" in again.stdout
    assert "Pepper" not in other.stdout


@needs_pydantic_ai
def test_the_pydantic_ai_chat_remembers_over_two_sittings(tmp_path: Path) -> None:
    chat, database = EXAMPLES / "pydantic_ai_chat.py", tmp_path / "agent.db"
    first = run(chat, database, "--subject", "ada", stdin="My greyhound is called Pepper.\n")
    again = run(chat, database, "--subject", "ada", stdin="What is my greyhound called?\n")
    other = run(chat, database, "--subject", "eve", stdin="What is my greyhound called?\n")
    assert "recall no_useful_memory" in first.stderr
    assert "Pepper" in again.stdout
    assert "Pepper" not in other.stdout


@pytest.mark.parametrize(
    "example",
    [pytest.param("adk_chat", marks=needs_adk), pytest.param("strands_chat", marks=needs_strands)],
)
def test_the_recipe_of_a_host_recalls_for_its_own_user_alone(example: str) -> None:
    printed = run(EXAMPLES / f"{example}.py").stdout
    # Said, recalled once, and never shown to the one who asks last.
    assert printed.count("<atmem-memory>") == 1
    assert printed.count("Pepper") == 2
    assert "Pepper" not in printed.split("</atmem-memory>")[1]
    assert printed.startswith("My greyhound")


@needs_mcp
def test_the_mcp_host_recalls_what_was_told(tmp_path: Path) -> None:
    host, database = EXAMPLES / "mcp_host.py", tmp_path / "agent.db"
    said = "My greyhound is called Pepper.\nWhat is my greyhound called?\n"
    printed = run(host, database, "--subject", "ada", stdin=said).stdout
    assert printed.startswith("no_useful_memory\n(nothing to inject)\n")
    assert "Pepper" in printed


@needs_agent_framework
def test_the_agent_framework_chat_remembers_over_two_sessions() -> None:
    printed = run(EXAMPLES / "agent_framework_chat.py").stdout
    assert printed.startswith("no_useful_memory\nMy greyhound is called Pepper.\n")
    assert printed.count("Pepper") == 2


@needs_openai_agents
def test_the_openai_agents_chat_remembers_over_two_sessions() -> None:
    printed = run(EXAMPLES / "openai_agents_chat.py").stdout
    assert printed.startswith("no_useful_memory\nMy greyhound is called Pepper.\n")
    assert printed.count("Pepper") == 2


@pytest.mark.parametrize(
    "name",
    [
        "agent_framework_chat.py",
        "langgraph_chat.py",
        "mcp_host.py",
        "minimal.py",
        "openai_agents_chat.py",
        "pydantic_ai_chat.py",
    ],
)
def test_an_example_of_a_host_is_short(name: str) -> None:
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) < 60

"""A conversation from a file, remembered turn by turn through a LangGraph graph, then asked about.

    python examples/langgraph_conversation.py                      the sample, offline, in seconds
    python examples/langgraph_conversation.py FILE --report        figures over every conversation
    of a file python examples/langgraph_conversation.py FILE --base-url URL --model NAME

Each turn and each question is one run of the same graph. A question's run starts with an empty
history, so that whatever the model knows about the conversation came from memory.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from rich.console import Console
from rich.progress import track

from atmem_core import Memory
from atmem_langgraph import (
    AtmemState,
    RecallNode,
    RememberNode,
    messages_for_model,
    route_by_decision,
)
from chat_models import chat_model
from conversation_file import Conversation, Question, Turn, read
from conversation_report import Answered, Played, as_text, figures

SAMPLE = Path(__file__).parent / "data" / "conversation.jsonl"
CONSOLE = Console(stderr=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host says about a run: whose memory, and the turn's session and time."""

    subject: str
    asks: bool = False
    session: str | None = None
    occurred_at: datetime | None = None


class State(AtmemState):
    """The shipped state and what this example measures."""

    shown_ids: NotRequired[list[str]]
    """Records whose text was in the model's request."""


Graph = CompiledStateGraph[State, Host, State, State]


def build(memory: Memory, model: BaseChatModel, *, allow_background: bool = False) -> Graph:
    """A turn is remembered; a question is decided, routed and answered."""

    def answer(state: State) -> dict[str, Any]:
        messages = messages_for_model(state, memory)
        shown = shown_ids(state["memory_record_ids"], messages)
        return {"messages": [model.invoke(messages)], "shown_ids": shown}

    def answer_without(state: State) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])], "shown_ids": []}

    graph = StateGraph(State, context_schema=Host)
    graph.add_node(RecallNode(memory, allow_background=allow_background))
    graph.add_node("answer", answer)
    graph.add_node("answer_without", answer_without)
    graph.add_node(
        RememberNode(
            memory,
            session=lambda run: run.context.session,
            occurred_at=lambda run: run.context.occurred_at,
            on_error="raise",
        )
    )
    graph.add_conditional_edges(START, turn_or_question, ["recall", "remember"])
    graph.add_conditional_edges(
        "recall",
        route_by_decision,
        {
            "direct_support": "answer",
            "background_context": "answer",
            "no_useful_memory": "answer_without",
        },
    )
    for last in ("answer", "answer_without", "remember"):
        graph.add_edge(last, END)
    return graph.compile()


def turn_or_question(state: State, runtime: Runtime[Host]) -> str:
    """Where a run starts."""
    return "recall" if runtime.context.asks else "remember"


def shown_ids(released: list[str], messages: list[BaseMessage]) -> list[str]:
    """Those of the released records that stand in the request, whatever the budget cut."""
    request = "\n".join(str(message.text) for message in messages)
    return [record_id for record_id in released if f"- [{record_id} " in request]


def remember(graph: Graph, turn: Turn, conversation: Conversation) -> list[str]:
    """Run the graph on one turn; ids of the notes that hold it."""
    message = HumanMessage(turn.text, id=turn.id, name=turn.speaker)
    host = Host(subject=conversation.id, session=turn.session, occurred_at=turn.occurred_at)
    config: Any = {"configurable": {"thread_id": conversation.id}}
    stored: list[str] = graph.invoke({"messages": [message]}, config, context=host)["memory_stored_ids"]
    return stored


def ask(graph: Graph, question: Question, subject: str, turns_of: dict[str, set[str]]) -> Answered:
    """Run the graph on one question."""
    host = Host(subject=subject, asks=True)
    state = graph.invoke({"messages": [HumanMessage(question.text)]}, context=host)
    decision = state["memory_decision"]
    injected = sorted({turn for shown in state["shown_ids"] for turn in turns_of[shown]})
    return Answered(
        question=question,
        support_class=decision["support_class"] if decision else "memory_error",
        injected=tuple(injected),
        reply=str(state["messages"][-1].text),
    )


def play(graph: Graph, conversation: Conversation, options: argparse.Namespace) -> Played:
    """Remember a whole conversation, then ask its questions."""
    turns_of: dict[str, set[str]] = defaultdict(set)
    began = time.perf_counter()
    for turn in _progress(conversation.turns, f"{conversation.id}: remembering"):
        for note_id in remember(graph, turn, conversation):
            turns_of[note_id].add(turn.id)
    stored = time.perf_counter()
    answered = []
    for question in _progress(conversation.questions, f"{conversation.id}: asking"):
        answered.append(ask(graph, question, conversation.id, turns_of))
        if not options.report:
            show(answered[-1])
    return Played(
        conversation=conversation,
        answered=tuple(answered),
        storing_s=stored - began,
        asking_s=time.perf_counter() - stored,
    )


def _progress(items: Any, what: str) -> Any:  # noqa: ANN401 - turns or questions
    return track(items, what, console=CONSOLE, disable=not sys.stderr.isatty())


def show(answered: Answered) -> None:
    """One question, its decision and its answer."""
    print(f"? {answered.question.text}")
    print(f"  {answered.support_class}: turns {', '.join(answered.injected) or 'none'}")
    print(f"  {answered.reply}")


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=SAMPLE, metavar="FILE")
    parser.add_argument("--db", default=":memory:", help="database; in memory by default")
    parser.add_argument("--base-url", help="OpenAI-compatible endpoint; scripted without")
    parser.add_argument("--model", default="default", help="model name for the endpoint")
    parser.add_argument("--embedder", choices=["auto", "none"], default="auto")
    parser.add_argument("--allow-background", action="store_true")
    parser.add_argument("--report", action="store_true", help="figures instead of each answer")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    options = parser.parse_args(arguments)
    options.report = options.report or options.json
    return options


def main() -> None:
    """Play every conversation of the file, one at a time, each for a subject of its own."""
    options = parsed()
    embedder = None if options.embedder == "none" else "auto"
    with Memory.open(options.db, embedder=embedder) as memory:
        model = chat_model(options.base_url, options.model)
        graph = build(memory, model, allow_background=options.allow_background)
        played = [play(graph, conversation, options) for conversation in read(options.file)]
    if options.json:
        reports = [figures([one]) for one in played]
        print(json.dumps({"conversations": reports, "total": figures(played)}, indent=2))
    elif options.report:
        parts = [[one] for one in played] + ([played] if len(played) > 1 else [])
        print("\n\n".join(as_text(figures(part)) for part in parts))


if __name__ == "__main__":
    main()

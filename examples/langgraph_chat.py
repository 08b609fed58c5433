"""A chat in the terminal with an agent that remembers: LangChain's create_agent and one middleware.

    python examples/langgraph_chat.py agent.db --subject ada
    python examples/langgraph_chat.py agent.db --subject ada --base-url http://localhost:11434/v1
    --model NAME

Close it and start it again: a new thread, and what you said is still known. Reads lines until end
of file.
"""

import argparse
import sys
import uuid
from typing import Any

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from atmem_core import Memory
from atmem_langgraph import AtmemMiddleware
from chat_models import chat_model


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("db", metavar="DB")
    parser.add_argument("--subject", required=True, help="whose memory")
    parser.add_argument("--base-url", help="OpenAI-compatible endpoint; scripted without")
    parser.add_argument("--model", default="default")
    return parser.parse_args()


def main() -> None:
    """Answer each line, and show what was decided about it."""
    options = parsed()
    thread: Any = {"configurable": {"thread_id": str(uuid.uuid1()), "subject": options.subject}}
    with Memory.open(options.db) as memory:
        agent = create_agent(
            chat_model(options.base_url, options.model),
            system_prompt="You are a helpful companion.",
            middleware=[AtmemMiddleware(memory, remember=True, deadline_ms=2_000)],
            checkpointer=InMemorySaver(),
        )
        for line in sys.stdin:
            answer = agent.invoke({"messages": [{"role": "user", "content": line}]}, thread)
            state = agent.get_state(thread).values
            decision = state["memory_decision"]
            print(decision["support_class"] if decision else state["memory_error"], file=sys.stderr)
            print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()

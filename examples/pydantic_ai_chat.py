"""A chat in the terminal with a Pydantic AI agent that remembers.

    python examples/pydantic_ai_chat.py agent.db --subject ada
    python examples/pydantic_ai_chat.py agent.db --subject ada --model openai:gpt-5

Close it and start it again: an empty history, and what you said is still known. Without ``--model`` the
agent says what it was shown. Reads lines until end of file.
"""

import argparse
import sys
from dataclasses import dataclass

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from atmem_core import Memory
from atmem_pydantic_ai import MemoryCapability, MemoryEvent


@dataclass
class Deps:
    """What the host knows about a run: whose it is."""

    user_id: str


async def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The host's own test model: says what the last message holds."""
    shown = [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]
    return ModelResponse(parts=[TextPart("\n".join(map(str, shown)))])


def show(event: MemoryEvent) -> None:
    """What memory did, on standard error."""
    print(event.act, event.failure or (event.decision or {}).get("support_class"), file=sys.stderr)


def main() -> None:
    """Answer each line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("db", metavar="DB")
    parser.add_argument("--subject", required=True, help="whose memory")
    parser.add_argument("--model", help="a model of Pydantic AI's; scripted without")
    options = parser.parse_args()
    history: list[ModelMessage] = []
    with Memory.open(options.db) as memory:
        memory.doctor()  # loads the model now, and not within the deadline of the first question
        capability = MemoryCapability(memory, remember=True, tools=True, deadline_ms=2_000, observe=show)
        agent = Agent(options.model or FunctionModel(echo), deps_type=Deps, capabilities=[capability])
        for line in filter(str.strip, sys.stdin):
            result = agent.run_sync(line.strip(), deps=Deps(options.subject), message_history=history)
            history = result.all_messages()
            print(result.output)


if __name__ == "__main__":
    main()

"""An agent of the OpenAI Agents SDK that remembers, over two sessions, with a scripted model.

    python examples/openai_agents_chat.py

Leave ``model=`` out, or name one, to talk to a real model.
"""

import asyncio

from agents import Agent, RunConfig, Runner, SQLiteSession
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message

from atmem_core import Memory
from atmem_openai_agents import AtmemTurns


async def shown(call: ModelCall) -> ModelStep:
    """Says what it was shown."""
    return ModelStep(output=[assistant_message("\n".join(item["content"] for item in call.input))])


async def main() -> None:
    """Tell it in one session, ask in the next."""
    model = ScriptedModel()
    agent = Agent(name="assistant", model=model)
    with Memory.open(":memory:") as memory:
        memory.doctor()  # loads the model now, and not within the deadline of the first question
        turns = AtmemTurns(memory, remember=True, deadline_ms=2_000)
        for number, text in enumerate(("My greyhound is called Pepper.", "What is my greyhound called?")):
            turn = turns.turn(subject="ada")
            model.enqueue(ModelStep.respond(shown))
            config = RunConfig(call_model_input_filter=turn, tracing_disabled=True)
            session = SQLiteSession(f"session-{number}")
            result = await Runner.run(agent, text, run_config=config, hooks=turn, session=session)
            print(turn.decision["support_class"] if turn.decision else turn.failure)
            print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())

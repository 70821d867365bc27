"""openai-agents: one agent object runs three questions at once."""

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def get_length(word: str) -> int:
    """How many letters a word has."""
    return len(word)


async def main():
    agent = Agent(name="Words", instructions="You count letters.", tools=[get_length], model="gpt-5-mini")
    runs = [Runner.run(agent, f"How long is '{word}'?") for word in ("one", "three", "one")]
    for run in await asyncio.gather(*runs):
        print(run.final_output)


asyncio.run(main())

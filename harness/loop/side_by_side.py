"""Several runs on one prompt side by side. Each is a variant with its own model, tools and file.

Source: "Agent Tool-Calling Flow", section "Entry Point": the agent is run once per variant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from harness.loop.agent import Agent
from harness.loop.driver import SendMessage
from harness.loop.outcome import AgentError, AgentResult
from harness.trace import Event

SendNumbered = Callable[[int, Event], Awaitable[None]]
"""Gets every event with the number of its variant, from 0. Ids of calls are unique within a variant only."""


async def run_side_by_side(
    agent: Callable[[SendMessage], Agent],
    models: Sequence[str],
    prompt_messages: Sequence[tuple[str, str]],
    send_message: SendNumbered,
) -> list[AgentResult | AgentError]:
    """Run one agent per model of ``models`` at once, and return how each ended, in the order of ``models``.

    ``agent`` makes the agent of a variant, which reports to the function that it gets. Each agent needs new tools,
    because they contain the file. A failed variant does not affect the others. Any other exception ends all of them.
    """

    async def run(number: int, model: str) -> AgentResult | AgentError:
        async def emit(event: Event) -> None:
            await send_message(number, event)

        try:
            return await agent(emit).run(model, prompt_messages)
        except AgentError as error:
            return error

    try:
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(run(number, model)) for number, model in enumerate(models)]
    except* Exception as errors:  # noqa: BLE001 - raised again: the first of them
        raise errors.exceptions[0] from None
    return [each.result() for each in runs]

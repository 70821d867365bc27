"""A tool-calling loop on Anthropic's SDK: Messages. Needs anthropic. The harness calls ``run`` once for each case."""

import json
from collections.abc import Mapping
from typing import Any

from anthropic import AsyncAnthropic, omit

MOST_TURNS = 20
MOST_TOKENS = 16_000


async def run(case: Any) -> str:
    """The connection to the harness: what the loop needs of a case. What is returned is the answer to the user."""
    system = "\n".join(text for role, text in case.prompt if role == "system")
    messages = [{"role": role, "content": text} for role, text in case.prompt if role != "system"]
    tools = {tool.name: tool for tool in case.callables}
    async with AsyncAnthropic(base_url=case.base_url, api_key=case.api_key) as client:
        return await answer(client, case.model, system, messages, tools)


async def answer(client: AsyncAnthropic, model: str, system: str, messages: list[Any], tools: Mapping[str, Any]) -> str:
    """Ask the model, run the tools that it calls, send the results, until it calls none. Returns its text."""
    offered: list[Any] = [declaration(tool) for tool in tools.values()]
    for _ in range(MOST_TURNS):
        message = await client.messages.create(
            model=model, max_tokens=MOST_TOKENS, system=system or omit, messages=messages, tools=offered or omit
        )
        if message.stop_reason not in ("end_turn", "tool_use", "stop_sequence"):  # cut or refused: run no call of it
            raise RuntimeError(f"the model stopped with {message.stop_reason}")
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in message.content if block.type == "text")
        messages.append({"role": "assistant", "content": message.content})  # thinking goes back as it came
        messages.append({"role": "user", "content": [await result_of(call, tools) for call in calls]})
    raise RuntimeError(f"no answer after {MOST_TURNS} turns")


def declaration(tool: Any) -> dict[str, Any]:
    """A tool as the model is offered it."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


async def result_of(call: Any, tools: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call; what went wrong is a result, too, so that the model can react."""
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
    try:
        if call.name not in tools:
            raise LookupError(f"there is no tool {call.name}")
        output = await tools[call.name](call.input, id=call.id)
    except Exception as error:
        return {**result, "content": f"Error: {error}", "is_error": True}
    return {**result, "content": output if isinstance(output, str) else json.dumps(output)}

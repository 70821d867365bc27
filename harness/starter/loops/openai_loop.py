"""A tool-calling loop on OpenAI's SDK: Chat Completions. Needs openai. The harness calls ``run`` once for each case."""

import json
from collections.abc import Mapping
from typing import Any

from openai import AsyncOpenAI, omit

MOST_TURNS = 20


async def run(case: Any) -> str:
    """The connection to the harness: what the loop needs of a case. What is returned is the answer to the user."""
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    tools = {tool.name: tool for tool in case.callables}
    async with AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key) as client:
        return await answer(client, case.model, messages, tools)


async def answer(client: AsyncOpenAI, model: str, messages: list[Any], tools: Mapping[str, Any]) -> str:
    """Ask the model, run the tools that it calls, send the results, until it calls none. Returns its text."""
    offered: list[Any] = [{"type": "function", "function": declaration(tool)} for tool in tools.values()]
    for _ in range(MOST_TURNS):
        completion = await client.chat.completions.create(model=model, messages=messages, tools=offered or omit)
        choice = completion.choices[0]
        if choice.finish_reason == "length":  # the last call may be cut: run none of them
            raise RuntimeError("the answer was cut off at the token limit")
        if choice.finish_reason == "content_filter" or choice.message.refusal:
            raise RuntimeError(f"the model refused: {choice.message.refusal or choice.finish_reason}")
        if not choice.message.tool_calls:
            return choice.message.content or ""
        messages.append(choice.message.model_dump(exclude_none=True))
        for call in choice.message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": await result_of(call, tools)})
    raise RuntimeError(f"no answer after {MOST_TURNS} turns")


def declaration(tool: Any) -> dict[str, Any]:
    """A tool as the model is offered it."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


async def result_of(call: Any, tools: Mapping[str, Any]) -> str:
    """The result of a call as a text for the model; what went wrong is a result, too, so that the model can react."""
    try:
        arguments = json.loads(call.function.arguments or "{}")
        if not isinstance(arguments, dict):
            raise TypeError("the arguments must be a JSON object")
        if call.function.name not in tools:
            raise LookupError(f"there is no tool {call.function.name}")
        result = await tools[call.function.name](arguments, id=call.id)
    except Exception as error:
        return f"Error: {error}"
    return result if isinstance(result, str) else json.dumps(result)

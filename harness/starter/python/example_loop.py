"""An agent loop on Chat Completions, small enough to read. Put your own in its place.

The harness calls ``run`` once for every case. What that returns is the answer to the user; what it raises is an error
that its user is told.
"""

import json
from collections.abc import Mapping
from typing import Any

from openai import AsyncOpenAI, omit

from harness.targets import Assignment
from harness.targets.tools import CallableTool, ToolRaised
from harness.trace import Failure, Final

MOST_TURNS = 20


async def run(assignment: Assignment) -> str | None:
    """Ask the model, run the tools that it calls, send it the results, until it calls none."""
    tools = {tool.name: tool for tool in assignment.callables}
    offered: list[Any] = [_offered(tool) for tool in tools.values()]
    messages: list[Any] = [{"role": role, "content": text} for role, text in assignment.prompt]
    async with AsyncOpenAI(base_url=f"{assignment.base_url}/v1", api_key=assignment.api_key) as client:
        for _ in range(assignment.turn_limit or MOST_TURNS):
            answer = await client.chat.completions.create(
                model=assignment.model, messages=messages, tools=offered or omit
            )
            message, why = answer.choices[0].message, answer.choices[0].finish_reason
            if why in ("length", "content_filter") or message.refusal:  # its calls, if it has any, must not run
                outcome = "truncated" if why == "length" else "refused"
                assignment.emit(Final("", outcome, message.content or message.refusal or ""))
                return None
            if not message.tool_calls:
                return message.content
            if len({call.id for call in message.tool_calls if call.id}) < len(message.tool_calls):
                raise ValueError("the model has sent calls without ids of their own, so no result could name its call")
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": await _result_of(call, tools)})
    assignment.emit(Failure("turn-limit", "the model did not come to an end"))
    return None


def _offered(tool: CallableTool) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


async def _result_of(call: Any, tools: Mapping[str, CallableTool]) -> str:
    """What the model is told of a call: the result, or what was wrong."""
    if call.function.name not in tools:
        return f"There is no tool {call.function.name}."
    try:
        result = await tools[call.function.name](json.loads(call.function.arguments or "{}"), id=call.id)
    except (ValueError, ToolRaised) as error:
        return f"Error: {error}"
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

"""An agent on Chat Completions: the openai package without streaming; a call that comes twice is answered once."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from openai import OpenAI, omit


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    offered = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools.values()
    ]
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    with OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0) as client:
        for _ in range(case.turn_limit or 20):
            answer = client.chat.completions.create(model=case.model, messages=messages, tools=offered or omit)
            message, finish = answer.choices[0].message, answer.choices[0].finish_reason
            if finish in ("length", "content_filter", None) or message.refusal:
                raise RuntimeError(f"the turn is not whole: {finish}, {message.refusal}")
            turn = message.model_dump(exclude_none=True)
            messages.append(turn)
            if not turn.get("tool_calls"):
                return message.content or ""
            turn["tool_calls"] = unique(turn["tool_calls"])
            for call in turn["tool_calls"]:
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result_of(call, tools)})
    raise RuntimeError("the limit of turns is reached")


def unique(calls):
    """Some servers send a call twice. The API takes an id once only."""
    if not all(call["id"] for call in calls):
        raise RuntimeError("a call has no id, so no result can name it")
    return list({call["id"]: call for call in reversed(calls)}.values())[::-1]


def result_of(call, tools):
    tool = tools.get(call["function"]["name"])
    if tool is None:
        return json.dumps({"error": f"unknown tool {call['function']['name']}"})
    try:
        arguments = json.loads(call["function"]["arguments"] or "{}")
        result = tool.now(arguments, id=call["id"])
    except Exception as error:
        return json.dumps({"error": str(error)})
    return result if isinstance(result, str) else json.dumps(result)

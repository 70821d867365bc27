"""An agent on Chat Completions: the openai package, answers as streams, a limit of its own."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from openai import AsyncOpenAI, omit

MOST_TURNS = 30


async def run(case):
    tools = {tool.name: tool for tool in case.callables}
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    async with AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key) as client:
        for _ in range(MOST_TURNS):
            turn = await ask(client, case.model, messages, tools)
            messages.append(turn)
            if not turn.get("tool_calls"):
                return turn["content"]
            for call in turn["tool_calls"]:
                result = await result_of(call, tools)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    raise RuntimeError("the model did not come to an end")


async def ask(client, model, messages, tools):
    offered = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools.values()
    ]
    stream = await client.chat.completions.create(model=model, messages=messages, tools=offered or omit, stream=True)
    text, refusal, calls, finish = "", "", {}, None
    async for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            refusal += choice.delta.refusal or ""
            for piece in choice.delta.tool_calls or []:
                add(calls, piece)
            finish = choice.finish_reason or finish
    if finish is None:
        raise ConnectionError("the stream ended before the model's turn did")
    if finish == "length":
        raise RuntimeError("the model's turn was cut at its token limit")
    if refusal or finish == "content_filter":
        raise RuntimeError(f"the model refuses: {refusal}")
    made = [calls[index] for index in sorted(calls)]
    if len({call["id"] for call in made if call["id"]}) < len(made):
        raise RuntimeError("the model sent calls that share an id, or have none")
    turn = {"role": "assistant", "content": joined(text)}
    return {**turn, "tool_calls": made} if made else turn


def add(calls, piece):
    call = calls.setdefault(piece.index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    call["id"] = piece.id or call["id"]
    if piece.function:
        call["function"]["name"] += piece.function.name or ""
        call["function"]["arguments"] += piece.function.arguments or ""


def joined(text):
    """Some servers cut between the halves of a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


async def result_of(call, tools):
    name, text = call["function"]["name"], call["function"]["arguments"]
    if name not in tools:
        return f"Error: there is no tool {name}"
    try:
        arguments = json.loads(text or "{}")
    except ValueError as error:
        return f"Error: the arguments are not JSON: {error}"
    if not isinstance(arguments, dict):
        return "Error: the arguments are no object"
    try:
        return json.dumps(await tools[name](arguments, id=call["id"]))
    except Exception as error:
        return f"Error: {error}"

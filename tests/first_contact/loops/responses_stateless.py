"""An agent on Responses that stores nothing at OpenAI: reasoning goes back encrypted. The openai package, streaming."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from openai import AsyncOpenAI, omit

RULES = "Answer briefly."


async def run(case):
    tools = {tool.name: tool for tool in case.callables}
    system = [text for role, text in case.prompt if role == "system"]
    history = [{"role": role, "content": text} for role, text in case.prompt if role != "system"]
    settings = {
        "model": case.model,
        "instructions": "\n\n".join([RULES, *system]),
        "tools": [declared(tool) for tool in tools.values()] or omit,
        "include": ["reasoning.encrypted_content"],
        "store": False,
    }
    async with AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key) as client:
        for _ in range(case.turn_limit or 20):
            items = await ask(client, input=history, **settings)
            calls = [item for item in items if item["type"] == "function_call"]
            if not calls:
                return said(items)
            if len({call["call_id"] for call in (*called(history), *calls)}) < len(called(history)) + len(calls):
                raise RuntimeError("the model has used the id of a call again")
            history += items
            for call in calls:
                output = await output_of(call, tools)
                history.append({"type": "function_call_output", "call_id": call["call_id"], "output": output})
    raise RuntimeError("the limit of turns is reached")


async def ask(client, **request):
    items, ended = [], None
    async for event in await client.responses.create(stream=True, **request):
        if event.type == "response.output_item.done":
            items.append(event.item.model_dump(exclude_none=True, mode="json"))
        elif event.type == "error":
            raise RuntimeError(event.message)
        elif event.type in ("response.completed", "response.incomplete", "response.failed"):
            ended = event.response
    if ended is None:
        raise ConnectionError("the stream broke off")
    if ended.status != "completed":
        raise RuntimeError(f"the turn is {ended.status}: {ended.incomplete_details or ended.error}")
    for item in items:
        if item["type"] == "message" and any(part["type"] == "refusal" for part in item["content"]):
            raise RuntimeError("the model refuses")
        if item["type"] == "function_call" and not item.get("call_id"):
            raise RuntimeError("a call came without an id")
        if item["type"] == "reasoning":
            item.pop("status", None)
    return items


def called(history):
    return [item for item in history if item.get("type") == "function_call"]


def said(items):
    parts = [part["text"] for item in items if item["type"] == "message" for part in item["content"]]
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def declared(tool):
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }


async def output_of(call, tools):
    if call["name"] not in tools:
        return f"Error: there is no tool {call['name']}"
    try:
        arguments = json.loads(call["arguments"] or "{}")
    except ValueError as error:
        return f"Error: the arguments are not JSON: {error}"
    try:
        return json.dumps(await tools[call["name"]](arguments, id=call["call_id"]))
    except Exception as error:
        return f"Error: {error}"

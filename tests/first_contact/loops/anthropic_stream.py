"""An agent on Anthropic's Messages: the anthropic package, streaming, thinking where the model likes."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from anthropic import AsyncAnthropic, omit

MOST_TURNS = 30


async def run(case):
    tools = {tool.name: tool for tool in case.callables}
    system = "\n\n".join(text for role, text in case.prompt if role == "system")
    messages = [{"role": role, "content": text} for role, text in case.prompt if role != "system"]
    async with AsyncAnthropic(base_url=case.base_url, api_key=case.api_key) as client:
        for _ in range(MOST_TURNS):
            content, stop = await ask(
                client,
                model=case.model,
                max_tokens=4096,
                system=system or omit,
                messages=messages,
                thinking={"type": "adaptive"},
                tools=[declared(tool) for tool in tools.values()] or omit,
            )
            if stop not in ("end_turn", "tool_use", "pause_turn"):
                raise RuntimeError(f"the model stopped with {stop}")
            if content:
                messages.append({"role": "assistant", "content": [block for block, _ in content]})
            calls = [(block, wrong) for block, wrong in content if block["type"] == "tool_use"]
            if calls:
                messages.append({"role": "user", "content": [await result_of(*call, tools) for call in calls]})
            elif stop != "pause_turn":
                return "".join(block["text"] for block, _ in content if block["type"] == "text")
    raise RuntimeError("the model did not come to an end")


async def ask(client, **request):
    """The blocks of a turn, each with what is wrong with its arguments, and why the model stopped."""
    content, text, stop, ended = [], {}, None, False
    async with await client.messages.create(stream=True, **request) as stream:
        async for event in stream:
            match event.type:
                case "content_block_start":
                    content.append(event.content_block.model_dump(exclude_none=True, mode="json"))
                    text[event.index] = ""
                case "content_block_delta":
                    add(content[event.index], event.delta, text, event.index)
                case "message_delta":
                    stop = event.delta.stop_reason
                case "message_stop":
                    ended = True
    if not ended:
        raise ConnectionError("the stream ended before the message did")
    ids = [block["id"] for block in content if block["type"] == "tool_use"]
    earlier = [
        block["id"]
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    if len({*ids, *earlier}) < len(ids) + len(earlier) or not all(ids):
        raise RuntimeError("calls without ids of their own")
    return [whole(block, text[index]) for index, block in enumerate(content) if block.get("text") != ""], stop


def add(block, delta, text, index):
    match delta.type:
        case "text_delta":
            block["text"] += delta.text
        case "thinking_delta":
            block["thinking"] += delta.thinking
        case "signature_delta":
            block["signature"] = delta.signature
        case "input_json_delta":
            text[index] += delta.partial_json


def whole(block, text):
    """Characters that came in halves are joined; arguments are read once all of them are there."""
    if block["type"] == "text":
        block["text"] = block["text"].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if block["type"] != "tool_use":
        return block, ""
    try:
        value = json.loads(text or "{}")
    except ValueError as error:
        return {**block, "input": {"INVALID_JSON": text}}, f"the arguments are not JSON: {error}"
    return {**block, "input": value}, ""


def declared(tool):
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}


async def result_of(call, wrong, tools):
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] not in tools:
        wrong = f"there is no tool {call['name']}"
    if not wrong:
        try:
            return {**result, "content": json.dumps(await tools[call["name"]](call["input"], id=call["id"]))}
        except Exception as error:
            wrong = str(error)
    return {**result, "content": wrong, "is_error": True}

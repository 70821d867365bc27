"""An agent on Anthropic's Messages: the anthropic package without streaming, with a system prompt of its own."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from anthropic import Anthropic, omit

SYSTEM = "You are a careful assistant. Say which tools you have used."


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    messages = [{"role": role, "content": text} for role, text in case.prompt if role == "user"]
    system = "\n\n".join([SYSTEM, *(text for role, text in case.prompt if role == "system")])
    offered = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in tools.values()
    ]
    with Anthropic(base_url=case.base_url, api_key=case.api_key, max_retries=0) as client:
        for _ in range(case.turn_limit or 25):
            message = client.messages.create(
                model=case.model,
                max_tokens=8000,
                system=system,
                messages=messages,
                thinking={"type": "enabled", "budget_tokens": 2000},
                tools=offered or omit,
            )
            if message.stop_reason in ("max_tokens", "refusal", "model_context_window_exceeded", None):
                raise RuntimeError(f"the turn is not whole: {message.stop_reason}")
            content = [block.model_dump(exclude_none=True, mode="json") for block in message.content]
            if content:
                messages.append({"role": "assistant", "content": content})
            calls = [block for block in message.content if block.type == "tool_use"]
            if message.stop_reason == "pause_turn":
                continue
            if not calls:
                return "".join(block.text for block in message.content if block.type == "text")
            check_ids(messages)
            messages.append({"role": "user", "content": [result_of(call, tools) for call in calls]})
    raise RuntimeError("the limit of turns is reached")


def check_ids(messages):
    ids = [
        block.get("id")
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    if not all(ids) or len(set(ids)) < len(ids):
        raise RuntimeError("the API takes no call without an id of its own")


def result_of(call, tools):
    try:
        if call.name not in tools:
            raise LookupError(f"unknown tool {call.name}")
        if not isinstance(call.input, dict):
            raise TypeError("the input is no object")
        output, failed = tools[call.name].now(call.input, id=call.id), False
    except Exception as error:
        output, failed = str(error), True
    content = output if isinstance(output, str) else json.dumps(output)
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": failed}

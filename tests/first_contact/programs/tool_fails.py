"""The tool raises; the model is told so, and the user gets its answer."""

import json

from plain import OPENAI, chat_tool, post

TOOL = chat_tool("open_door", door="string")


def open_door(door):
    raise PermissionError(f"{door} is locked")


messages = [{"role": "user", "content": "Open the gate."}]
while True:
    body = {"model": "gpt-4.1", "messages": messages, "tools": [TOOL], "parallel_tool_calls": False}
    message = post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]
    messages.append({key: message[key] for key in ("role", "content", "tool_calls") if message.get(key)})
    if "tool_calls" not in message:
        break
    for call in message["tool_calls"]:
        try:
            said = open_door(**json.loads(call["function"]["arguments"]))
        except PermissionError as problem:
            said = f"Error: {problem}"
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": said})
print(message["content"])

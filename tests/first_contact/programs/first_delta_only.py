"""FAULT: streaming: only the first call of the deltas is kept, as if a turn could have but one."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
TOOL = chat_tool("get_height", peak="string")
messages = [{"role": "user", "content": "Which is higher, K2 or Eiger?"}]
while True:
    text, call = "", None
    for chunk in client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL], stream=True):
        delta = chunk.choices[0].delta
        text += delta.content or ""
        for piece in delta.tool_calls or []:
            if call is None:
                call = {"id": piece.id, "type": "function", "function": {"name": piece.function.name, "arguments": ""}}
            if piece.index == 0:
                call["function"]["arguments"] += piece.function.arguments or ""
    if call is None:
        break
    messages.append({"role": "assistant", "content": text or None, "tool_calls": [call]})
    peak = json.loads(call["function"]["arguments"])["peak"]
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"{peak}: 4000 m"})
print(text)

"""Chat: the examples in front of every question have calls and results, with ids of the program's own."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
TOOLS = [chat_tool("multiply", a="integer", b="integer")]
CALL = {"id": "call_1", "type": "function", "function": {"name": "multiply", "arguments": '{"a": 3, "b": 4}'}}
EXAMPLE = [
    {"role": "user", "content": "What is 3 times 4?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "12"},
    {"role": "assistant", "content": "3 times 4 is 12."},
]
for question in ("What is 5 times 6?", "What is 7 times 8?"):
    messages = [*EXAMPLE, {"role": "user", "content": question}]
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            numbers = json.loads(call.function.arguments)
            product = numbers["a"] * numbers["b"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(product)})
    print(message.content)

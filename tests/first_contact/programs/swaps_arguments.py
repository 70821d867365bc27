"""FAULT: the history has the parsed arguments with the program's own defaults in them, not what the model wrote."""

import json

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "function": {
        "name": "search_flights",
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    },
}
messages = [{"role": "user", "content": "Flights to Rome or Milan?"}]
while True:
    message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=[TOOL]).choices[0].message
    if not message.tool_calls:
        break
    calls, results = [], []
    for call in message.tool_calls:
        arguments = {"class": "economy", **json.loads(call.function.arguments)}
        function = {"name": call.function.name, "arguments": json.dumps(arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})
        results.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps([arguments["to"], "7:00"])})
    messages += [{"role": "assistant", "content": message.content, "tool_calls": calls}, *results]
print(message.content)

"""FAULT: the helper that asks also appends the prompt, so the user's message is said again behind the results."""

import json

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "function": {
        "name": "get_stock",
        "parameters": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]},
    },
}
history = []


def ask(prompt):
    history.append({"role": "user", "content": prompt})
    message = client.chat.completions.create(model="gpt-4.1", messages=history, tools=[TOOL]).choices[0].message
    history.append(message)
    return message


prompt = "Are A1 and A2 in stock?"
while (message := ask(prompt)).tool_calls:
    for call in message.tool_calls:
        stock = {json.loads(call.function.arguments)["sku"]: 0}
        history.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(stock)})
print(message.content)

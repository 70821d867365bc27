"""FAULT: on a model that reasons by default, only messages and calls go back; the reasoning items are left out."""

import json

from plain import OPENAI, post

TOOL = {
    "type": "function",
    "name": "get_price",
    "parameters": {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
}
items = [{"role": "user", "content": "What do tea and milk cost?"}]
while True:
    output = post(f"{OPENAI}/responses", {"model": "gpt-5", "input": items, "tools": [TOOL]})["output"]
    items += [item for item in output if item["type"] != "reasoning"]
    calls = [item for item in output if item["type"] == "function_call"]
    if not calls:
        break
    for call in calls:
        price = {json.loads(call["arguments"])["item"]: 2}
        items.append({"type": "function_call_output", "call_id": call["call_id"], "output": json.dumps(price)})
print(output[-1]["content"][0]["text"])

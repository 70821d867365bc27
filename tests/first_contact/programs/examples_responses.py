"""Responses: an example with a call and its output before the question; then a loop with store=False."""

from plain import OPENAI, post

TOOL = {"type": "function", "name": "get_capital", "parameters": {"type": "object", "properties": {}}, "strict": False}
items = [
    {"role": "user", "content": "Capital of France?"},
    {"type": "function_call", "call_id": "example-1", "name": "get_capital", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "example-1", "output": "Paris"},
    {"role": "assistant", "content": "Paris."},
    {"role": "user", "content": "Capital of Spain?"},
]
while True:
    body = {"model": "gpt-4.1-mini", "input": items, "tools": [TOOL], "store": False}
    output = post(f"{OPENAI}/responses", body)["output"]
    items += output
    calls = [item for item in output if item["type"] == "function_call"]
    items += [{"type": "function_call_output", "call_id": call["call_id"], "output": "Madrid"} for call in calls]
    if not calls:
        break
print(output[-1]["content"][0]["text"])

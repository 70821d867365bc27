"""FAULT: the arguments go back as Python prints a dict, which is no JSON."""

import json

from plain import OPENAI, post

TOOL = {
    "type": "function",
    "name": "get_size",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
items = [{"role": "user", "content": "How large is it?"}]
while True:
    output = post(f"{OPENAI}/responses", {"model": "gpt-4.1", "input": items, "tools": [TOOL]})["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    for call in calls:
        call["arguments"] = str(json.loads(call["arguments"]))
    items += output
    items += [{"type": "function_call_output", "call_id": call["call_id"], "output": "12 kB"} for call in calls]
    if not calls:
        break
print(output[-1]["content"][0]["text"])

"""An agent whose requests are given up and asked again, unchanged, in the middle of its work as well."""

import json

from plain import OPENAI, events, opened, post, schema

TOOLS = [{"type": "function", "name": "look_up", "parameters": schema(word="string")}]
items = [{"role": "user", "content": "What do 'rook' and 'crow' mean?"}]
while True:
    body = {"model": "gpt-4.1", "input": items, "tools": TOOLS}
    with opened(f"{OPENAI}/responses", {**body, "stream": True}) as answer:
        next(events(answer))  # it takes too long: hang up, and ask without a stream
    output = post(f"{OPENAI}/responses", body)["output"]
    items += output
    calls = [item for item in output if item["type"] == "function_call"]
    for call in calls:
        word = json.loads(call["arguments"])["word"]
        items.append({"type": "function_call_output", "call_id": call["call_id"], "output": f"{word}: a bird"})
    if not calls:
        break
print(items[-1]["content"][0]["text"])

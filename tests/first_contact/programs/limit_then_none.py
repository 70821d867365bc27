"""A loop with a limit of its own: after one round of tools it asks for the answer with tool_choice none."""

import json

from openai import OpenAI
from plain import responses_tool

client = OpenAI()
TOOL = {**responses_tool("fetch_page", "A page.", url="string"), "strict": False}
items = [{"role": "user", "content": "What is new on a.example and b.example?"}]
for left in (1, 0):
    answer = client.responses.create(
        model="gpt-5-nano", input=items, tools=[TOOL], tool_choice="auto" if left else "none"
    )
    items += answer.output
    for item in answer.output:
        if item.type == "function_call":
            page = json.dumps({"url": json.loads(item.arguments)["url"], "text": "nothing"})
            items.append({"type": "function_call_output", "call_id": item.call_id, "output": page})
print(answer.output_text)

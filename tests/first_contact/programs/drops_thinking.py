"""FAULT: Anthropic with extended thinking: text and calls go back without the thinking in front of them."""

import anthropic

client = anthropic.Anthropic()
TOOL = {"name": "roll", "description": "Roll dice.", "input_schema": {"type": "object", "properties": {}}}
messages = [{"role": "user", "content": "Roll twice and add."}]
while True:
    answer = client.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=3000,
        thinking={"type": "enabled", "budget_tokens": 1024},
        tools=[TOOL],
        messages=messages,
    )
    messages.append({"role": "assistant", "content": [each for each in answer.content if each.type != "thinking"]})
    calls = [each for each in answer.content if each.type == "tool_use"]
    if not calls:
        break
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "4"} for call in calls]
    messages.append({"role": "user", "content": results})
print(answer.content[-1].text)

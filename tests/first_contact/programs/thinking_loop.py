"""Anthropic with extended thinking: the whole content goes back, thinking first."""

import anthropic
from plain import anthropic_tool

client = anthropic.Anthropic()
TOOL = anthropic_tool("measure", "Measure a room.", room="string")
messages = [{"role": "user", "content": "Which room is larger, A or B?"}]
while True:
    answer = client.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=4000,
        thinking={"type": "enabled", "budget_tokens": 2000},
        tools=[TOOL],
        messages=messages,
    )
    messages.append({"role": "assistant", "content": answer.content})
    results = [
        {"type": "tool_result", "tool_use_id": each.id, "content": [{"type": "text", "text": "20 m2"}]}
        for each in answer.content
        if each.type == "tool_use"
    ]
    if not results:
        break
    messages.append({"role": "user", "content": results})
print(answer.content[-1].text)

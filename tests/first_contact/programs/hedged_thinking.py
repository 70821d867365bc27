"""Anthropic with thinking: every request is made twice, and the second answer is used, whole."""

import anthropic

client = anthropic.Anthropic()
TOOL = {"name": "get_wave", "description": "Waves at a place.", "input_schema": {"type": "object", "properties": {}}}


def ask(messages):
    return client.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=3000,
        thinking={"type": "enabled", "budget_tokens": 1024},
        tools=[TOOL],
        messages=messages,
    )


messages = []
for question in ("Can I swim today?", "And tomorrow?"):
    messages.append({"role": "user", "content": question})
    while True:
        answer = [ask(messages) for _ in range(2)][1]
        messages.append({"role": "assistant", "content": answer.content})
        uses = [block for block in answer.content if block.type == "tool_use"]
        if not uses:
            break
        results = [{"type": "tool_result", "tool_use_id": use.id, "content": "1 m"} for use in uses]
        messages.append({"role": "user", "content": results})
    print(answer.content[-1].text)

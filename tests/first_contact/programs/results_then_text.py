"""Anthropic: the user has typed while the tools ran; the words stand behind the results in the same message."""

import anthropic

client = anthropic.Anthropic()
TOOL = {"name": "list_tasks", "description": "The tasks.", "input_schema": {"type": "object", "properties": {}}}
typed = ["Only those of today, please."]
messages = [{"role": "user", "content": "What is there to do?"}]
while True:
    answer = client.messages.create(model="claude-opus-4-1", max_tokens=500, tools=[TOOL], messages=messages)
    messages.append({"role": "assistant", "content": answer.content})
    if answer.stop_reason != "tool_use":
        break
    content = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "Water the plants."}
        for block in answer.content
        if block.type == "tool_use"
    ]
    messages.append({"role": "user", "content": content + [{"type": "text", "text": typed.pop()} for _ in typed]})
print(answer.content[0].text)

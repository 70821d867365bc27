"""Anthropic: a chat with a tool, then a title and a summary that quote the whole of it to a smaller model."""

import json

import anthropic
from plain import anthropic_tool

client = anthropic.Anthropic()
TOOL = anthropic_tool("read_page", "Read a page of the handbook.", page="integer")
history = []
for question in ("How many days of leave do I have?", "And in the first year?"):
    history.append({"role": "user", "content": question})
    while True:
        answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=1000, tools=[TOOL], messages=history)
        history.append({"role": "assistant", "content": [block.model_dump(mode="json") for block in answer.content]})
        if answer.stop_reason != "tool_use":
            break
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": f"Page {block.input['page']}: 30 days."}
            for block in answer.content
            if block.type == "tool_use"
        ]
        history.append({"role": "user", "content": results})
transcript = json.dumps(history, indent=1)
for order in ("Write a short title for this chat.", "Summarise this chat in two sentences."):
    note = client.messages.create(
        model="claude-haiku-4-5", max_tokens=200, messages=[{"role": "user", "content": f"{order}\n\n{transcript}"}]
    )
    print(order, note.content[0].text)

"""FAULT: reads the first content block only, which is text; the calls behind it are lost."""

import anthropic

client = anthropic.Anthropic()
TOOL = {
    "name": "search_docs",
    "description": "Search the docs.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
messages = [{"role": "user", "content": "How do I log in?"}]
while True:
    answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=500, tools=[TOOL], messages=messages)
    first = answer.content[0]
    if first.type == "text":
        break
    messages.append({"role": "assistant", "content": answer.content})
    found = [{"type": "tool_result", "tool_use_id": first.id, "content": "See page 3."}]
    messages.append({"role": "user", "content": found})
print(first.text)

"""FAULT: Anthropic: the system prompt is in the first request only."""

import anthropic

client = anthropic.Anthropic()
TOOL = {"name": "get_balance", "description": "?", "input_schema": {"type": "object", "properties": {}}}
common = {"model": "claude-sonnet-4-5", "max_tokens": 400, "tools": [TOOL]}
messages = [{"role": "user", "content": "How much do I have?"}]
answer = client.messages.create(system="Never name a customer.", messages=messages, **common)
while answer.stop_reason == "tool_use":
    uses = [block for block in answer.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": use.id, "content": "12 euros"} for use in uses]
    messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": results}]
    answer = client.messages.create(messages=messages, **common)
print(answer.content[0].text)

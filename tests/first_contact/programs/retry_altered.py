"""FAULT: the stream of a continuation is given up; the retry has another first question than before."""

from plain import ANTHROPIC, events, opened, post

TOOL = {"name": "get_gate", "description": "The gate.", "input_schema": {"type": "object", "properties": {}}}
body = {"model": "claude-sonnet-4-5", "max_tokens": 300, "tools": [TOOL]}
messages = [{"role": "user", "content": "Where do I board?"}]
content = post(f"{ANTHROPIC}/messages", {**body, "messages": messages})["content"]
results = [
    {"type": "tool_result", "tool_use_id": block["id"], "content": "B7"}
    for block in content
    if block["type"] == "tool_use"
]
messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
with opened(f"{ANTHROPIC}/messages", {**body, "messages": messages, "stream": True}) as answer:
    next(events(answer))
messages[0] = {"role": "user", "content": "(second attempt) Where do I board?"}
print(post(f"{ANTHROPIC}/messages", {**body, "messages": messages})["content"][0]["text"])

"""FAULT: Anthropic: a text of the user stands in front of the results."""

from urllib.error import HTTPError

from plain import ANTHROPIC, post

TOOL = {"name": "get_map", "description": "A map.", "input_schema": {"type": "object", "properties": {}}}
body = {"model": "claude-haiku-4-5", "max_tokens": 300, "tools": [TOOL]}
messages = [{"role": "user", "content": "Where am I?"}]
content = post(f"{ANTHROPIC}/messages", {**body, "messages": messages})["content"]
blocks = [{"type": "text", "text": "Here is what the tools returned:"}]
for block in content:
    if block["type"] == "tool_use":
        blocks.append({"type": "tool_result", "tool_use_id": block["id"], "content": "by the sea"})
messages += [{"role": "assistant", "content": content}, {"role": "user", "content": blocks}]
try:
    print(post(f"{ANTHROPIC}/messages", {**body, "messages": messages})["content"][0]["text"])
except HTTPError as refused:
    print("error:", refused.read().decode())

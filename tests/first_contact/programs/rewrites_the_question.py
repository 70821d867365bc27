"""FAULT: the second request has the user's question in other words than the first one."""

from plain import ANTHROPIC, post

TOOL = {"name": "get_temperature", "description": "?", "input_schema": {"type": "object", "properties": {}}}
body = {"model": "claude-sonnet-4-5", "max_tokens": 300, "tools": [TOOL]}
body["messages"] = [{"role": "user", "content": "How warm is it?"}]
content = post(f"{ANTHROPIC}/messages", body)["content"]
calls = [block for block in content if block["type"] == "tool_use"]
results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "20 C"} for call in calls]
body["messages"] += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
first = {**body["messages"][0], "content": "How warm is it? Answer in Kelvin."}
print(post(f"{ANTHROPIC}/messages", {**body, "messages": [first, *body["messages"][1:]]})["content"][0]["text"])

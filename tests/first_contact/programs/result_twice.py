"""FAULT: Anthropic: the result of a call is sent twice (once by the tool's wrapper, once by the loop)."""

from plain import ANTHROPIC, post

TOOL = {"name": "get_date", "description": "Today.", "input_schema": {"type": "object", "properties": {}}}
messages = [{"role": "user", "content": "Which day is it?"}]
while True:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 300, "tools": [TOOL], "messages": messages}
    content = post(f"{ANTHROPIC}/messages", body)["content"]
    messages.append({"role": "assistant", "content": content})
    calls = [block for block in content if block["type"] == "tool_use"]
    if not calls:
        break
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "Monday"} for call in calls]
    messages.append({"role": "user", "content": [*results, results[0]]})
print(content[-1]["text"])

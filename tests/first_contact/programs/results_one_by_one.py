"""Anthropic: every result is a message of the user by itself; the API joins messages of one role."""

from plain import ANTHROPIC, post

TOOL = {"name": "get_page", "description": "A page.", "input_schema": {"type": "object", "properties": {}}}
messages = [{"role": "user", "content": "What do the pages say?"}]
while True:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 400, "tools": [TOOL], "messages": messages}
    content = post(f"{ANTHROPIC}/messages", body)["content"]
    messages.append({"role": "assistant", "content": content})
    uses = [block for block in content if block["type"] == "tool_use"]
    for use in uses:
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": "Nothing."}
        messages.append({"role": "user", "content": [result]})
    if not uses:
        break
print(content[-1]["text"])

"""Anthropic: a person approves the first call and rejects the second one; the model hears of both."""

from plain import ANTHROPIC, anthropic_tool, post

TOOLS = [anthropic_tool("send_mail", "Send a mail.", to="string")]
messages = [{"role": "user", "content": "Tell Ann and Bob that I am late."}]
approvals = iter([True, False])
while True:
    body = {"model": "claude-opus-4-1", "max_tokens": 800, "tools": TOOLS, "messages": messages}
    answer = post(f"{ANTHROPIC}/messages", body)
    messages.append({"role": "assistant", "content": answer["content"]})
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    if not calls:
        break
    results = []
    for call in calls:
        ok = next(approvals, False)
        said = f"sent to {call['input']['to']}" if ok else "The user does not want this tool to be used."
        results.append({"type": "tool_result", "tool_use_id": call["id"], "content": said, "is_error": not ok})
    messages.append({"role": "user", "content": results})
print("".join(block.get("text", "") for block in answer["content"]))

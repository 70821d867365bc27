"""Anthropic with thinking and without tools: only the text of an answer is kept for the next question."""

from plain import ANTHROPIC, post

messages = []
for question in ("Is 221 a prime?", "And 223?"):
    messages.append({"role": "user", "content": question})
    body = {"model": "claude-sonnet-4-5", "max_tokens": 3000, "messages": messages}
    answer = post(f"{ANTHROPIC}/messages", {**body, "thinking": {"type": "enabled", "budget_tokens": 1500}})
    text = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
    messages.append({"role": "assistant", "content": text})
    print(text)

"""Anthropic, streamed: the second of three answers is stopped; what was shown of it stays in the history."""

from plain import ANTHROPIC, events, opened

messages = []
for question, stops in (("What is a fugue?", False), ("Tell me more.", True), ("Who wrote the best one?", False)):
    messages.append({"role": "user", "content": question})
    body = {"model": "claude-haiku-4-5", "max_tokens": 9000, "messages": messages, "stream": True}
    shown = ""
    with opened(f"{ANTHROPIC}/messages", body) as answer:
        for event in events(answer):
            shown += event.get("delta", {}).get("text", "")
            if stops and len(shown) > 8:
                break
    messages.append({"role": "assistant", "content": shown.strip()})
    print(shown)

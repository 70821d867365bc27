"""Anthropic: a long system prompt with cache_control, and a second mark that moves to the newest message."""

import anthropic

client = anthropic.Anthropic()
CACHED = {"type": "ephemeral"}
system = [{"type": "text", "text": "The whole manual. " * 300, "cache_control": CACHED}]
turns = []
for question in ("How do I start it?", "How do I stop it?", "How do I clean it?"):
    for turn in turns:
        for block in turn["content"]:
            block.pop("cache_control", None)
    turns.append({"role": "user", "content": [{"type": "text", "text": question, "cache_control": CACHED}]})
    answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=300, system=system, messages=turns)
    turns.append({"role": "assistant", "content": [{"type": "text", "text": answer.content[0].text}]})
    print(question, answer.content[0].text, answer.usage.cache_read_input_tokens)

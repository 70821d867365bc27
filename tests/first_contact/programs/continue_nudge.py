"""Anthropic: a writer that asks for the next chapter with the same word again and again, in one conversation."""

import anthropic

client = anthropic.Anthropic()
messages = [{"role": "user", "content": "Write a novel of three chapters. Chapter one, please."}]
for _ in range(3):
    answer = client.messages.create(model="claude-opus-4-1", max_tokens=4000, messages=messages)
    messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": "Continue."}]
print(len(messages))

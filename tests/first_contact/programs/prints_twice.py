"""FAULT: the answer is streamed to the terminal and then printed once more."""

from plain import OPENAI, events, opened

text = ""
body = {"model": "gpt-4o-mini", "stream": True, "messages": [{"role": "user", "content": "Say something kind."}]}
with opened(f"{OPENAI}/chat/completions", body) as answer:
    for chunk in events(answer):
        piece = chunk["choices"][0]["delta"].get("content") or ""
        print(piece, end="", flush=True)
        text += piece
print()
print(text)

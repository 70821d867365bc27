"""Anthropic, an older model: the answer is begun for it, so that it is JSON."""

from plain import ANTHROPIC, post

for animal in ("cat", "whale"):
    start = "{"
    body = {
        "model": "claude-3-5-haiku-20241022",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": f"Describe a {animal} as JSON with the keys legs and sound."},
            {"role": "assistant", "content": start},
        ],
    }
    print(start + post(f"{ANTHROPIC}/messages", body)["content"][0]["text"])

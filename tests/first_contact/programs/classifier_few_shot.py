"""Anthropic: the same two examples before every text, a label of one word, stop sequences, no tools."""

import anthropic

client = anthropic.Anthropic()
EXAMPLES = [
    {"role": "user", "content": "<text>The match ended 2:1.</text>"},
    {"role": "assistant", "content": "sport"},
    {"role": "user", "content": "<text>Rates stay as they are.</text>"},
    {"role": "assistant", "content": "finance"},
]
counts = {}
for text in ["A new record on 400 m", "Shares fell by 3%", "The coach resigns"]:
    answer = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=10,
        stop_sequences=["\n"],
        system="Answer with one word: sport or finance.",
        messages=[*EXAMPLES, {"role": "user", "content": f"<text>{text}</text>"}],
    )
    label = answer.content[0].text
    counts[label] = counts.get(label, 0) + 1
print(counts)

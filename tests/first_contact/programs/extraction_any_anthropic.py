"""Anthropic: any of two tools must be called; its input is the result, and nobody runs it."""

from plain import ANTHROPIC, post

TOOLS = [
    {
        "name": "record_person",
        "description": "A person that the text names.",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
    {
        "name": "record_place",
        "description": "A place that the text names.",
        "input_schema": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "country": {"type": ["string", "null"]}},
            "required": ["place"],
        },
    },
]
rows = []
for sentence in ["Ada lives in London.", "Lisbon is in Portugal."]:
    answer = post(
        f"{ANTHROPIC}/messages",
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 300,
            "tools": TOOLS,
            "tool_choice": {"type": "any"},
            "messages": [{"role": "user", "content": f"Record what this names: {sentence}"}],
        },
    )
    rows += [(block["name"], block["input"]) for block in answer["content"] if block["type"] == "tool_use"]
assert rows, "the model has recorded nothing"
for row in rows:
    print(*row)

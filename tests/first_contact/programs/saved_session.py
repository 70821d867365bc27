"""Anthropic: goes on with a session that was saved last week, with a call of another run, under its id of then."""

from plain import ANTHROPIC, post

TOOL = {"name": "get_plan", "description": "The plan.", "input_schema": {"type": "object", "properties": {}}}
SAVED = [
    {"role": "user", "content": "What is planned?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "get_plan", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9", "content": "A walk"}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "A walk is planned."}]},
]
messages = [*SAVED, {"role": "user", "content": "And tomorrow?"}]
while True:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 400, "tools": [TOOL], "messages": messages}
    content = post(f"{ANTHROPIC}/messages", body)["content"]
    messages.append({"role": "assistant", "content": content})
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "Rest"}
        for block in content
        if block["type"] == "tool_use"
    ]
    if not results:
        break
    messages.append({"role": "user", "content": results})
print(content[-1]["text"])

"""Anthropic: the user presses stop while the model writes a tool call, and the program ends there."""

import anthropic

client = anthropic.Anthropic()
TOOL = {
    "name": "write_file",
    "description": "Write a file.",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"],
    },
}
ask = [{"role": "user", "content": "Write a poem into poem.txt."}]
with client.messages.stream(model="claude-sonnet-4-5", max_tokens=2000, tools=[TOOL], messages=ask) as stream:
    for event in stream:
        if event.type == "text":
            print(event.text, end="", flush=True)
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            print("\n[stopped by the user]")
            break

"""Anthropic: the user presses stop while the model writes a tool call, and the program ends there."""

import anthropic
from plain import anthropic_tool

client = anthropic.Anthropic()
TOOL = anthropic_tool("write_file", "Write a file.", path="string", text="string")
ask = [{"role": "user", "content": "Write a poem into poem.txt."}]
with client.messages.stream(model="claude-sonnet-4-5", max_tokens=2000, tools=[TOOL], messages=ask) as stream:
    for event in stream:
        if event.type == "text":
            print(event.text, end="", flush=True)
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            print("\n[stopped by the user]")
            break

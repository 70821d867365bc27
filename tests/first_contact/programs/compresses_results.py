"""Anthropic: results of earlier questions are replaced by a stub, so that the context stays small."""

import anthropic

client = anthropic.Anthropic()
TOOL = {"name": "read_file", "description": "A file.", "input_schema": {"type": "object", "properties": {}}}
messages = []
for question in ("What does a.py do?", "And is it tested?"):
    for message in messages:
        for block in message["content"] if message["role"] == "user" and isinstance(message["content"], list) else []:
            block["content"] = "[old result left out]"
    messages.append({"role": "user", "content": question})
    while True:
        answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=300, tools=[TOOL], messages=messages)
        messages.append({"role": "assistant", "content": answer.to_dict()["content"]})
        uses = [block for block in answer.content if block.type == "tool_use"]
        if not uses:
            break
        results = [{"type": "tool_result", "tool_use_id": use.id, "content": "print(1)\n" * 50} for use in uses]
        messages.append({"role": "user", "content": results})
    print(answer.content[0].text)

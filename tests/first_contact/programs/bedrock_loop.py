"""Bedrock ConverseStream: a loop that puts the blocks together from their deltas."""

import json

import boto3

bedrock = boto3.client("bedrock-runtime")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = {"tools": [{"toolSpec": {"name": "get_population", "description": "?", "inputSchema": {"json": CITY}}}]}
messages = [{"role": "user", "content": [{"text": "Is Lyon larger than Turin?"}]}]


def turn():
    blocks, reason = {}, ""
    answer = bedrock.converse_stream(modelId="amazon.nova-pro-v1:0", messages=messages, toolConfig=TOOLS)
    for event in answer["stream"]:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        elif "contentBlockDelta" in event:
            at, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "text" in delta:
                blocks.setdefault(at, {"text": ""})["text"] += delta["text"]
                print(delta["text"], end="", flush=True)
            elif "toolUse" in delta:
                blocks[at]["toolUse"]["input"] += delta["toolUse"]["input"]
        elif "messageStop" in event:
            reason = event["messageStop"]["stopReason"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    messages.append({"role": "assistant", "content": [blocks[at] for at in sorted(blocks)]})
    return reason


while turn() == "tool_use":
    used = [block["toolUse"] for block in messages[-1]["content"] if "toolUse" in block]
    results = [
        {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"json": {use["input"]["city"]: 1}}]}}
        for use in used
    ]
    messages.append({"role": "user", "content": results})
print()

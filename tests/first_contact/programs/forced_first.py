"""Bedrock: the first turn must call, the later ones may; all calls are answered."""

import boto3

bedrock = boto3.client("bedrock-runtime")
SPEC = {"toolSpec": {"name": "get_facts", "description": "Facts.", "inputSchema": {"json": {"type": "object"}}}}
messages = [{"role": "user", "content": [{"text": "Tell me about bees."}]}]
choice = {"any": {}}
while True:
    answer = bedrock.converse(
        modelId="us.anthropic.claude-3-7-sonnet-20250219-v1:0",
        messages=messages,
        toolConfig={"tools": [SPEC], "toolChoice": choice},
    )
    choice = {"auto": {}}
    messages.append(answer["output"]["message"])
    if answer["stopReason"] != "tool_use":
        break
    results = [
        {"toolResult": {"toolUseId": block["toolUse"]["toolUseId"], "content": [{"text": "They dance."}]}}
        for block in messages[-1]["content"]
        if "toolUse" in block
    ]
    messages.append({"role": "user", "content": results})
print(messages[-1]["content"][-1]["text"])

"""FAULT: prints the text of the first turn and ends, whatever the stop reason is."""

import boto3

SPEC = {"toolSpec": {"name": "get_rate", "inputSchema": {"json": {"type": "object", "properties": {}}}}}
answer = boto3.client("bedrock-runtime").converse(
    modelId="anthropic.claude-3-5-sonnet-20240620-v1:0",
    messages=[{"role": "user", "content": [{"text": "What is the rate today?"}]}],
    toolConfig={"tools": [SPEC]},
)
print(*(block["text"] for block in answer["output"]["message"]["content"] if "text" in block))

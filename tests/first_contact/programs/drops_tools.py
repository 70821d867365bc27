"""FAULT: Bedrock: the second request has no toolConfig, although the history has calls and results."""

import boto3
import botocore.exceptions

bedrock = boto3.client("bedrock-runtime")
SPEC = {"toolSpec": {"name": "get_seats", "inputSchema": {"json": {"type": "object", "properties": {}}}}}
ask = [{"role": "user", "content": [{"text": "Is a seat free?"}]}]
answer = bedrock.converse(modelId="amazon.nova-pro-v1:0", messages=ask, toolConfig={"tools": [SPEC]})
said = answer["output"]["message"]
uses = [block["toolUse"] for block in said["content"] if "toolUse" in block]
results = [{"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": "12C"}]}} for use in uses]
ask += [said, {"role": "user", "content": results}]
try:
    print(bedrock.converse(modelId="amazon.nova-pro-v1:0", messages=ask)["output"]["message"]["content"][0]["text"])
except botocore.exceptions.ClientError as refused:
    print("Sorry, something went wrong:", refused.response["Error"]["Code"])

"""Bedrock Converse with a forced tool, over three invoices; the call is the answer."""

import boto3
from plain import schema

bedrock = boto3.client("bedrock-runtime")
FIELDS = schema(number="string", total="number")
SPEC = {"toolSpec": {"name": "invoice", "description": "The fields of an invoice.", "inputSchema": {"json": FIELDS}}}
for page in ("Invoice 17, total 20.50", "Invoice 18, total 7", "Invoice 19, total 0"):
    answer = bedrock.converse(
        modelId="anthropic.claude-3-5-sonnet-20240620-v1:0",
        messages=[{"role": "user", "content": [{"text": page}]}],
        toolConfig={"tools": [SPEC], "toolChoice": {"tool": {"name": "invoice"}}},
        inferenceConfig={"maxTokens": 400, "temperature": 0.0},
    )
    used = [block["toolUse"] for block in answer["output"]["message"]["content"] if "toolUse" in block]
    print(used[0]["input"]["number"], used[0]["input"]["total"])

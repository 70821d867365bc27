"""Bedrock: three texts are translated, each in a request of its own with the same example in front."""

import boto3

bedrock = boto3.client("bedrock-runtime")
for text in ("Good night", "Good day", "Good night"):
    answer = bedrock.converse(
        modelId="us.amazon.nova-lite-v1:0",
        system=[{"text": "Translate into Portuguese."}],
        messages=[
            {"role": "user", "content": [{"text": "Good morning"}]},
            {"role": "assistant", "content": [{"text": "Bom dia"}]},
            {"role": "user", "content": [{"text": text}]},
        ],
    )
    print(text, "=", answer["output"]["message"]["content"][0]["text"])

"""Sort reviews after three examples, one request each, with a schema for the answer and no tool."""

import json

from plain import OPENAI, post

SHOTS = [("Broke after a day.", "negative"), ("Does what it should.", "neutral"), ("I love it!", "positive")]
SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["positive", "neutral", "negative"]}},
    "required": ["label"],
    "additionalProperties": False,
}
few_shot = []
for review, label in SHOTS:
    few_shot += [{"role": "user", "content": review}, {"role": "assistant", "content": json.dumps({"label": label})}]

for review in ["Came late.", "Best buy this year.", "It is a lamp.", "Came late."]:
    answer = post(
        f"{OPENAI}/responses",
        {
            "model": "gpt-4.1-mini",
            "instructions": "Give the sentiment.",
            "input": [*few_shot, {"role": "user", "content": review}],
            "text": {"format": {"type": "json_schema", "name": "sentiment", "schema": SCHEMA, "strict": True}},
        },
    )
    message = next(item for item in answer["output"] if item["type"] == "message")
    print(review, "->", json.loads(message["content"][0]["text"])["label"])

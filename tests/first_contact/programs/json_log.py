"""A service in small: logs every exchange as a line of JSON on standard error, and prints its answer once."""

import json
import sys
import uuid

import openai

client = openai.OpenAI(default_headers={"x-app": "demo"})


def logged(**body):
    line = {"id": str(uuid.uuid4()), "request": body}
    answer = client.chat.completions.create(**body)
    line["response"] = answer.to_dict()
    print(json.dumps(line), file=sys.stderr)
    return answer.choices[0]


for name in ("Ann", "Bob"):
    choice = logged(
        model="gpt-4o-mini",
        user=name,
        max_completion_tokens=50,
        messages=[
            {"role": "system", "content": [{"type": "text", "text": "You greet people."}]},
            {"role": "user", "content": [{"type": "text", "text": f"Greet {name}."}]},
        ],
    )
    print(json.dumps({"name": name, "greeting": choice.message.content, "end": choice.finish_reason}))

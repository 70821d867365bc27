"""Responses that the provider stores: every request names the one before, and sends what is new alone."""

import json

from openai import OpenAI
from plain import strict_tool

client = OpenAI()
TOOLS = [strict_tool("get_weather", "Current weather.", city="string")]
previous = None
for question in ("Is it warmer in Rome or in Oslo?", "And in Cairo?"):
    new = [{"role": "user", "content": question}]
    while new:
        answer = client.responses.create(model="gpt-5", input=new, tools=TOOLS, previous_response_id=previous)
        previous = answer.id
        new = [
            {"type": "function_call_output", "call_id": item.call_id, "output": json.dumps({"celsius": 20})}
            for item in answer.output
            if item.type == "function_call"
        ]
    print(answer.output_text)

"""An agent that asks for a title of the question first, then answers the question with its tool."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
MODEL = "gpt-4.1"
QUESTION = "Which of our shops in Porto is open on Sunday?"
TOOLS = [chat_tool("find_shops", city="string")]
title = client.chat.completions.create(
    model=MODEL,
    messages=[{"role": "user", "content": f"Write a title of five words for a chat that begins with:\n\n{QUESTION}"}],
)
print("#", title.choices[0].message.content)
messages = [{"role": "system", "content": "You know our shops."}, {"role": "user", "content": QUESTION}]
while True:
    message = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        city = json.loads(call.function.arguments)["city"]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps([f"{city}, Rua 1"])})
print(messages[-1].content)

"""A DeepSeek model behind the OpenAI SDK: its message goes back with the reasoning that came with it."""

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
TOOL = chat_tool("get_temperature", city="string")
messages = [{"role": "user", "content": "Is it warmer in Kyoto or in Osaka?"}]
while True:
    message = client.chat.completions.create(model="deepseek-reasoner", messages=messages, tools=[TOOL])
    message = message.choices[0].message.to_dict()
    messages.append(message)
    if not message.get("tool_calls"):
        break
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": "18"} for call in message["tool_calls"]]
print(message["content"])

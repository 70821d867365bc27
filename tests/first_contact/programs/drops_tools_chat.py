"""FAULT: Chat: tools are offered in the first request only."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_queue", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "Who is next?"}]
message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=[TOOL]).choices[0].message
messages.append(message)
messages += [{"role": "tool", "tool_call_id": call.id, "content": "Ann"} for call in message.tool_calls]
print(client.chat.completions.create(model="gpt-4o", messages=messages).choices[0].message.content)

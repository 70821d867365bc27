"""FAULT: what the model has said beside its calls is replaced by an empty text."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_log", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "Why did it fail?"}]
while True:
    message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL]).choices[0].message
    if not message.tool_calls:
        break
    calls = [call.model_dump() for call in message.tool_calls]
    messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": "disk full"} for call in calls]
print(message.content)

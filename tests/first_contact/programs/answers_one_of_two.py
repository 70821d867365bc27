"""FAULT: of parallel calls only the first one is answered."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "What time is it in Rome and in Lima?"}]
while True:
    message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=[TOOL]).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    call = message.tool_calls[0]
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "noon"})
print(message.content)

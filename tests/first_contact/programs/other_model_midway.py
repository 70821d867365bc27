"""Chat: a small model starts, and a larger one answers once the results are there."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_report", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "What is in the reports?"}]
model = "gpt-4o-mini"
while True:
    message = client.chat.completions.create(model=model, messages=messages, tools=[TOOL]).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "Sales grew."} for call in message.tool_calls]
    model = "gpt-4.1"
print(message.content)

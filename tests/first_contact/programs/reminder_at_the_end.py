"""Chat: a reminder is the last message of every request, and no part of the history that is kept."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_form", "parameters": {"type": "object", "properties": {}}}}
REMINDER = {"role": "system", "content": "Reminder: be polite."}
messages = [{"role": "user", "content": "Fill in my form."}]
while True:
    asked = [*messages, REMINDER]
    message = client.chat.completions.create(model="gpt-4.1", messages=asked, tools=[TOOL]).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "form 7"} for call in message.tool_calls]
print(message.content)

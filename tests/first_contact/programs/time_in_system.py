"""Chat: the system prompt has the number of the request in it, as others have the time."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_diary", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "What did I do?"}]
for minute in range(9):
    system = {"role": "system", "content": f"You keep a diary. It is 10:0{minute}."}
    answer = client.chat.completions.create(model="gpt-4.1", messages=[system, *messages], tools=[TOOL])
    message = answer.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "slept"} for call in message.tool_calls]
print(message.content)

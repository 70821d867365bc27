"""FAULT: a turn that has text is taken for the answer; its calls are lost."""

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
messages = [{"role": "user", "content": "Is it cold in Oslo?"}]
while True:
    message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL]).choices[0].message
    if message.content:
        print(message.content)
        break
    messages.append(message)
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "cold"})

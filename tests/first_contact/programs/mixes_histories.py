"""FAULT: two sessions at once: each takes the model's turn of the other one into its history."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_orders", "parameters": {"type": "object", "properties": {}}}}
sessions = [[{"role": "user", "content": f"What has {user} ordered?"}] for user in ("ann", "bob")]


def ask(messages):
    return client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL]).choices[0].message


turns = [ask(messages) for messages in sessions]
for messages, turn in zip(sessions, reversed(turns), strict=True):
    messages.append(turn)
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "a lamp"} for call in turn.tool_calls]
    print(ask(messages).content)

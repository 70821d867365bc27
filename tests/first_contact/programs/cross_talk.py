"""FAULT: the results of two agents on one client are sent under each other's calls."""

import openai

client = openai.OpenAI()
TOOL = {"name": "get_room", "parameters": {"type": "object", "properties": {}}}
agents = [[{"role": "user", "content": f"Which room has {user}?"}] for user in ("ann", "bob")]


def ask(messages):
    tools = [{"type": "function", "function": TOOL}]
    try:
        return client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
    except openai.BadRequestError as refused:
        print("the model has refused:", refused.code)


said = [ask(messages) for messages in agents]
for messages, message in zip(agents, said, strict=True):
    messages.append(message)
for messages, message in zip(agents, reversed(said), strict=True):
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "12"} for call in message.tool_calls]
    ask(messages)

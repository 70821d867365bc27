"""FAULT: a chat keeps only the texts of the model: the calls and results of a question are gone with the next one."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_score", "parameters": {"type": "object", "properties": {}}}}
history = []
for question in ("Who leads?", "By how much?"):
    history.append({"role": "user", "content": question})
    turn = list(history)
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=turn, tools=[TOOL]).choices[0].message
        turn.append(message)
        if not message.tool_calls:
            break
        turn += [{"role": "tool", "tool_call_id": call.id, "content": "Reds"} for call in message.tool_calls]
    history.append({"role": "assistant", "content": message.content})
    print(message.content)

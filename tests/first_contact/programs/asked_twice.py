"""The same agent is asked the same question twice, one after the other, each time from nothing."""

import json

from plain import OPENAI, post

TOOL = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}


def agent(question):
    messages = [{"role": "user", "content": question}]
    while True:
        body = {"model": "gpt-4.1-nano", "messages": messages, "tools": [TOOL]}
        message = post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            assert json.loads(call["function"]["arguments"]) == {}
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "12:00"})


print(agent("What time is it?"))
print(agent("What time is it?"))

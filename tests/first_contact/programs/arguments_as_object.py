"""FAULT: the arguments of the calls go back as an object, where the API wants the text."""

import json
from urllib.error import HTTPError

from plain import OPENAI, post

TOOL = {"type": "function", "function": {"name": "get_list", "parameters": {"type": "object", "properties": {}}}}
messages = [{"role": "user", "content": "What do I need?"}]
try:
    while True:
        body = {"model": "gpt-4.1-mini", "messages": messages, "tools": [TOOL]}
        message = post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            break
        for call in message["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "eggs"})
except HTTPError as refused:
    print("error:", refused)

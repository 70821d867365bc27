"""Chat with the members of 2023: functions and function_call, and results in the role "function"."""

import json

from plain import OPENAI, post

FUNCTION = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
messages = [{"role": "user", "content": "Is it cold in Boston?"}]
for _ in range(5):
    body = {"model": "gpt-4-turbo", "messages": messages, "functions": [FUNCTION], "function_call": "auto"}
    message = post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]
    messages.append({key: message[key] for key in ("role", "content", "function_call") if key in message})
    if not message.get("function_call"):
        break
    city = json.loads(message["function_call"]["arguments"]).get("city", "?")
    name = message["function_call"]["name"]
    messages.append({"role": "function", "name": name, "content": f"{city}: 3 C"})
print(message["content"])

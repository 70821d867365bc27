"""FAULT: Interactions without memory: the results go back, the model's steps that called do not."""

from urllib.error import HTTPError

from plain import GEMINI, post

TOOL = {"type": "function", "name": "get_fuel", "description": "?", "parameters": {"type": "object", "properties": {}}}
steps = [{"type": "user_input", "content": [{"type": "text", "text": "How much fuel is left?"}]}]
body = {"model": "gemini-3-flash-preview", "store": False, "tools": [TOOL]}
said = post(f"{GEMINI}/interactions", {**body, "input": steps})["steps"]
for step in said:
    if step["type"] == "function_call":
        result = {"type": "function_result", "call_id": step["id"], "name": step["name"], "result": {"litres": 4}}
        steps.append(result)
try:
    print(post(f"{GEMINI}/interactions", {**body, "input": steps})["steps"][-1]["content"][0]["text"])
except HTTPError as refused:
    print("error:", refused.code)

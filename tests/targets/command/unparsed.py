# ruff: noqa: S310, T201
"""A loop on Chat Completions without packages, which runs a tool on the text of arguments that are no JSON."""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any


def ask(case: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
    tools = [
        {"type": "function", "function": {"name": tool["name"], "parameters": tool["parameters"]}}
        for tool in case["tools"]
    ]
    body = {"model": case["model"], "messages": messages, "tools": tools}
    head = {"content-type": "application/json", "authorization": f"Bearer {case['api_key']}"}
    request = urllib.request.Request(f"{case['base_url']}/v1/chat/completions", json.dumps(body).encode(), head)
    with urllib.request.urlopen(request) as response:
        message: dict[str, Any] = json.load(response)["choices"][0]["message"]
    return message


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def main() -> None:
    case = json.loads(sys.stdin.readline())
    messages: list[Any] = [{"role": each["role"], "content": each["text"]} for each in case["prompt"]]
    while calls := (message := ask(case, messages)).get("tool_calls"):
        messages.append(message)
        for call in calls:
            function = call["function"]
            said = {"key": 1, "name": function["name"], "arguments": parsed(function["arguments"]), "id": call["id"]}
            print(json.dumps({"call": said}), flush=True)
            result = json.loads(sys.stdin.readline())["result"]["output"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})


main()

"""A loop on Chat Completions as it is found in the field: with eight bugs, each of which can be repaired alone.

``harness run`` imports it with the name of each bug that is still there in the variable ``BUGS``.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.request import Request, urlopen

BUGS = os.environ.get("BUGS", "").split(",")
MOST_TURNS = 20


def run(case: Any) -> str:
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    tools = {tool.name: tool for tool in case.callables}
    for turn in range(1, MOST_TURNS + 1):
        if "forgets-system" in BUGS and turn > 1:
            messages = [each for each in messages if each["role"] != "system"]
        choice = asked(case, messages, tools)
        message = choice["message"]
        if choice["finish_reason"] == "length" and "runs-cut-calls" not in BUGS:
            raise RuntimeError("the answer was cut off")
        if choice["finish_reason"] == "content_filter" or message.get("refusal"):
            raise RuntimeError("the model refused")
        calls = message.get("tool_calls") or []
        if not calls:
            return message.get("content") or ""
        if "drops-text" in BUGS:
            message = {**message, "content": None}
        messages.append(message)
        results = [answered(call, tools) for call in calls]
        if "swaps-results" in BUGS and len(results) > 1:
            results[0]["content"], results[1]["content"] = results[1]["content"], results[0]["content"]
        messages += results[:1] if "first-result-only" in BUGS else results
    raise RuntimeError("no answer")


def asked(case: Any, messages: list[Any], tools: dict[str, Any]) -> Any:
    declared = [
        {
            "type": "function",
            "function": {"name": each.name, "description": described(each), "parameters": each.parameters},
        }
        for each in tools.values()
    ]
    body = {"model": case.model, "messages": messages, **({"tools": declared} if declared else {})}
    headers = {"Authorization": f"Bearer {case.api_key}", "Content-Type": "application/json"}
    request = Request(f"{case.base_url}/v1/chat/completions", json.dumps(body).encode(), headers)  # noqa: S310 - the endpoint of the case
    with urlopen(request) as response:  # noqa: S310 - the endpoint of the case
        return json.loads(response.read())["choices"][0]


def described(tool: Any) -> str:
    return "" if "no-descriptions" in BUGS else str(tool.description)


def answered(call: Any, tools: dict[str, Any]) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "content": text_of(call["function"], tools, call["id"])}


def text_of(called: Any, tools: dict[str, Any], id: str) -> str:
    try:
        result = tools[called["name"]].now(json.loads(called["arguments"] or "{}"), id=id)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is a result
        return "ok" if "swallows-errors" in BUGS else f"Error: {error}"
    text = result if isinstance(result, str) else json.dumps(result)
    return text[:20] if "cuts-results" in BUGS else text

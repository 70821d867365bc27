"""An agent on Responses: requests, a reader of server-sent events, and one more try where a turn arrives broken."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

import requests


class Broken(Exception):
    """The model's turn cannot be used: it is dropped, and asked for again."""


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    body = {
        "model": case.model,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "input": [{"role": "developer" if role == "system" else role, "content": text} for role, text in case.prompt],
    }
    if tools:
        body["tools"] = [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools.values()
        ]
    with requests.Session() as session:
        session.headers["authorization"] = f"Bearer {case.api_key}"
        for _ in range(case.turn_limit or 16):
            output = turn(session, f"{case.base_url}/v1/responses", body)
            body["input"] += output
            calls = [item for item in output if item["type"] == "function_call"]
            if not calls:
                return "".join(part["text"] for item in output if item["type"] == "message" for part in item["content"])
            for call in calls:
                body["input"].append(
                    {"type": "function_call_output", "call_id": call["call_id"], "output": result(tools, call)}
                )
    raise RuntimeError("the limit of turns is reached")


def turn(session, url, body):
    for attempt in range(2):
        try:
            response = ask(session, url, body)
            check(response, body["input"])
            return response["output"]
        except Broken:
            if attempt:
                raise
    raise AssertionError


def ask(session, url, body):
    with session.post(url, json=body, stream=True, timeout=30) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines(chunk_size=None):
            if line.startswith(b"data:"):
                event = json.loads(line[5:])
                if event["type"] in ("response.completed", "response.incomplete", "response.failed"):
                    return event["response"]
                if event["type"] == "error":
                    raise ConnectionError(event)
    raise ConnectionError("the stream broke off")


def check(response, history):
    if response["status"] != "completed":
        raise RuntimeError(f"{response['status']}: {response.get('incomplete_details') or response.get('error')}")
    known = {item["call_id"] for item in history if item.get("type") == "function_call"}
    for item in response["output"]:
        if item["type"] == "message" and any(part["type"] == "refusal" for part in item["content"]):
            raise RuntimeError("refused")
        if item["type"] == "function_call":
            if not item.get("call_id") or item["call_id"] in known:
                raise RuntimeError("a call has no id of its own")
            known.add(item["call_id"])
            try:
                json.loads(item["arguments"] or "{}")
            except ValueError:
                raise Broken(f"the arguments of {item['name']} are no JSON") from None
        if item["type"] == "reasoning":
            item.pop("status", None)


def result(tools, call):
    if call["name"] not in tools:
        return json.dumps({"error": "no such tool"})
    try:
        return json.dumps(tools[call["name"]].now(json.loads(call["arguments"] or "{}"), id=call["call_id"]))
    except Exception as error:
        return json.dumps({"error": str(error)})

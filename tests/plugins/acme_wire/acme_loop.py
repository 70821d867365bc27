"""A loop on Acme's API over HTTP, with nothing but the standard library; and one that forgets a result."""

import http.client
import json
from urllib.parse import urlsplit

from harness.api import Assistant, Failure, Final, Thinking, ToolResult, ToolStart


def run(case):
    _run(case, keep=lambda results: results)


def forgetful(case):
    _run(case, keep=lambda results: results[:-1])


def _run(case, keep):
    history = [{"from": role, "says": text} for role, text in case.prompt]
    tools = {tool.name: tool for tool in case.callables}
    for number in range(case.turn_limit or 20):
        said = {"says": "", "thought": "", "calls": []}
        for event in _asked(case, history, tools):
            _take(event, said, case.emit, number)
        history.append({"from": "model", **said})
        if not said["calls"]:
            case.emit(Final("", "completed", said["says"]))
            return
        results = [_called(case, tools[call["tool"]], call) for call in said["calls"]]
        history.append({"from": "tools", "results": keep(results)})
    case.emit(Failure("turn-limit", "too many turns"))


def _take(event, said, emit, number):
    if "text" in event:
        said["says"] += event["text"]
        emit(Assistant(event["text"], f"text-{number}"))
    elif "thought" in event:
        said["thought"] += event["thought"]
        emit(Thinking(event["thought"], f"thought-{number}"))
    elif "call" in event:
        said["calls"].append({**event["call"], "input": ""})
    elif "input" in event:
        said["calls"][-1]["input"] += event["input"]
    elif "error" in event:
        raise RuntimeError(event["error"]["message"])


def _called(case, tool, call):
    arguments = json.loads(call["input"] or "{}")
    case.emit(ToolStart(call["id"], call["tool"], arguments))
    output = tool.now(arguments, id=call["id"])
    case.emit(ToolResult(call["id"], call["tool"], output, True))
    return {"id": call["id"], "output": json.dumps(output), "failed": False}


def _asked(case, history, tools):
    """The events of one response, each as soon as its frame is there."""
    url = urlsplit(case.base_url)
    connection = http.client.HTTPConnection(url.hostname, url.port)
    declared = [
        {"name": each.name, "description": each.description, "schema": each.parameters} for each in tools.values()
    ]
    body = {"model": case.model, "stream": True, "history": history, "tools": declared}
    headers = {"x-acme-key": case.api_key}
    connection.request("POST", f"{url.path}/converse", json.dumps(body), headers)
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"HTTP {response.status}: {response.read().decode()}")
    while len(length := response.read(4)) == 4:
        yield json.loads(response.read(int.from_bytes(length, "big")))
    connection.close()

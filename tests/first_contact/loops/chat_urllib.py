"""A command: an agent on Chat Completions with the standard library alone.

It asks for a title before it begins, and asks again after 429 and 5xx.
It reads its task from standard input and writes one JSON value a line: what the user sees, and calls of tools.
"""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request

TRIES = 3


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main():
    task = json.loads(sys.stdin.readline())
    try:
        text = run(task)
        say({"event": "final", "code": "", "outcome": "completed", "text": text})
    except Stopped as stopped:
        say({"event": "final", "code": "", "outcome": stopped.args[0], "text": ""})
    except urllib.error.HTTPError as error:
        say({"event": "error", "kind": "http", "message": f"{error.code}: {error.read().decode()}"})
    except (OSError, http.client.HTTPException) as error:
        say({"event": "error", "kind": "stream", "message": repr(error)})
    except Exception as error:  # noqa: BLE001 - the user is told, whatever it is
        say({"event": "error", "kind": "turn-limit" if "limit" in str(error) else "raised", "message": str(error)})


class Stopped(Exception):
    pass


def run(task):
    messages = [{"role": each["role"], "content": each["text"]} for each in task["prompt"]]
    title(task)
    tools = [
        {"type": "function", "function": {key: tool[key] for key in ("name", "description", "parameters")}}
        for tool in task["tools"]
    ]
    for _ in range(task["turn_limit"] or 12):
        choice = ask(task, {"model": task["model"], "messages": messages, **({"tools": tools} if tools else {})})
        message = choice["message"]
        if choice["finish_reason"] == "length":
            raise Stopped("truncated")
        if choice["finish_reason"] == "content_filter" or message.get("refusal"):
            raise Stopped("refused")
        if not message.get("tool_calls"):
            return message["content"] or ""
        ids = {call["id"] for call in message["tool_calls"] if call.get("id")}
        if len(ids) < len(message["tool_calls"]):
            raise RuntimeError("calls without ids of their own")
        messages.append({"role": "assistant", "content": message["content"], "tool_calls": message["tool_calls"]})
        for call in message["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result_of(call, task["tools"])})
    raise RuntimeError("the limit of turns is reached")


def title(task):
    """A line for the list of conversations. It is no part of this one."""
    asked = " ".join(each["text"] for each in task["prompt"] if each["role"] == "user")
    messages = [
        {"role": "system", "content": "You write titles of at most five words."},
        {"role": "user", "content": f"Write a title for a conversation that begins with: {asked}"},
    ]
    return ask(task, {"model": task["model"], "messages": messages})["message"]["content"]


def ask(task, body):
    request = urllib.request.Request(  # noqa: S310 - the address of the model
        f"{task['base_url']}/v1/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {task['api_key']}"},
    )
    for attempt in range(TRIES):
        try:
            with urllib.request.urlopen(request) as response:  # noqa: S310 - as above
                return json.load(response)["choices"][0]
        except urllib.error.HTTPError as error:
            if not (error.code == 429 or error.code >= 500) or attempt == TRIES - 1:
                raise
            time.sleep(float(error.headers.get("retry-after") or 2**attempt))
    raise AssertionError


def result_of(call, tools):
    name, text = call["function"]["name"], call["function"]["arguments"]
    if name not in [tool["name"] for tool in tools]:
        return f"Error: no tool is called {name}."
    try:
        arguments = json.loads(text or "{}")
    except ValueError as error:
        return f"Error: {error}"
    say({"call": {"key": call["id"], "name": name, "arguments": arguments, "id": call["id"]}})
    result = json.loads(sys.stdin.readline())["result"]
    output = result["output"] if isinstance(result["output"], str) else json.dumps(result["output"])
    return output if result["ok"] else f"Error: {output}"


main()

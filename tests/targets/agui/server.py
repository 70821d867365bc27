"""A small agent over AG-UI: it asks the model without a stream, and what it does wrong is its first argument."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DOES, PORT = sys.argv[1], int(sys.argv[2])
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OWN = [{"name": "get_weather", "description": "The weather in a city.", "parameters": WEATHER}]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if DOES == "refuses":
            self.answer(422, b"threadId is too long")
        elif DOES == "talks":
            self.answer(200, b"Hello!\n")
        elif DOES == "hangs-up":
            self.close_connection = True
        else:
            self.stream(body)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in agent(body):
            frame = b"data: " + json.dumps(event).encode() + b"\n\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
            if DOES == "cuts" and event["type"] == "TEXT_MESSAGE_CONTENT":
                self.close_connection = True
                return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def agent(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    run = {"threadId": body["threadId"], "runId": body["runId"]}
    yield {"type": "RUN_STARTED", **run}
    own = DOES == "own"
    messages = [*map(chat, body["messages"])]
    while True:
        said = ask(messages, OWN if own else body["tools"])
        yield from told(said)
        calls = said.get("tool_calls") or ()
        if not (own and calls):
            break
        messages.append(said)
        for call in calls:
            yield {"type": "TOOL_CALL_RESULT", "messageId": f"r-{call['id']}", "toolCallId": call["id"], "content": "4"}
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "4"})
    if DOES != "endless":
        yield {"type": "RUN_FINISHED", **run}


def told(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    id = f"m-{os.urandom(4).hex()}"
    if said.get("content"):
        yield {"type": "TEXT_MESSAGE_START", "messageId": id}
        for piece in [said["content"]] * (2 if DOES == "doubles" else 1):
            yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": piece}
        yield {"type": "TEXT_MESSAGE_END", "messageId": id}
    for call in said.get("tool_calls") or ():
        about = {"toolCallId": call["id"]}
        yield {"type": "TOOL_CALL_START", **about, "toolCallName": call["function"]["name"], "parentMessageId": id}
        garbled = "{}" if DOES == "garbles" else call["function"]["arguments"]
        yield {"type": "TOOL_CALL_ARGS", **about, "delta": garbled}
        yield {"type": "TOOL_CALL_END", **about}


def chat(message: dict[str, Any]) -> dict[str, Any]:
    made = {"role": message["role"], "content": message.get("content")}
    if message.get("toolCalls"):
        made["tool_calls"] = message["toolCalls"]
    if message["role"] == "tool":
        made["tool_call_id"] = message["toolCallId"]
    return made


def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": "gpt-4.1", "messages": messages}
    if tools:
        body["tools"] = [{"type": "function", "function": tool} for tool in tools]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - the endpoint
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - likewise
        message: dict[str, Any] = json.load(answer)["choices"][0]["message"]
    return message


if DOES == "dies":
    sys.exit("There is no model.")
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()

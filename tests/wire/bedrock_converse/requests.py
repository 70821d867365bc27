"""Requests to Converse, written down, and what is found in them."""

from __future__ import annotations

import json
from typing import Any

from harness.finding import Finding
from harness.wire import Conversation, IssuedState, Route, wire

CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"

Json = dict[str, Any]

TOOLS: Json = {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object", "properties": {}}}}}]}


def user(*blocks: Json | str) -> Json:
    """A message of the user; a text is a block of its own."""
    return {"role": "user", "content": [{"text": each} if isinstance(each, str) else each for each in blocks]}


def assistant(*blocks: Json | str) -> Json:
    """A message of the assistant."""
    return {**user(*blocks), "role": "assistant"}


def call(id_: str, **arguments: str) -> Json:
    """A call of the tool ``look``."""
    return {"toolUse": {"toolUseId": id_, "name": "look", "input": arguments}}


def result(id_: str, text: str | None = "ok", status: str = "success") -> Json:
    """Its result; without a text it has no content."""
    content = [] if text is None else [{"text": text}]
    return {"toolResult": {"toolUseId": id_, "content": content, "status": status}}


def body(*messages: Json, tools: bool = True, **more: Any) -> Json:
    """A request with these messages."""
    declared = {"toolConfig": TOOLS} if tools else {}
    return {"messages": list(messages), "inferenceConfig": {"maxTokens": 100}, **declared, **more}


def read(request: Json, model: str = CLAUDE, *, stream: bool = False) -> Conversation:
    """The request, read."""
    spoken = wire("bedrock-converse")
    return spoken.read(Route(spoken.name, model, stream, "/model"), json.dumps(request).encode())


def found(request: Json, model: str = CLAUDE, *, stream: bool = False) -> list[Finding]:
    """What is found in a request of which nothing was issued."""
    return wire("bedrock-converse").violations(read(request, model, stream=stream), IssuedState())

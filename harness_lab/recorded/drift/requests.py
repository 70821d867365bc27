"""The requests that the sample answers: a renderer's answer depends on them, besides the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.wire import Conversation, Message, NativeWireName, Opaque, Text, wire
from harness.wire.base import Json

_MODELS: Mapping[NativeWireName, str] = {
    "openai-responses": "gpt-5.6",
    "openai-chat": "gpt-5.6",
    "anthropic-messages": "claude-opus-5-5",
    "gemini-generate": "gemini-3.5-flash",
    "bedrock-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "gemini-interactions": "gemini-3.8-flash",
}
_USER: Final = Message("user", (Text("What is in src/app.py?"),), "")

_SEARCH: Final = {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": "-"}}
_PAUSED: Final = Message("assistant", (Opaque("server_tool_use", _SEARCH),), "messages.1")

_CUSTOM: Final = [{"type": "custom", "name": name} for name in ("create_file", "read_file")]

_BODIES: Mapping[NativeWireName, Mapping[str, Json]] = {
    "openai-responses": {
        "without padding": {"stream_options": {"include_obfuscation": False}},
        "with custom tools": {"tools": _CUSTOM},
        "with reasoning": {"reasoning": {"effort": "high", "summary": "auto"}, "text": {"verbosity": "low"}},
    },
    "openai-chat": {
        "with usage": {"stream_options": {"include_usage": True}},
        "with usage, without padding": {"stream_options": {"include_usage": True, "include_obfuscation": False}},
    },
    "anthropic-messages": {},
    "gemini-generate": {},
    "bedrock-converse": {},
    "gemini-interactions": {},
}


def plain_requests(name: NativeWireName) -> Iterator[tuple[str, Conversation]]:
    """A streamed and a whole request that ask for nothing in particular, with words for each."""
    yield "streamed", _asked(name, stream=True)
    yield "whole", _asked(name, stream=False)


def requests(name: NativeWireName) -> Iterator[tuple[str, Conversation]]:
    """Requests of every kind that a renderer of the wire answers in its own way, with words for each."""
    yield from plain_requests(name)
    for stream in (True, False):
        form = "streamed" if stream else "whole"
        for words, body in _BODIES[name].items():
            yield f"{form}, {words}", _asked(name, stream=stream, body=body)
        if wire(name).can_pause:
            yield f"{form}, going on from a pause", _asked(name, stream=stream, messages=(_USER, _PAUSED))


def _asked(
    name: NativeWireName, *, stream: bool, body: Json | None = None, messages: tuple[Message, ...] = (_USER,)
) -> Conversation:
    return Conversation(name, _MODELS[name], stream, messages, body=body or {})

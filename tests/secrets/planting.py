"""Secrets planted in an interaction, one position each, and the cassette file that it would be kept in."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import yaml

from harness.cassette import Delivery, Interaction

JSON_TYPE = {"content-type": ("application/json",)}
STREAM_TYPE = {"content-type": ("text/event-stream; charset=utf-8",)}


def interaction(**changes: Any) -> Interaction:
    """An exchange without a secret, but for ``changes``."""
    plain: dict[str, Any] = {
        "method": "POST",
        "url": "https://api.provider.example/v1/messages?beta=true",
        "request_headers": JSON_TYPE,
        "request": b'{"model":"m-1","messages":[{"role":"user","content":"Hello"}]}',
        "status": 200,
        "response_headers": JSON_TYPE,
        "response": b'{"id":"msg_1","content":[{"type":"text","text":"Hello"}]}',
    }
    made = Interaction(**{**plain, **changes})
    length = len(made.response)
    return made if made.delivery else Interaction(**{**plain, **changes, "delivery": Delivery((length,), (0.0,))})


def in_request_header(text: str) -> Interaction:
    flat = text.replace("\n", " ")
    return interaction(request_headers={**JSON_TYPE, "anthropic-beta": (flat,), "x-anything": (flat,)})


def in_response_header(text: str) -> Interaction:
    flat = text.replace("\n", " ")
    return interaction(response_headers={**JSON_TYPE, "x-request-id": (flat,), "set-cookie": (flat,)})


def in_url(text: str) -> Interaction:
    return interaction(url=f"https://api.provider.example/v1/x?q={quote(text, safe='')}")


def in_request(text: str) -> Interaction:
    body = {"system": f"Say {text}.", "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}
    return interaction(request=json.dumps(body).encode())


def in_json_in_json(text: str) -> Interaction:
    arguments = json.dumps({"note": json.dumps({"line": f"\n{text}\t"})})
    body = {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": arguments}}]}]}
    return interaction(request=json.dumps(body).encode(), response=json.dumps(body, indent=1).encode())


def in_base64(text: str) -> Interaction:
    return interaction(
        response=json.dumps({"data": base64.b64encode(f"A note: {text} (é)".encode()).decode()}).encode()
    )


def in_url_safe_base64(text: str) -> Interaction:
    data = base64.urlsafe_b64encode(f"A note: {text} (é)???>>>".encode()).decode().rstrip("=")
    return interaction(request=json.dumps({"url": f"data:text/plain;base64,{data}"}).encode())


def stream(events: list[Mapping[str, Any]]) -> Interaction:
    frames = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    delivery = Delivery(tuple(map(len, frames)), tuple(0.0 for _ in frames))
    return interaction(response_headers=STREAM_TYPE, response=b"".join(frames), delivery=delivery)


def told(pieces: list[str], *, name: str = "text") -> Interaction:
    """A stream of Messages that tells text in these pieces, with a keep-alive between them."""
    events: list[Mapping[str, Any]] = []
    for piece in pieces:
        events.append({"type": "content_block_delta", "index": 0, "delta": {"type": f"{name}_delta", name: piece}})
        events.append({"type": "ping"})
    return stream(events)


def in_letters(text: str) -> Interaction:
    return told(list(f"It is {text} then."))


def in_arguments_in_letters(text: str) -> Interaction:
    return told(list(json.dumps({"path": "a.txt", "content": f"é\n{text}\n"})), name="partial_json")


def in_chat_arguments(text: str) -> Interaction:
    """Two calls of a Chat stream whose deltas alternate: neither text is in order without its index."""
    arguments = json.dumps({"content": text})
    events: list[Mapping[str, Any]] = []
    for at in range(0, len(arguments), 3):
        for index, piece in ((0, arguments[at : at + 3]), (1, "x")):
            call = {"index": index, "function": {"arguments": piece}}
            events.append({"type": "chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    return stream(events)


def in_list_of_chunks(text: str) -> Interaction:
    """Gemini without ``alt=sse``: one list of responses."""
    chunks = [{"candidates": [{"content": {"parts": [{"text": piece}]}, "index": 0}]} for piece in f"is {text}, or"]
    return interaction(response=json.dumps(chunks, indent=2).encode())


def in_plain_error(text: str) -> Interaction:
    body = f"upstream refused the request\n{text}\nsee the log"
    return interaction(status=502, response_headers={"content-type": ("text/plain",)}, response=body.encode())


POSITIONS: dict[str, Callable[[str], Interaction]] = {
    place.__name__: place
    for place in (
        in_request_header,
        in_response_header,
        in_url,
        in_request,
        in_json_in_json,
        in_base64,
        in_url_safe_base64,
        in_letters,
        in_arguments_in_letters,
        in_chat_arguments,
        in_list_of_chunks,
        in_plain_error,
    )
}


# --- the file -----------------------------------------------------------------------------------------------


class _Dumper(yaml.CSafeDumper):
    """Text with line breaks in literal blocks, as our cassettes have it."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def document(made: Interaction) -> str:
    """The cassette with this one interaction, as vcrpy has it."""
    request = {
        "method": made.method,
        "uri": made.url,
        "headers": {name: list(values) for name, values in made.request_headers.items()},
        "body": (made.request or b"").decode(),
    }
    response = {
        "status": {"code": made.status, "message": ""},
        "headers": {name: list(values) for name, values in made.response_headers.items()},
        "body": {"string": made.response.decode()},
    }
    content = {"version": 1, "interactions": [{"request": request, "response": response}]}
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)

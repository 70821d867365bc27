"""A model server on loopback that the tests record from: one fixed answer for each path, JSON or a stream.

With ``?packed`` the answer comes compressed, with ``?cut`` it breaks off.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def _events(*events: object, names: bool = False) -> bytes:
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if names and isinstance(event, dict) else ""
        lines.append(f"{name}data: {event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)}\n\n")
    return "".join(lines).encode()


def _chat(**choice: object) -> dict[str, object]:
    return {"id": "chatcmpl-1", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": None, **choice}]}


_TEXT = {"type": "text", "text": ""}
_MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip

ANSWERS: dict[str, tuple[str, bytes]] = {
    "/v1/chat/completions": (
        "text/event-stream",
        _events(
            {**_chat(delta={"role": "assistant", "content": "héllo "}), "object": "chat.completion.chunk"},
            {**_chat(delta={"content": "✓"}), "object": "chat.completion.chunk"},
            {**_chat(delta={}, finish_reason="stop"), "object": "chat.completion.chunk"},
            "[DONE]",
        ),
    ),
    "/v1/messages": (
        "text/event-stream",
        _events(
            {"type": "message_start", "message": _MESSAGE},
            {"type": "content_block_start", "index": 0, "content_block": _TEXT},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "héllo ✓"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
            names=True,
        ),
    ),
    "/v1beta/models/m:streamGenerateContent": (
        "text/event-stream",
        _events({"candidates": [{"content": {"role": "model", "parts": [{"text": "héllo ✓"}]}}]}),
    ),
    "/json": ("application/json", json.dumps({"text": "héllo ✓"}, ensure_ascii=False).encode()),
    "/events": ("text/event-stream", _events({"a": 1}, {"ü": "✓"}, "[DONE]")),
    "/empty": ("text/plain", b""),
}  # fmt: skip


@dataclass
class Upstream:
    """``got`` are the bodies of the requests that came, in their order."""

    url: str
    got: list[bytes] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: Upstream

    def do_POST(self) -> None:
        self.upstream.got.append(self.rfile.read(int(self.headers.get("content-length") or 0)))
        path, _, query = self.path.partition("?")
        if path not in ANSWERS:
            self.send_error(404)
            return
        content_type, body = ANSWERS[path]
        if packed := "packed" in query:
            body = gzip.compress(body)
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body) + 9 * ("cut" in query)))
        if packed:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = "cut" in query

    do_GET = do_POST  # noqa: N815 # as http.server names it

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tests look at ``Upstream.got``."""


@contextmanager
def upstream() -> Iterator[Upstream]:
    """Serves until the block ends; after that a request to its URL is refused."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.upstream = found = Upstream(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

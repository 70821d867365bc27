"""The smallest gateway: it asks the model in the format in which it is asked, and passes everything on as it is.

It is the control of ``harness gateway``, which must find nothing in it; with ``--fault NAME`` it makes one mistake that
gateways were seen to make, which must be found.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

FORMATS = {"/chat/completions": "openai-chat", "/responses": "openai-responses", "/messages": "anthropic-messages"}
_FRAMING = {"transfer-encoding", "content-length", "connection", "keep-alive", "date", "server"}


@dataclass(frozen=True)
class Passing:
    """An answer on its way to the client. ``broken``: the model's connection broke in its middle."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    broken: bool = False


Edit = Callable[[Passing], Passing]


def fake_of(path: str, environment: Mapping[str, str]) -> str:
    """The address of the model that speaks the format of this path."""
    bare = urlsplit(path).path
    name = next((name for end, name in FORMATS.items() if bare.endswith(end)), "gemini-generate")
    return environment[f"HARNESS_FAKE_{name.replace('-', '_').upper()}"]


def handler(edit: Edit, environment: Mapping[str, str]) -> type[BaseHTTPRequestHandler]:
    """What answers each request."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(Passing(200, {"content-type": "text/plain"}, b"ready"))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self._send(edit(self._asked(body)))

        def _asked(self, body: bytes) -> Passing:
            fake = urlsplit(fake_of(self.path, environment))
            connection = http.client.HTTPConnection(fake.netloc)
            kept = {name: value for name, value in self.headers.items() if name.lower() not in {*_FRAMING, "host"}}
            connection.request("POST", fake.path + self.path, body, kept)
            answer = connection.getresponse()
            headers = {name: value for name, value in answer.getheaders() if name.lower() not in _FRAMING}
            try:
                return Passing(answer.status, headers, answer.read())
            except http.client.IncompleteRead as cut:
                return Passing(answer.status, headers, cut.partial, broken=True)
            finally:
                connection.close()

        def _send(self, answer: Passing) -> None:
            self.send_response(answer.status)
            for name, value in {**answer.headers, "transfer-encoding": "chunked"}.items():
                self.send_header(name, value)
            self.end_headers()
            if answer.body:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(answer.body), answer.body))
            if answer.broken:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            """It prints nothing."""

    return Handler


# --- faults -----------------------------------------------------------------------------------------------------


def _replaced(pattern: bytes, by: bytes | Callable[[re.Match[bytes]], bytes]) -> Edit:
    return lambda answer: replace(answer, body=re.sub(pattern, by, answer.body))


def _status(before: int, now: int) -> Edit:
    return lambda answer: replace(answer, status=now) if answer.status == before else answer


def _ids_by_name(answer: Passing) -> Passing:
    """Every call has the name of its tool for its id."""
    return replace(answer, body=re.sub(rb'"id":"(?:call_|toolu_)\w+"', b'"id":"call_get_weather"', answer.body))


def _ends_cleanly(answer: Passing) -> Passing:
    """A cut stream of Chat ends as if the model had stopped."""
    if not answer.broken and b"[DONE]" in answer.body:
        return answer
    if "event-stream" not in answer.headers.get("content-type", ""):
        return answer
    whole = answer.body[: answer.body.rindex(b"\n\n") + 2]
    chunk: dict[str, Any] = json.loads(whole.split(b"\n\n")[0].removeprefix(b"data: "))
    chunk["choices"] = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    end = b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"
    return replace(answer, body=whole + end, broken=False)


def _in_whole_answers(change: Callable[[dict[str, Any]], Any]) -> Edit:
    """Changes the document that a right answer is."""

    def edit(answer: Passing) -> Passing:
        if answer.status != 200 or "json" not in answer.headers.get("content-type", ""):
            return answer
        document = json.loads(answer.body)
        change(document)
        return replace(answer, body=json.dumps(document).encode())

    return edit


_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}}
_CALL = {"id": "call_invented", "type": "function", "function": {"name": "delete_all", "arguments": "{}"}}


def _invents_a_call(document: dict[str, Any]) -> None:
    message = document["choices"][0]["message"]
    message["tool_calls"] = [*message.get("tool_calls", ()), _CALL]


FAULTS: Mapping[str, Edit] = {
    "": lambda answer: answer,
    "drops-the-signature": _replaced(
        rb'event: content_block_delta\ndata: \{[^\n]*"signature_delta"[^\n]*\n\n|,?\s*"thoughtSignature":\s*"[^"]*"',
        b"",
    ),
    "one-id-for-all-calls": _ids_by_name,
    "one-index-for-all-calls": _replaced(rb'"index":[12],"id"', b'"index":0,"id"'),
    "ends-cleanly-on-a-cut": _ends_cleanly,
    "429-is-200": _status(429, 200),
    "529-is-500": _status(529, 500),
    "no-cached-tokens": _replaced(
        rb'"(cached_tokens|cache_read_input_tokens|cachedContentTokenCount)":\s*\d+', rb'"\1":0'
    ),
    "cut-arguments-are-empty": _replaced(rb'\{\\"city\\": \\"Os', b"{}"),
    "invents-a-search": _in_whole_answers(lambda document: document["content"].insert(0, _SEARCH)),
    "invents-a-text": _in_whole_answers(
        lambda document: document["content"].insert(0, {"type": "text", "text": "Let me look."})
    ),
    "invents-a-call": _in_whole_answers(_invents_a_call),
    "no-done": _replaced(rb"data: \[DONE\]\n\n", b""),
}


def server(fault: str, environment: Mapping[str, str], port: int = 0) -> ThreadingHTTPServer:
    """The gateway, which listens and does not serve yet."""
    return ThreadingHTTPServer(("127.0.0.1", port), handler(FAULTS[fault], environment))


@contextmanager
def in_a_thread(fault: str, addresses: Mapping[str, str]) -> Iterator[str]:
    """The gateway on a port of its own: its address. ``addresses`` are those of the models, by their formats."""
    fakes = {f"HARNESS_FAKE_{name.replace('-', '_').upper()}": address for name, address in addresses.items()}
    running = server(fault, fakes)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


if __name__ == "__main__":
    server(sys.argv[2] if len(sys.argv) > 2 else "", os.environ, int(sys.argv[1])).serve_forever()

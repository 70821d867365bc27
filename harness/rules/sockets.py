"""What a loop does with its WebSockets: one request at a time on each stream, so many streams at once, a bounded number
of WebSockets, and none that is needed for longer than it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding, broken
from harness.rules.model import rule
from harness.rules.trace_view import TraceView
from harness.trace import Failure, RequestRecord, ResponseRecord, SocketRecord

_MOST: Final = 10
"""WebSockets in a row, opened or refused, on which nothing was answered: no client that was measured opens as many."""

_GUIDE: Final = "https://developers.openai.com/api/docs/guides/websocket-mode"


@rule(
    "socket/one-at-a-time",
    "SHOULD",
    "unsafe",
    "On a stream of a WebSocket a request is sent when the answer to the one before has ended.",
    why="A server queues it, or refuses it; a client that takes events by their order reads the wrong answer.",
    source=f"{_GUIDE}; README of the official SDK for Python: one response in flight on each stream",
    needs=("exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right: {socket-requests-in-turn: [Each request waits for the end of the answer., {over: null}]}
    wrong:
      socket-request-too-early: [A request comes before the answer to the last one has ended., {over: null},
          {at_request: 0, did: early, behind: true}]
    """,
)
def _one_at_a_time(view: TraceView) -> Iterator[Finding]:
    for at, record in enumerate(view.trace.records):
        if isinstance(record, SocketRecord) and record.did == "early":
            where = f"stream {record.lane!r}" if record.lane else "the connection"
            expected = f"the end of the last answer on {where} first"
            yield broken(at, expected, f"another request on connection {record.connection}")


@rule(
    "socket/streams",
    "SHOULD",
    "unsafe",
    "No more than 16 streams of a WebSocket have an answer at once.",
    why="A server queues what is too much, or refuses it, and nobody knows which.",
    source="README of the official SDK for Python: 16 active streams, 32 names, the one without a name beside them",
    needs=("exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong:
      socket-streams-too-many: [A request comes on a stream while as many others have an answer as there may be.,
          {over: null}, {at_request: 0, did: crowded, behind: true, lane: q}]
    """,
)
def _streams(view: TraceView) -> Iterator[Finding]:
    for at, record in enumerate(view.trace.records):
        if isinstance(record, SocketRecord) and record.did == "crowded":
            expected = "the end of an answer on another stream first"
            got = (
                f"a request on stream {record.lane!r} of connection {record.connection}, beside as many as there may be"
            )
            yield broken(at, expected, got)


@rule(
    "socket/fork",
    "SHOULD",
    "unsafe",
    "Where a stream goes on from a response of another one that is not stored, that other stream asks again when "
    "the new response is being made.",
    why="Only the connection keeps such a response: the next request on its own stream takes its place.",
    source="README of the official SDK for Python: wait for response.in_progress of the fork",
    needs=("exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong:
      socket-fork-overtaken: [A stream goes on before the one that has forked from it., {over: null},
          {at_request: 1, did: overtaken, lane: a}]
    """,
)
def _forks(view: TraceView) -> Iterator[Finding]:
    for at, record in enumerate(view.trace.records):
        if isinstance(record, SocketRecord) and record.did == "overtaken":
            where = f"stream {record.lane!r}" if record.lane else "the connection"
            expected = "response.in_progress on the stream that goes on from an earlier response first"
            yield broken(at, expected, f"another request on {where}, where that response is from")


@rule(
    "socket/fallback",
    "INFO",
    "style",
    "A loop that goes on over HTTP where it has asked for a WebSocket says so to its user.",
    why="Each turn takes longer then, and nobody looks for the proxy that takes no WebSockets.",
    source="clients, measured: Codex 0.169 says so, Copilot CLI 1.0 does not",
    needs=("events", "exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right: {socket-never-asked-for: [All goes over HTTP., {over: [[0, 0]]}]}
    wrong: {socket-http-behind-a-websocket: [The second request goes over HTTP., {over: [[1, 0]]}]}
    """,
)
def _fallback(view: TraceView) -> Iterator[Finding]:
    """The first request over HTTP behind a WebSocket that was opened or refused, if no text for the user says so."""
    asked = False
    for at, record in enumerate(view.trace.records):
        if isinstance(record, SocketRecord) and record.did in ("open", "refuse"):
            asked = True
        elif isinstance(record, RequestRecord) and asked and not record.connection:
            if "websocket" not in _shown(view):
                yield broken(at, "a word to the user that the run goes on over HTTP", "none")
            return


def _shown(view: TraceView) -> str:
    """All that the user is shown in words."""
    texts = (getattr(each.event, name, "") for _, each in view.trace.events for name in ("text", "message"))
    return "".join(text for text in texts if isinstance(text, str)).lower()


@rule(
    "socket/bounded",
    "SHOULD",
    "unsafe",
    f"A loop opens at most {_MOST} WebSockets in a row on which nothing is answered.",
    why="A server that takes no WebSockets is asked for ever, and the user waits for an answer that HTTP would bring.",
    source="clients, measured: Codex 0.169 opens 6 and is refused 7, then goes on over HTTP",
    needs=("exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right:
      socket-closed-often: [What is closed was opened before., {over: null}, {at_request: 1, did: close, times: 11}]
    wrong:
      socket-refused-again-and-again: [The eleventh WebSocket in a row is refused., {over: null},
          {at_request: 1, did: refuse, times: 11, status: 503}]
    """,
)
def _too_many_sockets(view: TraceView) -> Iterator[Finding]:
    tried = 0
    for at, record in enumerate(view.trace.records):
        if isinstance(record, ResponseRecord) and record.is_turn and record.body:
            tried = 0
        elif isinstance(record, SocketRecord) and record.did in ("open", "refuse"):
            tried += 1
            if tried == _MOST + 1:
                yield broken(at, f"at most {_MOST} WebSockets without an answer", f"number {tried}")


@rule(
    "socket/limit",
    "MUST",
    "unsafe",
    "A run outlives a connection that has lasted too long (60 minutes), also where nothing was asked just then.",
    why="Every run that takes an hour ends with an error, though a new connection and the whole input go on with it.",
    source=f"{_GUIDE}: websocket_connection_limit_reached; @openai/agents 0.20 and openai-agents 0.24, measured",
    needs=("events", "exchanges", "sockets"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], end: {Failure: stream,
        message: The connection has lasted too long.}}
    wrong:
      second-socket-lost: ['The second WebSocket has lasted too long, and the run ends.', {over: [[1, 2]]},
          {socket_error: 2}]
    """,
)
def _outlives_the_limit(view: TraceView) -> Iterator[Finding]:
    for at, record in enumerate(view.trace.records):
        if not (isinstance(record, SocketRecord) and record.did == "error"):
            continue
        failed = next((place for place, event in view.ends if place > at and isinstance(event, Failure)), None)
        goes_on = any(
            isinstance(each, RequestRecord) and each.connection != record.connection
            for each in view.trace.records[at:failed]
        )
        if failed is not None and not goes_on:
            expected = f"the whole input on another connection: number {record.connection} has lasted too long"
            yield broken(failed, expected, f"an error, because of {record.error}")
            return

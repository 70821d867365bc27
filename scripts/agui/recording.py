"""Keeps the streams of a server of AG-UI in the file AGUI_RECORD, and breaks each in the way that AGUI_BREAK names.

An event is broken where it passes, so that all else happens as it does without.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class Recording:
    """An ASGI application around that of the server."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        breaks = BREAKS[os.environ.get("AGUI_BREAK", "none")]()
        rest = b""

        async def sent(message: Any) -> None:
            nonlocal rest
            if message["type"] == "http.response.start":
                kept = [each for each in message["headers"] if each[0].lower() != b"content-length"]
                await send({**message, "headers": kept})
                return
            *whole, rest = (rest + message.get("body", b"")).split(b"\n\n")
            body = b"".join(_written(event) for frame in whole for event in _broken(frame, breaks))
            if not message.get("more_body", False):
                body, rest = body + rest, b""
            _keep(body)
            await send({**message, "body": body})

        await self.app(scope, receive, sent)


def _keep(body: bytes) -> None:
    with Path(os.environ["AGUI_RECORD"]).open("ab") as file:
        file.write(body)


def _broken(frame: bytes, breaks: Callable[[Event], Iterator[Event]]) -> Iterator[Event | bytes]:
    if not frame.startswith(b"data:"):
        yield frame
        return
    yield from breaks(json.loads(frame.removeprefix(b"data:")))


def _written(event: Event | bytes) -> bytes:
    return event + b"\n\n" if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() + b"\n\n"


# --- what is done to a stream: each takes its events one by one -------------------------------------------------


def none() -> Callable[[Event], Iterator[Event]]:
    def each(event: Event) -> Iterator[Event]:
        yield event

    return each


def twice(type: str) -> Callable[[], Callable[[Event], Iterator[Event]]]:
    """Every event of this type comes twice."""

    def broken() -> Callable[[Event], Iterator[Event]]:
        def each(event: Event) -> Iterator[Event]:
            yield event
            if event["type"] == type:
                yield event

        return each

    return broken


def first(type: str, edit: Callable[[Event], list[Event]]) -> Callable[[], Callable[[Event], Iterator[Event]]]:
    """Others come in the place of the first event of this type."""

    def broken() -> Callable[[Event], Iterator[Event]]:
        done = False

        def each(event: Event) -> Iterator[Event]:
            nonlocal done
            if event["type"] != type or done:
                yield event
                return
            done = True
            yield from edit(event)

        return each

    return broken


def early_result() -> Callable[[Event], Iterator[Event]]:
    """The result of the first call comes before the call."""
    early = ""

    def each(event: Event) -> Iterator[Event]:
        nonlocal early
        if event["type"] == "TOOL_CALL_START" and not early:
            early = event["toolCallId"]
            result = {"messageId": "early", "toolCallId": early, "content": '{"celsius":4}'}
            yield {"type": "TOOL_CALL_RESULT", **result}
        if event["type"] != "TOOL_CALL_RESULT" or event["toolCallId"] != early:
            yield event

    return each


def swapped_results() -> Callable[[Event], Iterator[Event]]:
    """Two results have the contents of each other."""
    held: list[Event] = []

    def each(event: Event) -> Iterator[Event]:
        if event["type"] != "TOOL_CALL_RESULT":
            yield event
            return
        held.append(event)
        if len(held) == 2:
            one, other = held
            yield {**one, "content": other["content"]}
            yield {**other, "content": one["content"]}

    return each


def call_again() -> Callable[[Event], Iterator[Event]]:
    """The first call is sent once more, under its id, before the last text."""
    call: list[Event] = []
    over = False

    def each(event: Event) -> Iterator[Event]:
        nonlocal over
        first_one = not call or event.get("toolCallId") == call[0]["toolCallId"]
        if first_one and event["type"] in ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"):
            call.append(event)
        over = over or event["type"] == "TOOL_CALL_RESULT"
        if over and event["type"] == "TEXT_MESSAGE_START":
            yield from call
        yield event

    return each


BREAKS: dict[str, Callable[[], Callable[[Event], Iterator[Event]]]] = {
    "none": none,
    "result twice": first("TOOL_CALL_RESULT", lambda event: [event, event]),
    "result missing": first("TOOL_CALL_RESULT", lambda _: []),
    "result of an unknown call": first("TOOL_CALL_RESULT", lambda event: [{**event, "toolCallId": "call_nobody"}]),
    "result before its call": early_result,
    "results of two calls swapped": swapped_results,
    "no end": first("RUN_FINISHED", lambda _: []),
    "error, then finished": first("RUN_FINISHED", lambda event: [{"type": "RUN_ERROR", "message": "It broke."}, event]),
    "start of a call twice": first("TOOL_CALL_START", lambda event: [event, event]),
    "call once more under its id": call_again,
    "every piece of text twice": twice("TEXT_MESSAGE_CONTENT"),
    "arguments garbled": first("TOOL_CALL_ARGS", lambda event: [{**event, "delta": event["delta"][1:] + "!"}]),
}

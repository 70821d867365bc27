"""Describes a run in words that do not depend on the wire or on how its bytes were cut.

Legitimate differences between wires are left out: thinking, which not all can send; previews, since Gemini sends
arguments whole; ids and the words of errors, which are the provider's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.trace import (
    Assistant,
    Event,
    Failure,
    Final,
    JsonValue,
    SetCode,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import Conversation, Message, Result, Text, UnreadableRequest, wire
from harness.wire.turn import Refusal

Line = tuple[Any, ...]
"""One thing that was emitted or sent, as a value that can be compared and shown."""


def story_of(trace: Trace) -> list[Line]:
    """What the user was shown, the pieces of a text joined; and, as the last line, how often the model was asked."""
    lines: list[Line] = []
    for _, record in trace.events:
        line = _line(record.event)
        if line is None:
            continue
        if line[0] == "assistant" and lines and lines[-1][0] == "assistant":
            lines[-1] = ("assistant", lines[-1][1] + line[1])
        else:
            lines.append(line)
    return [*lines, ("requests", len(trace.exchanges))]


def _line(event: Event) -> Line | None:
    match event:
        case TurnStart(turn):
            return "turnStart", turn
        case Assistant(text, _):
            return "assistant", text
        case ToolStart(_, name, _):
            return "toolStart", name
        case SetCode(code, _, preview) if not preview:
            return "setCode", code
        case ToolResult(_, name, output, ok):
            return "toolResult", name, _flat(_in_our_words(output)), ok
        case Failure(kind, _):
            return "error", kind
        case Final(code, outcome, text):
            return "final", outcome, code, text
    return None


def _in_our_words(output: JsonValue) -> JsonValue:
    """The output in our words: the error of a call that was not run may quote the provider's error."""
    error = output.get("error") if isinstance(output, dict) else None
    return {"error": "Not run"} if isinstance(error, str) and error.startswith("Not run: ") else output


def asked_last(trace: Trace) -> Conversation | None:
    """The last request in neutral words; None if no request can be read, or if it only names earlier turns."""
    if not trace.exchanges:
        return None
    request = trace.exchanges[-1].request
    speaker = wire(trace.case.wire)
    route = speaker.route(request.method, request.path)
    if route is None:
        return None
    try:
        asked = speaker.read(route, request.body, request.headers)
    except UnreadableRequest:
        return None
    return None if asked.continues is not None else asked


def history(conversation: Conversation) -> list[Line]:
    """The model's calls and texts, and the results that it was sent, in order."""
    lines: list[Line] = []
    for message in conversation.messages:
        for line in _lines_of(message):
            if line[0] == "text" and lines and lines[-1][:2] == line[:2]:
                lines[-1] = ("text", line[1], lines[-1][2] + line[2])
            else:
                lines.append(line)
    return lines


def _lines_of(message: Message) -> Iterator[Line]:
    if message.role == "system":
        return
    for part in message.parts:
        match part:
            case Text(text) | Refusal(text) if text:
                yield "text", message.role, text
            case Result(_, output):
                yield "result", _flat(_inner_value(_value(output)))
    for call in message.calls:
        yield "call", call.name, _flat(_value(call.arguments))


def results(conversation: Conversation) -> dict[str, str]:
    """The result of each call, by the id of the call; empty if ids are missing or not unique."""
    found = [part for message in conversation.messages for part in message.results]
    by_id = {result.id: result.output for result in found}
    return {} if "" in by_id or len(by_id) < len(found) else by_id


def _value(text: str) -> Any:
    """The value of a JSON text; other texts unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _inner_value(value: Any) -> Any:
    """Gemini's results are objects: another value is inside one, under ``output`` or ``error``."""
    return next(iter(value.values())) if isinstance(value, dict) and value.keys() in _WRAPS else value


_WRAPS = ({"output"}, {"error"})


def _flat(value: Any) -> str:
    """A value as one line, so that lines can be compared whatever their members' order."""
    return json.dumps(value, sort_keys=True)

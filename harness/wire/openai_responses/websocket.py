"""Responses over WebSocket: ``response.create`` is the body of a request, and a frame is the data of an event.

The error frame is not the ``error`` event of a stream: its error is nested, and it has the status that the request
would have got over HTTP. It is the only error that the official SDK knows over a WebSocket (``ResponseWsError``), even
in the middle of an answer, where it has the ``sequence_number`` of the event. Codex treats it as an error only if it
has a status, and waits for more if it has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.wire.base import Json
from harness.wire.error_answer import ErrorAnswer
from harness.wire.json_text import compact, encoded
from harness.wire.lenient import members, string
from harness.wire.openai_responses.failure import status_and_type
from harness.wire.openai_responses.rules.named import OAI_18
from harness.wire.openai_responses.steering import STEER, STEERING, STREAM, items_of, steer_of
from harness.wire.sse import SSE, frame
from harness.wire.websocket import FrameRefused, HeardFrame, SocketMode, SocketRequest, SteerRequest

_CREATE: Final = "response.create"
_INJECT: Final = "response.inject"
_LANE: Final = re.compile(r"[A-Za-z0-9_.-]{1,256}")

_SENT_ALONG: Final = ("retry-after", "retry-after-ms")
"""Headers of an error that its frame contains, beside the limits of the account."""
_LIMITS: Final = "x-ratelimit-"

_ERROR_EVENT: Final = re.compile(r'"type":\s*"error"')

_LIMIT: Final = ProviderAnswer(
    "Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.",
    status=400,
    code="websocket_connection_limit_reached",
)
"""The text comes from several public clients' tests; no recording of the provider has it."""

_TOO_MANY_LANES: Final = ProviderAnswer(
    "This connection has too many streams.", status=400, code="websocket_stream_limit_reached", param="stream_id"
)


def _read(text: str) -> SocketRequest | SteerRequest:
    try:
        frame = loads(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        frame = None
    if not isinstance(frame, dict):
        raise FrameRefused("no JSON object", ProviderAnswer("The message is not a JSON object.", status=400))
    kind = frame.pop("type", None)
    lane = frame.pop(STREAM, None)
    if kind == STEER:
        return steer_of(frame)
    if kind == _INJECT:
        raise FrameRefused(_INJECT, _invalid("type", kind), frame=_not_injected(frame))
    if kind != _CREATE:
        raise FrameRefused(str(kind), _invalid("type", kind))
    if lane is not None and not (isinstance(lane, str) and _LANE.fullmatch(lane)):
        why = "The stream_id must be 1 to 256 letters, digits, '_', '.' or '-'."
        raise FrameRefused(_CREATE, ProviderAnswer(why, status=400, code="invalid_stream_id", param="stream_id"))
    warm_up = frame.pop("generate", None) is False
    frame["stream"] = True  # a socket has no other answers; some clients say it all the same
    return SocketRequest(encoded(compact(frame)), lane or "", warm_up)


def _invalid(param: str, value: object) -> ProviderAnswer:
    return ProviderAnswer(f"Invalid value: '{value}'. Supported values are: '{_CREATE}'.", status=400, param=param)


def _not_injected(frame: Json) -> str:
    """The answer to results for one of several agents of a response. No scripted response has agents, so none waits for
    results: the client gets back what it has sent."""
    error = {"code": "response_not_found", "message": "No response with this id waits for input."}
    back = {name: frame[name] for name in ("response_id", "input") if name in frame}
    return compact({"type": f"{_INJECT}.failed", "sequence_number": 0, "error": error, **back})


def _event(data: str, lane: str) -> str:
    """An error in the HTTP form, from a model or a recording over HTTP, gets the WebSocket form; a nested error already
    has it."""
    if (error := _error_event(data)) and not members(error.get("error")):
        data = compact(_error_frame(error))
    return f'{data.rstrip()[:-1]},"stream_id":{json.dumps(lane)}}}' if lane else data


def _stream(frames: Sequence[bytes]) -> tuple[bytes, ...]:
    """An error ends the answer: a ``response.failed``, which may follow it over HTTP, would count as the answer to the
    next request."""
    sent: list[bytes] = []
    for each in frames:
        for event in SSE.events(each):
            if error := _error_event(event.data):
                return (*sent, frame(_error_frame(error), "error"))
        sent.append(each)
    return tuple(sent)


def _error_event(data: str) -> Json:
    """The ``error`` event with these data; empty for the data of another event."""
    event = members(loads(data.encode("utf-8", "surrogatepass"))) if _ERROR_EVENT.search(data) else {}
    return event if _is_error(event) else {}


def _error_frame(error: Json) -> Json:
    """The error frame for an ``error`` event of a stream."""
    nested = members(error.get("error")) or {name: error.get(name) for name in ("code", "message", "param")}
    status, kind = status_and_type(nested.get("code"))
    numbered = {name: error[name] for name in ("sequence_number",) if name in error}
    return {"type": "error", "status": status, "error": {"type": kind, **nested}, **numbered}


def _error(answer: ErrorAnswer, lane: str) -> str:
    along = {name: value for name, value in answer.headers.items() if name in _SENT_ALONG or name.startswith(_LIMITS)}
    error: Json = {**_error_in(answer.body), **({"headers": along} if along else {})}
    named = {"stream_id": lane} if lane else {}
    return compact({"type": "error", "status": answer.status, "error": error, **named})


def _error_in(body: bytes) -> Json:
    """The error in an answer's body; for any other body, its text."""
    try:
        found: Any = loads(body)
    except ValueError:
        found = None
    error = found.get("error") if isinstance(found, dict) else None
    return error if isinstance(error, dict) else {"type": "server_error", "message": body.decode("utf-8", "replace")}


def _after(warm: bytes, body: bytes) -> bytes:
    """The input of the warm-up comes before the request's own; each request repeats everything else."""
    warmed, asked = loads(warm), loads(body)
    merged = {**asked, "input": [*items_of(warmed.get("input")), *items_of(asked.get("input"))]}
    del merged["previous_response_id"]
    if warmed.get("previous_response_id"):
        merged["previous_response_id"] = warmed["previous_response_id"]
    return encoded(compact(merged))


def _lent(body: bytes) -> str:
    asked = members(loads(body))
    return string(asked.get("previous_response_id")) if asked.get("store") is False else ""


def _not_found(id: str) -> ProviderAnswer:
    return OAI_18.broken("previous_response_id", expected="", got="", id=id).answered


def _asks(body: Json, lane: str) -> str:
    named = {"stream_id": lane} if lane else {}
    return compact({"type": _CREATE, **{name: value for name, value in body.items() if name != "stream"}, **named})


def _heard(text: str) -> HeardFrame:
    try:
        event = members(loads(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        event = {}
    lane = string(event.pop("stream_id", ""))
    is_error = _is_error(event)
    data = compact(event) if lane else text
    return HeardFrame(
        frame(data, string(event.get("type")) or None),
        lane,
        is_error or _ends(event),
        _answer_of(event) if is_error else None,
    )


def _answer_of(event: Json) -> ErrorAnswer:
    """The HTTP answer for the error in a frame; without a status in the frame, its code decides the status."""
    error = members(event.get("error")) or {name: event.get(name) for name in ("code", "message", "param")}
    status = event.get("status")
    if not isinstance(status, int) or not 400 <= status <= 599:
        status = status_and_type(error.get("code"))[0]
    headers = {name: str(value) for name, value in members(error.pop("headers", None)).items()}
    return ErrorAnswer(status, {"content-type": "application/json", **headers}, encoded(compact({"error": error})))


def _is_error(event: Json) -> bool:
    return event.get("type") == "error"


def _is_whole_error(event: Json) -> bool:
    """Whether it is nested and has a status: Codex ignores any other error and waits until its time limit."""
    return _is_error(event) and isinstance(event.get("error"), dict) and isinstance(event.get("status"), int)


def _ends(event: Json) -> bool:
    return event.get("type") in ("response.completed", "response.incomplete", "response.failed")


def _elsewhere(kind: str, **more: Any) -> Json:
    return {"type": f"response.{kind}", **more, STREAM: "elsewhere"}


_OTHER: Final[Json] = {"id": "resp_elsewhere", "object": "response", "status": "in_progress", "output": []}
_OTHER_ITEM: Final[Json] = {"id": "msg_elsewhere", "type": "message", "role": "assistant", "content": []}
_ELSEWHERE: Final = (
    _elsewhere("created", response=_OTHER, sequence_number=0),
    _elsewhere("output_item.added", item=_OTHER_ITEM, output_index=0, sequence_number=1),
    _elsewhere(
        "output_text.delta",
        delta="This was said elsewhere.",
        item_id="msg_elsewhere",
        output_index=0,
        content_index=0,
        sequence_number=2,
    ),
    _elsewhere("completed", response={**_OTHER, "status": "completed"}, sequence_number=3),
)
"""A whole response on another stream."""

SOCKET: Final = SocketMode(
    read=_read,
    event=_event,
    stream=_stream,
    error=_error,
    after=_after,
    not_found=_not_found,
    limit=_LIMIT,
    too_many_lanes=_TOO_MANY_LANES,
    lanes=32,
    active=16,
    lent=_lent,
    unknown='{"type":"response.metadata","metadata":{}}',
    elsewhere=tuple(map(compact, _ELSEWHERE)),
    steering=STEERING,
    asks=_asks,
    heard=_heard,
    wrong='{"type":"response.unknown_type"}',
    begins=lambda frame: frame.get("type") == "response.created",
    underway=lambda frame: frame.get("type") == "response.in_progress",
    ends=_ends,
    is_error=_is_error,
    is_whole_error=_is_whole_error,
)
"""Responses over WebSocket."""

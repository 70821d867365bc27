"""Input that a client sends while its response arrives (``response.steer``), and its effect on the response.

Members and codes come from the official SDK's types; no recording of the provider is known. A steered response ends
after its last item with the reason ``steered``, and the server begins the next one by itself. A response with calls is
completed: the input then waits for the request that answers them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.wire.base import Json
from harness.wire.json_text import compact, encoded
from harness.wire.lenient import entries, members, string
from harness.wire.sse import SSE, frame
from harness.wire.websocket import Steering, SteerRequest

STEER: Final = "response.steer"
STREAM: Final = "stream_id"

_OUTPUTS: Final = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}

_WORDS: Final = {
    "steering_not_supported": "This model does not support steering.",
    "response_not_found": "The response is not available on this connection.",
    "response_already_completed": "The response has completed, and takes no steering input any longer.",
}


def steer_of(frame: Json) -> SteerRequest:
    """The content of a frame of this type."""
    return SteerRequest(string(frame.get("previous_response_id")), frame.get("input"))


def items_of(value: object) -> list[Any]:
    """An input as a list of items; a text becomes a message of the user."""
    return [{"role": "user", "content": value}] if isinstance(value, str) else list(entries(value))


def _message(kind: str, steer: SteerRequest, more: Json, lane: str) -> str:
    named = {STREAM: lane} if lane else {}
    number = {"id": f"steer_{steer.number}"} if steer.number else {}
    about = {**number, "previous_response_id": steer.response}
    back = {"input": steer.input} if kind == "failed" and steer.input is not None else {}
    return compact({"type": f"{STEER}.{kind}", "sequence_number": 0, **more, "steer": {**about, **back}, **named})


def _acceptance(steer: SteerRequest, lane: str) -> str:
    return _message("accepted", steer, {}, lane)


def _failure(steer: SteerRequest, code: str, lane: str) -> str:
    error = {"type": "invalid_request_error", "code": code, "message": _WORDS[code]}
    return _message("failed", steer, {"error": error}, lane)


def _pending(steer: SteerRequest, items: Sequence[Json], lane: str) -> str:
    """The frame that names the calls of the response, as the items that must answer them."""
    required = [
        {"type": _OUTPUTS[item["type"]], "call_id": item.get("call_id")}
        for item in items
        if item.get("type") in _OUTPUTS
    ]
    return _message("pending", steer, {"reason": "waiting_for_required_input", "required_input": required}, lane)


def _cut(frames: Sequence[bytes]) -> bytes:
    """The event that ends a steered response after these frames."""
    events = [members(loads(event.data.encode())) for each in frames for event in SSE.events(each)]
    begun = next((members(event.get("response")) for event in events if "response" in event), {})
    output = [event.get("item") for event in events if event.get("type") == "response.output_item.done"]
    why = {"status": "incomplete", "incomplete_details": {"reason": "steered"}, "output": output}
    kind = "response.incomplete"
    return frame({"type": kind, "response": {**begun, **why}, "sequence_number": len(events)}, kind)


def _succeeds(body: bytes, response: str, inputs: Sequence[Any]) -> bytes:
    """The body that asks for the next response, with the settings of the steered one."""
    items = [item for each in inputs for item in items_of(each)]
    return encoded(compact({**loads(body), "previous_response_id": response, "input": items}))


def _in_front(body: bytes, inputs: Sequence[Any]) -> bytes:
    """The body with the earlier inputs in front of its own."""
    asked = json.loads(body)
    items = [item for each in inputs for item in items_of(each)]
    return encoded(compact({**asked, "input": [*items, *items_of(asked.get("input"))]}))


STEERING: Final = Steering(_acceptance, _failure, _pending, _cut, _succeeds, _in_front)
"""Steering on the Responses API."""

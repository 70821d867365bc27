"""A message sent back with every member that came, as by a client that dumps what its SDK has read.

Gateways add their own members for what Chat lacks (the signature of thinking), and clients send unknown members back.
The official SDK joins deltas by one rule for all members; so does this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import ENTRY, Json, Message, Opaque
from harness.wire.lenient import members, objects, string
from harness.wire.sse import SseParser

_OF_DELTAS = "index"
"""A member of deltas of a list that no message has."""

_REPLACED = ("index", "type")


def echoed(content_type: str, body: bytes, ids: Sequence[str]) -> tuple[Message, ...]:
    """``Wire.echoed``. Raises ``ValueError`` if the body is no answer."""
    message: Json = {"role": "assistant", "content": None}
    for delta in _deltas(body) if "event-stream" in content_type else _whole(body):
        _join(message, delta)
    native = {name: value for name, value in message.items() if value is not None or name == "content"}
    for call, call_id in zip(objects(native.get("tool_calls")), ids, strict=False):
        call.pop(_OF_DELTAS, None)
        call["id"] = string(call.get("id")) or call_id
    return (Message("assistant", (Opaque(ENTRY, {**native, "role": "assistant"}),), ""),)


def _deltas(body: bytes) -> Iterator[Json]:
    for event in SseParser().feed(body):
        if event.data.startswith("[DONE]"):
            return
        for choice in objects(members(loads(event.data)).get("choices")):
            if not choice.get("index"):
                yield members(choice.get("delta"))


def _whole(body: bytes) -> Iterator[Json]:
    yield from (members(choice.get("message")) for choice in objects(members(loads(body)).get("choices"))[:1])


def _join(into: Json, delta: Json) -> None:
    """Like the SDK's ``accumulate_delta``: joins texts, adds numbers, merges objects and the entries of lists."""
    for name, value in delta.items():
        before = into.get(name)
        if before is None or name in _REPLACED:
            into[name] = _own(value)
        elif isinstance(before, str) and isinstance(value, str):
            into[name] = before if name == "role" else before + value
        elif isinstance(before, dict) and isinstance(value, dict):
            _join(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            _join_lists(before, value)
        elif type(before) is type(value) and isinstance(value, int | float):
            into[name] = before + value


def _join_lists(into: list[Any], entries: Sequence[Any]) -> None:
    """Entries with an index go to that place. The SDK accepts no others; here others go to the end."""
    for entry in entries:
        index = entry.get(_OF_DELTAS) if isinstance(entry, dict) else None
        if isinstance(index, int) and 0 <= index < len(into) and isinstance(into[index], dict):
            _join(into[index], entry)
        else:
            into.append(_own(entry))


def _own(value: Any) -> Any:
    """A copy of the value that later deltas may change."""
    if isinstance(value, dict):
        return {name: _own(member) for name, member in value.items()}
    return [_own(each) for each in value] if isinstance(value, list) else value

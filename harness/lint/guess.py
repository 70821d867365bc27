"""Which wire a body belongs to, by what only one wire's requests have; and what a text is that is no request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.wire import NativeWireName, Wire, native_wires, wire
from harness.wire.base import Json


def history_names_of(wire: Wire) -> tuple[str, ...]:
    """The members of a body that contain or name the history. Every request of the wire has one of them."""
    return (wire.history, *wire.naming_history)


def guess_wires(body: Json, headers: Mapping[str, str]) -> tuple[NativeWireName, ...]:
    """The wires that the body may belong to: one if that is clear, none if the body is no request."""
    claims = {name: wire(name).claim(body, headers) for name in native_wires()}
    surest = max(claims.values())
    return tuple(name for name, claim in claims.items() if claim and claim == surest)


# --- what is no request -------------------------------------------------------------------------------------

_CASSETTE = "a cassette; 'harness lint-cassette' judges the requests in it"
_RESPONSE = "a response, not a request"

_OTHERS: tuple[tuple[str, Callable[[Json], bool]], ...] = (
    (_CASSETTE, lambda body: "interactions" in body or "http_interactions" in body),
    (_RESPONSE, lambda body: str(body.get("object")).startswith(("chat.completion", "response"))),
    (_RESPONSE, lambda body: body.get("type") == "message" and "stop_reason" in body),
    (_RESPONSE, lambda body: "candidates" in body or "choices" in body),
    ("an error answer of a provider, not a request", lambda body: isinstance(body.get("error"), dict | str)),
    ("an HTTP archive (HAR)", lambda body: isinstance(body.get("log"), dict) and "entries" in body["log"]),
)


def no_request(value: Any) -> str:
    """What a text or a parsed value is instead of a request; ``""`` if that is unknown."""
    if isinstance(value, str):
        if re.match(r"(?:---\s*\n)?(?:version:|interactions:|http_interactions:)", value):
            return _CASSETTE
        return "the events of a streamed response" if value.startswith(("event:", "data:")) else ""
    return next((kind for kind, fits in _OTHERS if fits(value)), "") if isinstance(value, dict) else ""

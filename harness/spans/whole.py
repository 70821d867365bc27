"""Spans with the provider's own request and response as JSON: OpenInference's instrumentations of SDKs write both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.lint.guess import guess_wires
from harness.lint.judging import LintedRequest
from harness.spans import TraceSpan
from harness.spans.kinds import sent_by_framework
from harness.spans.turns import Gap, WholeTurn
from harness.wire import Route, WireName, wire
from harness.wire.lenient import entries

HIDDEN: Final = "__REDACTED__"
"""The text by which OpenInference replaces content that it was asked to hide."""

_INPUT: Final = "input.value"
_OUTPUT: Final = "output.value"
_OF_THE_SDK: Final = frozenset(["extra_headers", "extra_query", "timeout", "betas", "event_handler"])
"""Arguments of SDKs that are no members of the body."""


def whole_turn(span: TraceSpan) -> WholeTurn | Gap | None:
    """The request of a span and its response; None if the source writes no whole requests."""
    text = span.attributes.get(_INPUT)
    if text is None:
        return Gap("cut by the recorder") if span.dropped and _OUTPUT in span.attributes else None
    if text == HIDDEN or (isinstance(text, str) and f'"{HIDDEN}"' in text):
        return Gap("hidden")
    recorded, is_cut = recorded_json(text)
    if is_cut:
        return Gap("cut by the recorder")
    if not isinstance(recorded, dict) or sent_by_framework(span):
        return None
    return _turn(span, recorded)


def recorded_json(value: Any) -> tuple[Any, bool]:
    """The value of an attribute with JSON, and whether it is cut off; a value that is no text stays unchanged."""
    if not isinstance(value, str):
        return value, False
    try:
        return loads(value), False
    except ValueError:
        return value, value.lstrip()[:1] in ("{", "[")


def _turn(span: TraceSpan, recorded: Mapping[str, Any]) -> WholeTurn | None:
    body = _without_sdk(recorded)
    names = guess_wires(body, {})
    name = names[0] if len(names) == 1 else _by_answer(names, span)
    if name is None:
        return None
    speaker = wire(name)
    body = speaker.from_client(body)
    model = str(body.get("model") or span.attributes.get("llm.model_name") or "").removeprefix("models/")
    if speaker.model_in_path:
        body.pop("model", None)
    elif model:
        body.setdefault("model", model)
    if not all(isinstance(each, dict) for each in entries(body.get(speaker.history))):
        return None
    response = _response(name, span)
    asked = LintedRequest(
        Route(name, model if speaker.model_in_path else None),
        {},
        json.dumps(body).encode("utf-8", "surrogatepass"),
        200 if response is not None else None,
        "application/json",
        response,
        _host(span),
    )
    return WholeTurn(asked)


def _without_sdk(recorded: Mapping[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in recorded.items() if name not in _OF_THE_SDK}
    extra = body.pop("extra_body", None)
    return {**body, **extra} if isinstance(extra, dict) else body


def _by_answer(names: tuple[WireName, ...], span: TraceSpan) -> WireName | None:
    """Which of several possible wires a request belongs to, judged by its recorded response."""
    answer, _ = recorded_json(span.attributes.get(_OUTPUT))
    if not isinstance(answer, dict):
        return None
    return next((name for name in names if wire(name).begins_answer(wire(name).from_client(answer))), None)


def _response(name: WireName, span: TraceSpan) -> bytes | None:
    """The response, if it is recorded whole."""
    answer, is_cut = recorded_json(span.attributes.get(_OUTPUT))
    if is_cut or not isinstance(answer, dict):
        return None
    body = wire(name).from_client(answer)
    return json.dumps(body).encode("utf-8", "surrogatepass") if wire(name).begins_answer(body) else None


def _host(span: TraceSpan) -> str:
    """The server that was asked, if the span contains it."""
    host = str(span.attributes.get("server.address") or "").lower()
    port = span.attributes.get("server.port")
    return f"{host}:{port}" if host and port not in (None, 443, "443") else host

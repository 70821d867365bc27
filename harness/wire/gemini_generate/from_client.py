"""Turns requests and responses in the form of Google's SDK, as tracers record them, into the bodies that are sent."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.gemini_generate.canonical import canonical
from harness.wire.lenient import Json, members

_OF_THE_BODY: Final = frozenset(
    ["systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier"]
)
"""Members of the SDK's configuration that a body has at its top; the others belong to its generationConfig."""

_OF_THE_SDK: Final = frozenset(["httpOptions", "automaticFunctionCalling", "shouldReturnHttpResponse"])
"""Members that only the SDK uses."""


def from_client(recorded: Json) -> Json:
    """The body of the request or response in the SDK's form; a body is unchanged."""
    body = {name: value for name, value in members(canonical(recorded)).items() if value is not None}
    if "contents" in body:
        body["contents"] = _contents(body["contents"])
    config = members(body.pop("config", None))
    for name, value in config.items():
        if value is None or name in _OF_THE_SDK:
            continue
        if name in _OF_THE_BODY:
            body[name] = _content(value, "") if name == "systemInstruction" else value
        else:
            body.setdefault("generationConfig", {})[name] = value
    return body


def _contents(value: Any) -> Any:
    """A list of contents: the SDK also accepts a single one, or texts and parts of the user."""
    entries = value if isinstance(value, list) else [value]
    return [_content(entry, "user") for entry in entries]


def _content(value: Any, role: str) -> Any:
    beside = {"role": role} if role else {}
    if isinstance(value, str):
        return {**beside, "parts": [{"text": value}]}
    if isinstance(value, dict) and "parts" not in value and "role" not in value:
        return {**beside, "parts": [value]}
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value

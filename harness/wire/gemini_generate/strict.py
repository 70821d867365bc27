"""The strict reader of ``generateContent``: it checks each chunk, then the whole candidate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from harness.finding import Finding
from harness.ground.bounded_json import loads
from harness.wire.gemini_generate import response_rules as rules
from harness.wire.gemini_generate.finish import name_of
from harness.wire.lenient import Json, members, objects, string
from harness.wire.response_rule import ReceivedResponse
from harness.wire.sse import SSE
from harness.wire.strict import BODY, ENVELOPE, body_of, numbered_events, repeated_ids, shown

_REASONS: Final = frozenset(
    {
        "FINISH_REASON_UNSPECIFIED",
        "STOP",
        "MAX_TOKENS",
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "OTHER",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MALFORMED_FUNCTION_CALL",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_OTHER",
        "NO_IMAGE",
        "IMAGE_RECITATION",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE",
        "MODEL_ARMOR",
        "CONTINUATION",
    }
)
_ENDS_WITHOUT_CALLS: Final = frozenset(("OTHER", "FINISH_REASON_UNSPECIFIED"))
"""Reasons that do not say why an answer with calls has ended. Others cut it off, or refuse its content."""

_TOO_LARGE: Final = 413
_SIGNS: Final = re.compile(r"(models/)?gemini-(3|[4-9]|\d\d)")
_SNAKE: Final = frozenset(
    {
        "finish_reason",
        "finish_message",
        "usage_metadata",
        "prompt_feedback",
        "model_version",
        "response_id",
        "function_call",
        "function_response",
        "thought_signature",
        "inline_data",
        "block_reason",
    }
)


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    problems: list[Finding] = []
    if response.status == _TOO_LARGE:  # Google's own front end says so, in HTML
        return
    if response.refused:
        body = body_of(_first_of_list(response), problems, ENVELOPE)
        yield from problems
        if body is not None and not isinstance(members(body.get("error")).get("message"), str):
            yield ENVELOPE.broken(BODY, expected="error.message", got=shown(body))
        return
    if SSE.is_stream(response.content_type):
        chunks = [(event.at(), event.data) for event in numbered_events(response, problems, rules.READABLE)]
    else:
        chunks = _documents(response, problems)
    yield from problems
    yield from _response(chunks, response)


def _first_of_list(response: ReceivedResponse) -> ReceivedResponse:
    """Google wraps the error of a stream in a list."""
    body = response.body.strip()
    inner = body.removeprefix(b"[").removesuffix(b"]") if body.startswith(b"[") else body
    return ReceivedResponse(response.content_type, inner, response.status)


def _documents(response: ReceivedResponse, problems: list[Finding]) -> list[tuple[str, Json]]:
    """The response, or the responses in the array of a stream without ``alt=sse``."""
    if response.body.lstrip().startswith(b"["):
        try:
            return [(f"[{number}]", each) for number, each in enumerate(objects(loads(response.body)))]
        except ValueError:
            pass
    body = body_of(response, problems, rules.READABLE)
    return [] if body is None else [(BODY, body)]


@dataclass(slots=True)
class _Candidate:
    """The first candidate as its chunks come."""

    parts: list[tuple[str, Json]] = field(default_factory=list)
    reason: str = ""
    at: str = ""
    failed: bool = False
    model: str = ""

    def chunk(self, at: str, chunk: Json) -> Iterator[Finding]:
        known = ("candidates", "promptFeedback", "usageMetadata", "error")
        if not any(chunk.get(name) for name in known):
            yield rules.CANDIDATE.broken(at, expected=" or ".join(known), got=shown(chunk))
        self.failed = self.failed or bool(chunk.get("error")) or bool(chunk.get("promptFeedback"))
        self.model = self.model or string(chunk.get("modelVersion"))
        for candidate in objects(chunk.get("candidates")):
            if not candidate.get("index"):
                yield from self._take(at, candidate)

    def _take(self, at: str, candidate: Json) -> Iterator[Finding]:
        parts = objects(members(candidate.get("content")).get("parts"))
        if self.reason and any(_says_something(part) for part in parts):
            yield rules.END.broken(at, expected=f"nothing behind {self.reason}", got=shown(parts))
        self.parts += [(f"{at}: parts[{number}]", part) for number, part in enumerate(parts)]
        found = candidate.get("finishReason")
        if found is None:
            return
        reason = name_of(found) if isinstance(found, int | str) else shown(found)  # a client may ask for numbers
        if self.reason and self.reason != "CONTINUATION":
            yield rules.END.broken(at, expected="one finishReason", got=f"{self.reason}, then {shown(reason)}")
        if reason not in _REASONS:
            yield rules.FINISH.broken(at, expected="a finishReason of the enumeration", got=shown(reason))
        self.reason, self.at = string(reason), at


def _says_something(part: Json) -> bool:
    return any(value for name, value in part.items() if name != "thoughtSignature")


def _response(chunks: list[tuple[str, Json]], response: ReceivedResponse) -> Iterator[Finding]:
    candidate = _Candidate()
    for at, chunk in chunks:
        yield from candidate.chunk(at, chunk)
        yield from _names(at, chunk)
    if not candidate.reason and not candidate.failed:
        yield rules.END.broken("the end", expected="a finishReason", got="none")
    calls = [(at, members(part["functionCall"]), part) for at, part in candidate.parts if "functionCall" in part]
    yield from _calls(calls, candidate, response)


def _calls(calls: list[tuple[str, Json, Json]], candidate: _Candidate, response: ReceivedResponse) -> Iterator[Finding]:
    whole = [each for each in calls if not _is_partial(each[1])]
    for at, call, _ in whole:
        if not string(call.get("name")) or not isinstance(call.get("args", {}), dict):
            yield rules.OBJECTS.broken(at, expected="a name, and args as an object", got=shown(call))
    yield from _partial(calls)
    named = [each for each in calls if string(each[1].get("name"))]
    if named and _SIGNS.match(candidate.model) and not string(named[0][2].get("thoughtSignature")):
        level = response.unsigned_level("call signature")
        yield rules.SIGNATURE.broken(named[0][0], expected="a thoughtSignature", got="none", level=level)
    if named and candidate.reason in _ENDS_WITHOUT_CALLS:
        yield rules.FINISH.broken(candidate.at, expected="STOP", got=candidate.reason)
    ids = [string(call.get("id")) for _, call, _ in named if call.get("id")]
    for each in repeated_ids(ids):
        yield rules.CALL_ID.broken(named[0][0], expected="an id for each call", got=f"{each} more than once")
    for at, call, _ in named:
        if string(call.get("id")) in response.earlier_ids:
            yield rules.CALL_ID.broken(at, expected="an id that no earlier call has", got=shown(call["id"]))


def _is_partial(call: Json) -> bool:
    return "partialArgs" in call or "willContinue" in call or not call


def _partial(calls: list[tuple[str, Json, Json]]) -> Iterator[Finding]:
    """A call that will continue ends with an empty functionCall, before another begins."""
    open_at = ""
    for at, call, _ in calls:
        if open_at and string(call.get("name")):
            yield rules.PARTIAL.broken(open_at, expected="an empty functionCall at its end", got="another call")
            open_at = ""
        if call.get("willContinue"):
            open_at = open_at or at
        elif not call or "partialArgs" in call:
            open_at = "" if not call else open_at
    if open_at:
        yield rules.PARTIAL.broken(open_at, expected="an empty functionCall at its end", got="none")


def _names(at: str, value: Any) -> Iterator[Finding]:
    """Reports members in snake_case, except in the arguments of a call, which belong to the tool."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name in _SNAKE:
            yield rules.NAMES.broken(at, expected="camelCase", got=name)
        if name not in ("args", "response"):
            yield from _names(at, inner)
    for inner in value if isinstance(value, list) else ():
        yield from _names(at, inner)

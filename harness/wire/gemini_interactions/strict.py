"""The strict reader of the Interactions API: the life of an interaction and of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from harness.finding import Finding
from harness.wire.gemini_interactions import response_rules as rules
from harness.wire.json_text import compact
from harness.wire.lenient import Json, members, objects, string
from harness.wire.response_rule import ReceivedResponse
from harness.wire.sse import SSE
from harness.wire.strict import (
    BODY,
    ENVELOPE,
    NumberedEvent,
    body_of,
    ends_cleanly,
    is_object_text,
    named_events,
    numbered_events,
    repeated_ids,
    shown,
)

_DONE: Final = "[DONE]"
_CALL: Final = "function_call"
_THOUGHT: Final = "thought"
_DELTAS: Final[Mapping[str, str]] = {
    "text": "model_output",
    "text_annotation_delta": "model_output",
    "thought_summary": _THOUGHT,
    "thought_signature": _THOUGHT,
    "arguments_delta": _CALL,
}
"""The step for each delta. Other deltas belong to tools that run on the server."""

_WHOLE: Final = ("requires_action", "completed")


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    problems: list[Finding] = []
    if not response.refused and SSE.is_stream(response.content_type):
        events = numbered_events(response, problems, ignored=(_DONE,))
        yield from problems
        yield from named_events(events)
        yield from _stream(events, response)
        return
    body = body_of(response, problems, ENVELOPE) if response.refused else body_of(response, problems)
    yield from problems
    if body is not None and (response.refused or "error" in body):
        if not isinstance(members(body.get("error")).get("message"), str):
            yield ENVELOPE.broken(BODY, expected="error.message", got=shown(body))
    elif body is not None:
        yield from _document(body, response)


@dataclass(slots=True)
class _StrictStep:
    """A step that is put together."""

    at: str
    native: Json
    arguments: str
    signed: bool
    stopped: bool = True

    @property
    def kind(self) -> str:
        return string(self.native.get("type"))


def _steps(steps: list[_StrictStep], status: str, response: ReceivedResponse) -> Iterator[Finding]:
    """Checks the steps when all of them have come. ``status`` is empty if the answer was cut off."""
    calls = [step for step in steps if step.kind == _CALL]
    for step in calls:
        if not string(step.native.get("name")) or (status in _WHOLE and not is_object_text(step.arguments)):
            got = f"{shown(step.native.get('name'))}, {shown(step.arguments)}"
            yield rules.CALL.broken(step.at, expected="a name, and a JSON object", got=got)
    for step in steps:
        if step.kind == _THOUGHT and not step.signed and status in _WHOLE:
            level = response.unsigned_level("thinking signature")
            yield rules.SIGNATURE.broken(step.at, expected="a signature", got="none", level=level)
    if calls and calls[-1] is steps[-1] and status == "completed":
        yield rules.STATUS.broken(calls[0].at, expected="requires_action", got=status)
    ids = [string(step.native.get("id")) for step in calls]
    if not all(ids):
        yield rules.ID.broken(calls[0].at, expected="an id for each call", got="a call without one")
    for each in repeated_ids([each for each in ids if each]):
        yield rules.ID.broken(calls[0].at, expected="an id for each call", got=f"{each} more than once")
    for step in calls:
        if string(step.native.get("id")) in response.earlier_ids:
            yield rules.ID.broken(step.at, expected="an id that no earlier call has", got=shown(step.native["id"]))


def _document(body: Json, response: ReceivedResponse) -> Iterator[Finding]:
    status = string(body.get("status"))
    if not status or not isinstance(body.get("steps"), list) or not isinstance(body.get("usage"), dict):
        yield rules.END.broken(BODY, expected="status, steps and usage", got=shown(body))
    steps = [
        _StrictStep(f"steps[{number}]", each, compact(each.get("arguments")), bool(each.get("signature")))
        for number, each in enumerate(objects(body.get("steps")))
    ]
    yield from _steps(steps, status, response)


@dataclass(slots=True)
class _StrictInteraction:
    """What a stream has brought so far."""

    created: bool = False
    failed: bool = False
    status: str = ""
    steps: list[_StrictStep] = field(default_factory=list)
    open: _StrictStep | None = None

    def feed(self, event: NumberedEvent) -> Iterator[Finding]:
        if event.kind != "error" and not self.created and event.kind != "interaction.created":
            yield rules.CREATED.broken(event.at(), expected="interaction.created first", got=event.kind)
            self.created = True
        if self.status and event.kind.startswith("step."):
            yield rules.END.broken(event.at(), expected="nothing behind interaction.completed", got=event.kind)
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            yield from handler(self, event)

    def create(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``interaction.created``."""
        if self.created:
            yield rules.CREATED.broken(event.at(), expected="one interaction.created", got="another")
        self.created = True

    def start(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``step.start``."""
        index = event.data.get("index")
        if index != len(self.steps) or self.open is not None:
            got = f"step {shown(index)}" + (" before the stop of another" if self.open else "")
            yield rules.STEP.broken(event.at("index"), expected=f"step {len(self.steps)}", got=got)
        step = members(event.data.get("step"))
        begun = compact(step["arguments"]) if step.get("arguments") else ""
        self.open = _StrictStep(event.at(), step, begun, bool(step.get("signature")))
        self.steps.append(self.open)

    def delta(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``step.delta``."""
        delta = members(event.data.get("delta"))
        kind = string(delta.get("type"))
        if self.open is None or event.data.get("index") != len(self.steps) - 1:
            got = f"a delta of step {shown(event.data.get('index'))}"
            yield rules.STEP.broken(event.at("index"), expected="a delta of the open step", got=got)
        elif _DELTAS.get(kind, self.open.kind) != self.open.kind:
            yield rules.DELTA.broken(event.at(), expected=f"a delta of {self.open.kind}", got=kind)
        elif kind == "arguments_delta":
            self.open.arguments += string(delta.get("arguments"))
        elif kind == "thought_signature":
            self.open.signed = bool(delta.get("signature"))

    def stop(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``step.stop``."""
        if self.open is None or event.data.get("index") != len(self.steps) - 1:
            got = f"the stop of step {shown(event.data.get('index'))}"
            yield rules.STEP.broken(event.at("index"), expected="the stop of the open step", got=got)
        if self.open is not None and self.open.kind == _CALL:
            self.open.arguments = self.open.arguments or "{}"
        self.open = None

    def complete(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``interaction.completed``."""
        interaction = members(event.data.get("interaction"))
        if self.open is not None:
            yield rules.STEP.broken(event.at(), expected="step.stop before it", got="none")
        self.status = string(interaction.get("status")) or "completed"
        if not interaction.get("status") or not isinstance(interaction.get("usage"), dict):
            yield rules.END.broken(event.at(), expected="status and usage", got=shown(interaction))

    def fail(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``error``."""
        self.failed = True
        if not isinstance(members(event.data.get("error")).get("message"), str):
            yield ENVELOPE.broken(event.at(), expected="error.message", got=shown(event.data))


_HANDLERS: Final = {
    "interaction.created": _StrictInteraction.create,
    "step.start": _StrictInteraction.start,
    "step.delta": _StrictInteraction.delta,
    "step.stop": _StrictInteraction.stop,
    "interaction.completed": _StrictInteraction.complete,
    "error": _StrictInteraction.fail,
}


def _stream(events: list[NumberedEvent], response: ReceivedResponse) -> Iterator[Finding]:
    interaction = _StrictInteraction()
    for event in events:
        yield from interaction.feed(event)
    if not interaction.failed and not interaction.status:
        yield rules.END.broken("the end", expected="interaction.completed", got="the stream ends without it")
    if interaction.status and not ends_cleanly(response, _DONE):
        yield rules.DONE.broken("the end", expected="data: [DONE]", got="the stream ends without it")
    yield from _steps(interaction.steps, interaction.status, response)

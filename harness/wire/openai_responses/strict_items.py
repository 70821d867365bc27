"""An item of a streamed response in the strict reader: it is added, filled part by part, and done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.finding import Finding, Level
from harness.ground.bounded_json import loads
from harness.wire.characters import joined
from harness.wire.lenient import Json, members, objects, string
from harness.wire.openai_responses import response_rules as rules
from harness.wire.response_rule import ResponseRule
from harness.wire.same_json import same_json
from harness.wire.strict import NumberedEvent, is_object_text, shown, whole_number

_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}


@dataclass(slots=True)
class _StrictPart:
    """A part of an item: its text from deltas and from ``done``, and whether it was added and is done."""

    added: bool = False
    pieces: list[str] = field(default_factory=list)
    text: str | None = None
    done: bool = False

    @property
    def joined(self) -> str:
        return joined("".join(self.pieces))


@dataclass(slots=True)
class StrictItem:
    """An item after ``output_item.added``. ``at`` is the event that adds it."""

    at: str
    begun: Json
    parts: dict[object, _StrictPart] = field(default_factory=dict)
    final: Json | None = None

    @property
    def kind(self) -> str:
        """Its type."""
        return string(self.begun.get("type"))

    @property
    def is_done(self) -> bool:
        """Whether ``output_item.done`` has come."""
        return self.final is not None

    def feed(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take an event that is about a part of it."""
        named, own = string(event.data.get("item_id")), string(self.begun.get("id"))
        if named and own and named != own:
            yield rules.ITEM_ID.broken(event.at("item_id"), expected=own, got=named)
        rule = rules.ARGUMENTS if self.kind in _ARGUMENTS else rules.PARTS
        if self.is_done:
            yield rule.broken(event.at(), expected="nothing behind output_item.done", got=event.kind)
        part = self.parts.setdefault(_key(event), _StrictPart())
        if event.kind.endswith("part.added"):
            part.added = True
        elif event.kind.endswith(".delta"):
            yield from self._delta(event, part)
        elif event.kind.endswith("part.done"):
            part.done = True
            yield from _same(event, part, _text(members(event.data.get("part"))))
        elif event.kind.endswith(".done"):
            text = next((event.data[name] for name in _TEXTS if isinstance(event.data.get(name), str)), None)
            part.text = text
            yield from _same(event, part, text, rule)

    def _delta(self, event: NumberedEvent, part: _StrictPart) -> Iterator[Finding]:
        if self.kind == "message" and not part.added:
            yield rules.PARTS.broken(event.at(), expected="content_part.added before it", got="none")
            part.added = True
        if part.text is not None:
            rule = rules.ARGUMENTS if self.kind in _ARGUMENTS else rules.PARTS
            yield rule.broken(event.at(), expected="nothing behind the text that is done", got=event.kind)
        part.pieces.append(string(event.data.get("delta")))

    def done(self, event: NumberedEvent, item: Json) -> Iterator[Finding]:
        """Take ``output_item.done``."""
        for name in ("id", "type", "call_id") if self.kind in _ARGUMENTS else ("id", "type"):
            if item.get(name) != self.begun.get(name):
                got = f"{shown(self.begun.get(name))}, then {shown(item.get(name))}"
                yield rules.ITEM_ID.broken(event.at(f"item.{name}"), expected="that of output_item.added", got=got)
        self.final = item
        yield from self._content_findings(event, item)

    def _content_findings(self, event: NumberedEvent, item: Json) -> Iterator[Finding]:
        """Compares the finished item with its events."""
        if self.kind in _ARGUMENTS:
            part = self.parts.get("arguments", _StrictPart())
            arguments = item.get(_ARGUMENTS[self.kind])
            if part.joined != arguments:
                got = f"{shown(part.joined)} in deltas, {shown(arguments)} in the item"
                level: Level | None = "SHOULD" if _same_value(part.joined, arguments) else None
                yield rules.ARGUMENTS.broken(event.at(), expected="the same arguments", got=got, level=level)
        elif self.kind == "message":
            for number, content in enumerate(objects(item.get("content"))):
                part = self.parts.get(("content_index", number), _StrictPart())
                if part.joined != _text(content):
                    got = f"{shown(part.joined)} in deltas, {shown(_text(content))} in the item"
                    yield rules.PARTS.broken(event.at(f"item.content[{number}]"), expected="the same text", got=got)

    def rest(self, *, cut: bool) -> Iterator[Finding]:
        """Reports what it lacks at the end of a response that did not fail."""
        if cut and not self.is_done:
            return
        if not self.is_done:
            level: Level | None = None if self.kind in (*_ARGUMENTS, "message") else "SHOULD"
            yield rules.LIFECYCLE.broken(self.at, expected="output_item.done", got="none", level=level)
        for key, part in self.parts.items():
            if key == "arguments":
                if part.text is None and not cut:
                    yield rules.ARGUMENTS.broken(self.at, expected="the arguments done", got="deltas only")
            elif self.kind == "message" and not cut and (part.text is None or not part.done):
                lacking = "the text done" if part.text is None else "content_part.done"
                yield rules.PARTS.broken(self.at, expected=lacking, got="none")

    def differs_from(self, final: Json) -> str:
        """How the item at the end of the response differs from this one; empty if it is the same."""
        own = self.final or {}
        for name in ("type", "id", "call_id", "name", "arguments", "input"):
            if own.get(name) != final.get(name) and not _same_value(own.get(name), final.get(name)):
                return f"{name}: {shown(own.get(name))}, then {shown(final.get(name))}"
        texts = [_text(part) for part in objects(own.get("content"))]
        ended = [_text(part) for part in objects(final.get("content"))]
        return "" if texts == ended else f"content: {shown(texts)}, then {shown(ended)}"


_TEXTS = ("text", "refusal", "arguments", "input")


def _same_value(one: object, other: object) -> bool:
    """Whether two texts are the same JSON object in different spellings."""
    if not (isinstance(one, str) and isinstance(other, str) and is_object_text(one) and is_object_text(other)):
        return False
    return same_json(loads(one), loads(other))


def _text(part: Json) -> str:
    return string(part.get("text")) or string(part.get("refusal"))


def _key(event: NumberedEvent) -> object:
    """Which part of its item an event is about."""
    if "call" in event.kind:
        return "arguments"
    name = "summary_index" if "summary" in event.kind else "content_index"
    # An event without an index breaks a rule of its own; what it says is then of the first part.
    return (name, whole_number(event.data.get(name)) or 0)


def _same(
    event: NumberedEvent, part: _StrictPart, text: str | None, rule: ResponseRule = rules.PARTS
) -> Iterator[Finding]:
    if text != part.joined:
        got = f"{shown(part.joined)} in deltas, {shown(text)} here"
        level: Level | None = "SHOULD" if "summary" in event.kind or _same_value(part.joined, text) else None
        yield rule.broken(event.at(), expected="what the deltas say", got=got, level=level)

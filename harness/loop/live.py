"""One model turn while it arrives: deltas in, events for the user out. Pure.

Text and thinking are emitted as they come. A call of a previewed tool is emitted early: its ``ToolStart`` as soon as
the string under ``content`` has opened, then the whole code so far, again and again, as it grows. Any other call
is emitted when it is run.

The whole code is sent each time, so a fixed step sends a page of n characters n / step times, which is quadratic. A
policy may let the step grow with the code. A sixteenth of the code limits everything sent for one page to about
seventeen times its length, and short pages keep the fine step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from harness.loop.partial_arguments import PartialArguments
from harness.loop.session import AssistantDelta, Delta, ToolCallDelta
from harness.trace import Assistant, Event, JsonValue, SetCode, Thinking, ToolStart


class Previews(Protocol):
    """What a live turn must know of the tools."""

    def previews(self, name: str) -> bool:
        """Whether the tool's ``content`` is shown as code while it arrives."""

    def summary(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return what the user sees of a call's arguments. Some of them may not have arrived yet."""


class LiveTurn:
    """What has been emitted of a turn while it arrives. The ids of its texts end with ``name``.

    ``waiting`` are the calls, id to name, whose ``ToolStart`` was emitted and whose ``ToolResult`` was not yet.
    """

    def __init__(self, name: str, tools: Previews, preview_step: int, preview_growth: int | None = 16) -> None:
        self.waiting: dict[str, str] = {}
        self._tools = tools
        self._step = preview_step
        self._growth = preview_growth
        self._assistant_id = f"assistant-{name}"
        self._thinking_id = f"thinking-{name}"
        self._calls: dict[str, _LiveCall | None] = {}

    def hear(self, delta: Delta) -> Sequence[Event]:
        """Return the events that ``delta`` leads to."""
        if isinstance(delta, ToolCallDelta):
            return self._hear_call(delta)
        if isinstance(delta, AssistantDelta):
            return (Assistant(delta.text, self._assistant_id),)
        return (Thinking(delta.text, self._thinking_id),)

    def _hear_call(self, delta: ToolCallDelta) -> Sequence[Event]:
        try:
            call = self._calls[delta.id]
        except KeyError:
            call = self._calls[delta.id] = self._begun(delta)
        events = call.feed(delta.arguments) if call else ()
        if events:
            self.waiting[delta.id] = delta.name
        return events

    def _begun(self, delta: ToolCallDelta) -> _LiveCall | None:
        return _LiveCall(delta, self._tools, self._step, self._growth) if self._tools.previews(delta.name) else None


class _LiveCall:
    """One call whose code the user sees while it arrives."""

    __slots__ = ("_due", "_growth", "_id", "_length", "_name", "_partial", "_shown", "_started", "_step", "_tools")

    def __init__(self, call: ToolCallDelta, tools: Previews, step: int, growth: int | None) -> None:
        self._id = call.id
        self._name = call.name
        self._tools = tools
        self._step = step
        self._growth = growth
        self._partial = PartialArguments(watch=("path", "content"))
        self._started = False
        self._restart()

    def _restart(self) -> None:
        """Begin without code. ``_length`` is the length of the code, ``_shown`` the length of the last preview, and at
        the length ``_due`` the next preview is emitted."""
        self._length = self._shown = 0
        self._due = 1

    def feed(self, arguments: str) -> Sequence[Event]:
        opened = self._take(arguments)
        due = self._length >= self._due or self._has_unshown_end()
        events: list[Event] = []
        if opened and not self._started:
            self._started = True
            events.append(ToolStart(self._id, self._name, self._summary()))
        if due:
            self._shown = self._length
            step = max(self._step, self._length // self._growth) if self._growth else self._step
            self._due = self._length + step
            events.append(SetCode(self._code, self._id, preview=True))
        return events

    def _take(self, arguments: str) -> bool:
        """Read on; return whether the string under ``content`` has begun."""
        opened = False
        for key, text in self._partial.feed(arguments):
            if key == "content":
                if not text:  # it begins, or begins again: a repeated key voids its earlier value
                    opened = True
                    self._restart()
                self._length += len(text)
        return opened

    def _has_unshown_end(self) -> bool:
        return self._shown < self._length and self._partial.complete("content")

    @property
    def _code(self) -> str:
        return self._partial.value("content") or ""

    def _summary(self) -> JsonValue:
        arguments: dict[str, JsonValue] = {"content": self._code}
        if self._partial.complete("path"):
            arguments["path"] = self._partial.value("path")
        return self._tools.summary(self._name, arguments)

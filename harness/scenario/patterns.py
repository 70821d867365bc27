"""One place of an event expression: which events it accepts, and how it and they are put into words.

    name        any event of that kind
    name(word)  an event whose field is that word; several words are separated by commas

Which words an event takes is the table ``EVENTS``; everything that reads or explains expressions uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.trace import RAISED, Event
from harness.trace.files import event_kind

_SHOWN = 60
"""How many characters of a text or an output a description shows."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a constraint may name.

    ``words`` are the only values it has, ``None`` if any word will do; ``quoted`` says that it is written in quotes.
    An event that has ``unknown`` there fits every constraint.
    """

    name: str
    read: Callable[[Any], str]
    words: tuple[str, ...] | None = None
    quoted: bool = False
    unknown: str | None = None

    def fits(self, event: Event, word: str) -> bool:
        """Whether the event has ``word`` there, or may have."""
        return self.read(event) in (word, self.unknown)


_TOOL = Field("tool name", lambda event: event.name)
_SUCCESS = {True: "ok", False: "failed", None: "unknown"}
_ENDS = ("completed", "truncated", "refused", "turn-limit", "deferred")
_TEXT = Field("whole text", lambda event: event.text, quoted=True)

EVENTS: Mapping[str, tuple[Field, ...]] = {
    "turnStart": (Field("turn number", lambda event: str(event.turn)),),
    "thinking": (_TEXT,),
    "assistant": (_TEXT,),
    "toolStart": (_TOOL,),
    "toolArguments": (_TEXT,),
    "setCode": (Field("stage", lambda event: "preview" if event.preview else "result", ("preview", "result")),),
    "toolResult": (_TOOL, Field("success", lambda event: _SUCCESS[event.ok], ("ok", "failed"), unknown=_SUCCESS[None])),
    "error": (Field("kind", lambda event: event.kind, unknown=RAISED),),
    "final": (Field("outcome", lambda event: event.outcome, _ENDS),),
}
"""Every event that an expression may name, with the fields that it may constrain."""


@dataclass(frozen=True, slots=True)
class EventPattern:
    """An event name with constraints: (field index, value) pairs in the order of the event's fields."""

    kind: str
    constraints: tuple[tuple[int, str], ...] = ()

    def accepts(self, event: Event) -> bool:
        """Return whether the event is of this kind and meets every constraint."""
        if event_kind(event) != self.kind:
            return False
        if not self.constraints:
            return True
        fields = EVENTS[self.kind]
        return all(fields[index].fits(event, value) for index, value in self.constraints)

    def __str__(self) -> str:
        if not self.constraints:
            return self.kind
        fields = EVENTS[self.kind]
        words = (_quoted_text(value) if fields[index].quoted else value for index, value in self.constraints)
        return f"{self.kind}({', '.join(words)})"


def describe(event: Event) -> str:
    """The event as a pattern would say it: ``toolResult(edit_file, failed)``."""
    fields = EVENTS[event_kind(event)]
    words = (_quoted_text(field.read(event)) if field.quoted else field.read(event) for field in fields)
    return f"{event_kind(event)}({', '.join(words)})"


def _quoted_text(text: str) -> str:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

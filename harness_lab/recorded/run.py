"""A run of a loop on a scripted model, as it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.cassette.recordings.recording import ForeignRecording
from harness.wire import NativeWireName
from harness.wire.base import Json


@dataclass(frozen=True, slots=True)
class ScriptedPart:
    """A piece of the model's turn. ``chunks`` joined are its text, or a tool call's arguments.

    ``id`` and ``name`` are None where the model sent null. ``unfinished``: the call was never closed.
    """

    kind: Literal["thinking", "text", "tool"]
    chunks: tuple[str, ...]
    id: str | None = None
    name: str | None = None
    signature: str = ""
    unfinished: bool = False

    @property
    def text(self) -> str:
        """The chunks joined."""
        return "".join(self.chunks)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model turn.

    ``cut_after`` counts the events after which the connection broke. ``deltas`` False: arguments came in one piece
    at their end. ``announced`` False: no event said that a call begins. ``ending``: with its terminal event, without
    it (``eof``), or with a failed response.
    """

    parts: tuple[ScriptedPart, ...]
    finish: Literal["stop", "length", "pause"] = "stop"
    cut_after: int | None = None
    deltas: bool = True
    announced: bool = True
    ending: Literal["complete", "eof", "failed"] = "complete"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP error: its status, headers and JSON body."""

    status: int
    headers: dict[str, str]
    body: Json


Answer = ModelAnswer | HttpAnswer


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One message to the user. ``value`` is the text of a delta or the code, ``data`` the details of a tool."""

    kind: Literal["assistant", "thinking", "setCode", "toolStart", "toolResult"]
    id: str
    value: str = ""
    data: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun(ForeignRecording):
    """A recording of one run of a loop on a scripted model.

    Its exchanges have no responses; ``script`` lists the model's answers. ``events`` are what the user was shown.
    ``error`` is None if the run ended with ``completion``. ``files`` are the files before the run, by their paths; None
    if the recording does not have them.
    """

    scenario: str
    wire: NativeWireName
    script: tuple[Answer, ...]
    events: tuple[RecordedEvent, ...]
    completion: str = ""
    error: str | None = None
    files: Mapping[str, str] | None = None

    def answer(self, request: int) -> Answer:
        """The answer to request number ``request`` (from 0). After its end, a script repeats its last answer."""
        return self.script[min(request, len(self.script) - 1)]

"""Events of AG-UI as records and events of a trace.

A chunk is read as start, content and end, like in the protocol's own client, and the older ``THINKING_...`` is read as
``REASONING_...``. An event with a wrong form is recorded with what is wrong, and makes no events of the trace. An event
of an unknown type makes none either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.agui.types import TYPES, fault_of
from harness.ground.bounded_json import loads
from harness.trace import (
    RAISED,
    AgUiRecord,
    Assistant,
    Event,
    Failure,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness.trace import (
    Final as RunFinal,
)

_OLDER: Final[Mapping[str, str]] = {
    "THINKING_START": "REASONING_START",
    "THINKING_END": "REASONING_END",
    "THINKING_TEXT_MESSAGE_START": "REASONING_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT": "REASONING_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END": "REASONING_MESSAGE_END",
}

_OPENS_CHUNK: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "TEXT_MESSAGE_CHUNK": ("messageId", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"),
    "TOOL_CALL_CHUNK": ("toolCallId", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"),
    "REASONING_MESSAGE_CHUNK": (
        "messageId",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
    ),
}
"""For each chunk the member with its id, and the types that it replaces: a start, content, and an end."""

_LEAVES_OPEN: Final = frozenset(
    {"RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"}
)
"""Events that may come between the chunks of one message."""

_ENDS_ALL: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"})
"""Events that end the chunked messages of all agents, and not only of their own agent."""

_OUTCOMES: Final[Mapping[str, str]] = {"interrupt": "deferred"}


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """A read event of AG-UI: its record, its members, and its events for a trace."""

    record: AgUiRecord
    members: Mapping[str, Any]
    events: tuple[Event, ...] = ()


class AgUiReader:
    """The events of one stream after another of a conversation. One reader knows the names of all its calls."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._foreign: set[str] = set()  # messages of somebody else than the model
        self._chunks: dict[str, tuple[str, str]] = {}  # by agent: type and id of the message that is arriving in chunks
        self._phases = 0
        self._open_phase = self._open_thought = ""
        self._unanswered: list[str] = []

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The ids of the calls that have had no result so far. The user's program may be the one to answer them: then
        the end of this run is not the end of the conversation."""
        return tuple(self._unanswered)

    def read(self, text: str) -> Iterator[ReadEvent]:
        """Read one event from its JSON."""
        try:
            value = loads(text)
        except ValueError as error:
            yield _wrong("", f"no JSON: {error}")
            return
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            yield _wrong("", "an event is an object with a text 'type'")
            return
        type = value["type"]
        if fault := fault_of(type, value):
            yield _wrong(type, fault)
            return
        for name, members in self._spelled_out(_OLDER.get(type, type), value):
            yield self._one(name, members)

    # --- chunks, and what older emitters send ---------------------------------------------------------------------

    def _spelled_out(self, type: str, members: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if type in _OPENS_CHUNK:
            yield from self._of_chunk(type, members)
            return
        if type in _ENDS_ALL:
            for owner in [*self._chunks]:
                yield from self._chunk_over(owner)
        elif type in TYPES and type not in _LEAVES_OPEN:
            yield from self._chunk_over(_owner(members))
        yield type, self._with_id(type, members)

    def _of_chunk(self, type: str, members: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        key, start, content, _ = _OPENS_CHUNK[type]
        id, owner = members.get(key), _owner(members)
        before = self._chunks.get(owner)
        if before is None or before[0] != type or id not in (None, before[1]):
            yield from self._chunk_over(owner)
            missing = [name for name in _first_chunk_needs(type) if members.get(name) is None]
            if missing:
                yield "", {"wrong": f"the first {type} of a message needs {missing[0]!r}, and has none"}
                return
            self._chunks[owner] = type, str(id)
            yield start, members
        if members.get("delta") is not None:
            yield content, {**members, key: self._chunks[owner][1]}

    def _chunk_over(self, owner: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if owner in self._chunks:
            type, id = self._chunks.pop(owner)
            key, _, _, end = _OPENS_CHUNK[type]
            yield end, {key: id, **({"subagentRunId": owner} if owner else {})}

    def _with_id(self, type: str, members: Mapping[str, Any]) -> Mapping[str, Any]:
        """The members of a REASONING event with an id, which older emitters do not send."""
        if "messageId" in members or not type.startswith("REASONING_") or type == "REASONING_ENCRYPTED_VALUE":
            return members
        if type.endswith("_START"):
            self._phases += 1
        if type == "REASONING_START":
            self._open_phase = f"phase-{self._phases}"
        elif type == "REASONING_MESSAGE_START":
            self._open_thought = f"thinking-{self._phases}"
        phase = type in ("REASONING_START", "REASONING_END")
        return {**members, "messageId": self._open_phase if phase else self._open_thought}

    # --- one event ------------------------------------------------------------------------------------------------

    def _one(self, type: str, members: Mapping[str, Any]) -> ReadEvent:
        if not type:
            return _wrong("", members["wrong"])
        id = members.get(TYPES[type].id) if type in TYPES else None
        record = AgUiRecord(
            type,
            id if isinstance(id, str) else "",
            _owner(members),
            _outcome(members) if type == "RUN_FINISHED" else "",
            calls=tuple(_known_calls(type, members)),
        )
        return ReadEvent(record, members, () if record.owner else tuple(self._events(type, record.id, members)))

    def _events(self, type: str, id: str, members: Mapping[str, Any]) -> Iterator[Event]:
        """The events of the trace for an event of the agent itself. (A subagent is another conversation.)"""
        match type:
            case "TEXT_MESSAGE_START" if members.get("role") not in (None, "assistant"):
                self._foreign.add(id)
            case "TEXT_MESSAGE_CONTENT" if id not in self._foreign:
                yield Assistant(members["delta"], id)
            case "REASONING_MESSAGE_CONTENT":
                yield Thinking(members["delta"], id)
            case "TOOL_CALL_START":
                self._names[id] = members["toolCallName"]
                self._unanswered.append(id)
                yield ToolStart(id, members["toolCallName"])
            case "TOOL_CALL_ARGS":
                yield ToolArguments(id, members["delta"])
            case "TOOL_CALL_RESULT":
                self.answered(id)
                yield ToolResult(id, self._names.get(id, ""), members["content"], ok=None)
            case "RUN_ERROR":
                yield Failure(RAISED, _error_text(members))
            case "RUN_FINISHED":
                yield _end(_outcome(members))

    def answered(self, id: str) -> None:
        """Note that a call has its result, from the stream or from the user's program."""
        self._unanswered = [each for each in self._unanswered if each != id]


def _owner(members: Mapping[str, Any]) -> str:
    """The run of the subagent that has sent an event; empty for the agent itself."""
    owner = members.get("subagentRunId")
    return owner if isinstance(owner, str) else ""


def _end(outcome: str) -> Event:
    if outcome == "cancelled":
        return Failure(RAISED, "the run was cancelled")
    return RunFinal("", _OUTCOMES.get(outcome, "completed"))


def _first_chunk_needs(type: str) -> tuple[str, ...]:
    return ("toolCallId", "toolCallName") if type == "TOOL_CALL_CHUNK" else ("messageId",)


def _wrong(type: str, why: str) -> ReadEvent:
    return ReadEvent(AgUiRecord(type, wrong=why), {})


def _outcome(members: Mapping[str, Any]) -> str:
    """How a run has finished: an object with a type. Emitters before version 1.0 send none."""
    outcome = members.get("outcome")
    kind = outcome.get("type") if isinstance(outcome, dict) else outcome
    return kind if isinstance(kind, str) else "success"


def _error_text(members: Mapping[str, Any]) -> str:
    code = members.get("code")
    return f"{code}: {members['message']}" if code else str(members["message"])


def _known_calls(type: str, members: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the calls in the event's messages: they may have been made in an earlier run."""
    holder = members.get("input") if type == "RUN_STARTED" else members
    messages = (
        holder.get("messages") if type in ("RUN_STARTED", "MESSAGES_SNAPSHOT") and isinstance(holder, dict) else ()
    )
    for message in messages if isinstance(messages, list) else ():
        calls = message.get("toolCalls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and isinstance(call.get("id"), str):
                yield call["id"]

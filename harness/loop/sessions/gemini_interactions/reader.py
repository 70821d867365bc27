"""A turn, folded from the SDK's events without I/O. The SDK puts no steps together and raises nothing for a failure."""

from __future__ import annotations

from typing import Any

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import unique_id
from harness.wire.base import Json
from harness.wire.characters import Pieces, joined, sendable, sendable_value
from harness.wire.content_blocks import call_input
from harness.wire.gemini_interactions.ends import ended, error_of, usage_of
from harness.wire.gemini_interactions.steps import CALL, OUTPUT, THOUGHT, done_calls, kind_of, summary_of
from harness.wire.gemini_interactions.words import GOES_ON
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string

_UNNAMED = "unknown_tool"
"""The API refuses a result without a name (INT-07), so one is given to a call that came without."""


class _OpenStep:
    """A step that is arriving. ``call`` is the call of a ``function_call``, as the user is shown it."""

    def __init__(self, native: Json, call: ToolCall | None) -> None:
        self.native = native
        self.call = call
        self.shown = Pieces()
        self.texts: list[str] = []


class InteractionReader:
    """Takes the events of one answer, or the whole of it, and gives deltas, then the turn.

    ``taken`` are the ids of the run's calls so far, and those of this turn are added: a call without an id, or with one
    that was used before, gets an invented one, under which it goes back. ``issued`` are the steps as the provider holds
    them.
    """

    def __init__(self, taken: set[str]) -> None:
        self._call_ids = taken
        self._open: dict[Any, _OpenStep] = {}
        self._steps: list[_OpenStep] = []
        self._interaction: Json = {}
        self.ended = False

    @property
    def id(self) -> str:
        """The id of the interaction; empty where it is not stored."""
        return string(self._interaction.get("id"))

    @property
    def continuation(self) -> str:
        """The token by which the answer goes on; empty where it is over."""
        return string(self._interaction.get(GOES_ON))

    @property
    def issued(self) -> list[Json]:
        """The steps as they came."""
        return [step.native for step in self._steps]

    def feed(self, event: Any) -> list[Delta]:
        """The deltas of one event; one that the API does not have says nothing.

        Raises ``StreamFailed`` for an error, and for what is no JSON, which comes as a text.
        """
        kind = getattr(event, "event_type", "")
        if isinstance(event, str):
            raise StreamFailed(f"an event is no JSON: {event[:80]!r}")
        if kind in ("interaction.created", "interaction.completed"):
            self._interaction |= _plain(event.interaction)
            self.ended = kind == "interaction.completed"
            return [delta for step in self._open.values() for delta in self._stop(step)]  # some servers stop no step
        elif kind == "step.start":
            deltas = self._stop(self._open.pop(event.index, None))
            self._begin(event.index, _plain(event.step))
            return deltas
        elif kind == "step.delta" and event.index in self._open:
            return self._delta(self._open[event.index], _plain(event.delta))
        elif kind == "step.stop":
            return self._stop(self._open.pop(event.index, None))
        elif kind == "error":
            error = error_of(_plain(event.error))
            raise StreamFailed(f"{error.kind}: {error.message}")
        return []

    def feed_whole(self, interaction: Any) -> list[Delta]:
        """The deltas of an answer that came in one document."""
        self._interaction, self.ended = _plain(interaction), True
        deltas: list[Delta] = []
        for number, native in enumerate(objects(self._interaction.pop("steps", None))):
            arguments = native.get("arguments")
            self._begin(number, native)
            step = self._open[number]
            if step.call is not None:
                text = arguments if isinstance(arguments, str) else compact(arguments or {})
                deltas += self._piece(step, text)
            elif kind_of(native) in (OUTPUT, THOUGHT):
                deltas += self._shown(step, summary_of(native) or _text_of(native))
            deltas += self._stop(self._open.pop(number))
        return deltas

    def finish(self) -> ProviderTurn:
        """The whole turn, once the answer is over.

        Raises ``StreamFailed`` for an error in it, a status that leaves nothing to work with, or no end.
        """
        done = done_calls(self.issued)  # what an agent has run itself is not run again
        calls = tuple(step.call for step in self._steps if step.call is not None and step.native.get("id") not in done)
        stop, error, whole = ended(self._interaction, has_calls=bool(calls))
        if not (self.ended and whole):
            raise StreamFailed("the answer ended before its end was said")
        if error is not None:
            raise StreamFailed(f"the interaction failed: {error.message or error.kind}")
        return ProviderTurn(
            assistant_text="".join(step.shown.text for step in self._steps if kind_of(step.native) == OUTPUT),
            tool_calls=calls,
            assistant_turn=[_going_back(step) for step in self._steps],
            stop=stop,
            thinking_text="".join(step.shown.text for step in self._steps if kind_of(step.native) == THOUGHT),
            usage=usage_of(self._interaction.get("usage")),
            model=sendable(string(self._interaction.get("model"))),
        )

    # --- steps ----------------------------------------------------------------------------------------------

    def _begin(self, index: Any, native: Json) -> None:
        call = None
        if kind_of(native) == CALL:
            id_ = unique_id(native.get("id"), self._call_ids, "call-{}")
            self._call_ids.add(id_)
            call = ToolCall(id_, sendable(string(native.get("name"))) or _UNNAMED, "")
        self._open[index] = _OpenStep(native, call)
        self._steps.append(self._open[index])

    def _delta(self, step: _OpenStep, delta: Json) -> list[Delta]:
        kind = kind_of(delta)
        if kind == "arguments_delta":
            return self._piece(step, string(delta.get("arguments")))
        if kind == "text":
            _append_text(step.native, string(delta.get("text")))
            return self._shown(step, string(delta.get("text")))
        if kind == "thought_summary":
            text = string(members(delta.get("content")).get("text"))
            step.native["summary"] = [{"type": "text", "text": joined(summary_of(step.native) + text)}]
            return self._shown(step, text)
        if kind == "thought_signature":
            step.native["signature"] = delta.get("signature")
        elif kind == "text_annotation_delta":
            _append_text(step.native, "")
            step.native["content"][-1].setdefault("annotations", []).extend(entries(delta.get("annotations")))
        elif kind_of(step.native) == OUTPUT:
            step.native.setdefault("content", []).append(delta)
        else:  # of a server tool, or of a kind that is new
            step.native.update({name: value for name, value in delta.items() if name != "type"})
        return []

    def _piece(self, step: _OpenStep, text: str) -> list[Delta]:
        step.texts.append(text)
        piece = step.shown.push(text)
        return [ToolCallDelta(step.call.id, step.call.name, piece)] if piece and step.call is not None else []

    def _shown(self, step: _OpenStep, text: str) -> list[Delta]:
        return _deltas_of(step, step.shown.push(text))

    def _stop(self, step: _OpenStep | None) -> list[Delta]:
        """What was held back of a step that has ended, and the arguments of its call."""
        if step is None:
            return []
        rest = step.shown.end()
        if step.call is None:
            return _deltas_of(step, rest)
        begun = step.native.get("arguments")
        text = joined("".join(step.texts)) or (compact(begun) if begun else "")
        step.native["arguments"] = call_input(text)
        step.call = ToolCall(step.call.id, step.call.name, sendable(text))
        return [ToolCallDelta(step.call.id, step.call.name, rest)] if rest else []


def _deltas_of(step: _OpenStep, text: str) -> list[Delta]:
    if not text:
        return []
    return [ThinkingDelta(text) if kind_of(step.native) == THOUGHT else AssistantDelta(text)]


def _going_back(step: _OpenStep) -> Json:
    """The step as it goes back: a call under the id and the name that the loop knows it by."""
    if step.call is None:
        native: Json = sendable_value(step.native)
        return native
    arguments = sendable_value(step.native.get("arguments", {}))
    return {**step.native, "id": step.call.id, "name": step.call.name, "arguments": arguments}


def _append_text(native: Json, text: str) -> None:
    content = native.setdefault("content", [])
    if not content or kind_of(content[-1]) != "text":
        content.append({"type": "text", "text": ""})
    content[-1]["text"] = joined(content[-1]["text"] + text)


def _text_of(native: Json) -> str:
    return "".join(string(each.get("text")) for each in objects(native.get("content")) if kind_of(each) == "text")


def _plain(value: Any) -> Json:
    """What the SDK has built, as JSON; what it does not know it keeps as it came."""
    if value is None:
        return {}
    plain: Any = value.model_dump(mode="json", exclude_none=True, by_alias=True)
    return members(plain)

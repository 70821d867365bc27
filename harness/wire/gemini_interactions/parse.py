"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply.

The end of a stream has no steps: they are put together from the deltas, the signature of a thought among them.
Unknown events, steps and deltas are left alone. After a continuation by the SDK the indices begin anew, so a step is
known by its index only until it stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.characters import joined
from harness.wire.content_blocks import call_input
from harness.wire.gemini_interactions.claim import begins_answer
from harness.wire.gemini_interactions.ends import ended, error_of, usage_of
from harness.wire.gemini_interactions.steps import CALL, OUTPUT, THOUGHT, done_calls, kind_of, parts_of_steps
from harness.wire.gemini_interactions.words import GOES_ON, NAME
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string
from harness.wire.sse import SSE, parse_events
from harness.wire.turn import StreamError, Turn
from harness.wire.wrong_shapes import refusing_wrong_shapes

__all__ = ["begins_answer", "parse"]


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply that a response body says.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An error event, the status
    ``failed`` and the document of an error become ``turn.error``. Raises ``ValueError`` when the body is neither, and
    for an event that is no JSON, since nobody knows what it has said.
    """
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if SSE.is_stream(content_type):
        return _parse_stream(body)
    if start not in (b"{", b""):
        raise ValueError(f"neither a stream of events nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


# --- a stream -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _StepPieces:
    """A step that is still arriving: its native form, and the pieces of its texts."""

    native: Json
    arguments: list[str] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    content: list[tuple[Json, list[str]]] = field(default_factory=list)

    def add(self, delta: Json) -> None:
        kind = kind_of(delta)
        if kind == "arguments_delta":
            self.arguments.append(string(delta.get("arguments")))
        elif kind == "text":
            self._text().append(string(delta.get("text")))
        elif kind == "text_annotation_delta":
            self._text()
            self.content[-1][0].setdefault("annotations", []).extend(entries(delta.get("annotations")))
        elif kind == "thought_summary":
            self.summary.append(string(members(delta.get("content")).get("text")))
        elif kind == "thought_signature":
            self.native["signature"] = delta.get("signature")
        elif kind_of(self.native) == OUTPUT:
            self.content.append((dict(delta), []))
        else:  # the arguments or the result of a server tool
            self.native.update({name: value for name, value in delta.items() if name != "type"})

    def _text(self) -> list[str]:
        """The pieces of the text that is arriving."""
        if not self.content or kind_of(self.content[-1][0]) != "text":
            self.content.append(({"type": "text"}, []))
        return self.content[-1][1]

    def finish(self) -> tuple[Json, str | None]:
        """The whole step, and a call's arguments text as it was streamed."""
        kind = kind_of(self.native)
        if kind == CALL:
            begun = self.native.get("arguments")
            text = joined("".join(self.arguments)) or (compact(begun) if begun else "")
            return {**self.native, "arguments": call_input(text)}, text
        if kind == THOUGHT and self.summary:
            return {**self.native, "summary": [{"text": joined("".join(self.summary)), "type": "text"}]}, None
        if kind == OUTPUT:
            return {**self.native, "content": self._contents()}, None
        return self.native, None

    def _contents(self) -> list[Json]:
        """The contents that deltas have brought, behind those with which the step has begun."""
        begun = objects(self.native.get("content"))
        return [
            *begun,
            *({**native, "text": joined("".join(texts))} if kind_of(native) == "text" else native
              for native, texts in self.content),
        ]  # fmt: skip


class _ReceivedSteps:
    """What the events so far have said."""

    def __init__(self) -> None:
        self.interaction: Json = {}
        self.error: StreamError | None = None
        self.steps: list[_StepPieces] = []
        self._open: dict[Any, _StepPieces] = {}

    def feed(self, event: Json) -> None:
        kind, index = event.get("event_type"), event.get("index")
        if kind in ("interaction.created", "interaction.completed"):
            self.interaction = {**self.interaction, **members(event.get("interaction"))}
        elif kind == "step.start":
            self.steps.append(_StepPieces(dict(members(event.get("step")))))
            self._open[index] = self.steps[-1]
        elif kind == "step.delta" and index in self._open:
            self._open[index].add(members(event.get("delta")))
        elif kind == "step.stop":
            self._open.pop(index, None)
        elif kind == "error":
            self.error = self.error or error_of(event.get("error"))

    def reply(self) -> Reply:
        finished = [step.finish() for step in self.steps]
        return _reply(self.interaction, [step for step, _ in finished], [text for _, text in finished], self.error)


def _parse_stream(body: bytes) -> Reply:
    received = _ReceivedSteps()
    for number, event in enumerate(parse_events(body), 1):
        try:
            data = loads(event.data)
        except ValueError:
            if event.data.strip() != "[DONE]":
                raise ValueError(f"event {number} is not JSON: {event.data[:80]!r}") from None
            continue
        if isinstance(data, dict):
            received.feed(data)
    return received.reply()


def _reply(
    interaction: Json, steps: Sequence[Json], arguments: Sequence[str | None], error: StreamError | None
) -> Reply:
    results = done_calls(steps)
    has_calls = any(kind_of(step) == CALL and step.get("id") not in results for step in steps)
    stop, failed, done = ended(interaction, has_calls=has_calls)
    error = error or failed
    complete = done and error is None
    turn = Turn(
        parts=parts_of_steps(steps, arguments),
        stop=stop,
        usage=usage_of(interaction.get("usage")),
        error=error,
        ending="complete" if complete or error else "eof",
    )
    names = string(interaction.get("id")), string(interaction.get("model"))
    goes_on = string(interaction.get(GOES_ON))
    return Reply(NAME, *names, tuple(steps), turn, complete, continuation=goes_on, done_calls=results)


# --- a document ---------------------------------------------------------------------------------------------


def _parse_document(body: bytes) -> Reply:
    try:
        answer = loads(body)
    except ValueError:
        # A document that begins like one and is none was cut: nothing of it can be used.
        return _reply({}, (), (), None)
    if isinstance(answer.get("error"), dict) and "steps" not in answer:
        return _reply({}, (), (), error_of(answer["error"]))
    if "status" not in answer and "steps" not in answer:
        raise ValueError("a JSON object without status and steps is no interaction")
    steps = objects(answer.get("steps"))
    return _reply(answer, steps, [None] * len(steps), None)

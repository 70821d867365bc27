"""Runs that are written down without a loop: a model's turns, and what a plain loop would emit and send of them.

Every call is run and answered, the calls of a turn one after another, and text is emitted as a whole. A small run
is such a run in which one thing is otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from harness.rules.arguments import members
from harness.trace import (
    Assistant,
    CallerRecord,
    Case,
    Event,
    EventRecord,
    Final,
    JsonValue,
    Record,
    RequestRecord,
    ResponseRecord,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Message,
    Opaque,
    Refusal,
    Rendered,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    wire,
)

MODELS: Mapping[WireName, str] = {
    "openai-responses": "gpt-5.2",
    "openai-chat": "gpt-5.2",
    "text-tags": "qwen3",
    "anthropic-messages": "claude-sonnet-4-6",
    "gemini-generate": "gemini-3-pro-preview",
    "gemini-interactions": "gemini-3.8-flash",
}
SYSTEM, USER = "You pilot ships.", "May we enter the basin before noon?"

_BASIN = {"type": "object", "properties": {"basin": {"type": "string"}}, "required": ["basin"]}
TOOLS = (
    ToolDeclaration("depth", "The depth of a basin.", _BASIN),
    ToolDeclaration("tide", "The tide in a basin.", _BASIN),
    ToolDeclaration("enter", "Enters a basin.", _BASIN),
)

_COMPLETED = Final("")


def call(name: str, id: str | None = None, /, **arguments: Any) -> Call:
    """A call of a tool."""
    return Call(name, json.dumps(arguments), id)


def says(text: str) -> Turn:
    """A turn that only says something."""
    return Turn((Text(text),))


@dataclass(frozen=True)
class PlainRun:
    """What is played. ``outputs`` are what tools return, by name; those in ``failing`` fail with it.

    ``case`` are members of the trace's case; ``outcome`` is that of the run. ``silent``: nothing is emitted. ``ids``
    are what calls go back under that the model gave no id. ``stops_at`` is a turn after whose calls nothing is asked.
    A turn with calls stops to have them run, unless it ``stops_as_written``. ``acts`` are what the caller does in front
    of a turn, by its number: what the user says then is in the requests behind it. ``model`` is one of the wire's with
    which the run begins, where it is not that of ``MODELS``.
    """

    turns: tuple[Turn, ...]
    outputs: Mapping[str, JsonValue] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    tools: tuple[ToolDeclaration, ...] = TOOLS
    case: Mapping[str, Any] = field(default_factory=dict)
    prompt: tuple[tuple[str, str], ...] = (("system", SYSTEM), ("user", USER))
    end: Event | None = _COMPLETED
    silent: bool = False
    stops_at: int = 0
    stops_as_written: bool = False
    acts: Mapping[int, Sequence[CallerRecord]] = field(default_factory=dict)
    model: str = ""
    _played: dict[WireName, Trace] = field(default_factory=dict, init=False, repr=False, compare=False)

    def on(self, name: WireName) -> Trace:
        """The run on a wire, played once."""
        if name not in self._played:
            self._played[name] = _Player(self, name).played()
        return self._played[name]


class _Player:
    def __init__(self, run: PlainRun, name: WireName) -> None:
        self.run = run
        self.wire = wire(name)
        self.model = run.model or MODELS[name]
        self.case = replace(Case(f"small_run.{name}", "small_run", name), **run.case)
        self.identity = Identity("small_run")
        self.records: list[Record] = []
        self.exchange: int | None = None
        self.offset = 0

    def played(self) -> Trace:
        messages = tuple([Message(role, (Text(text),), "") for role, text in self.run.prompt])  # type: ignore[arg-type]
        first = 1
        for number, turn in enumerate(self.run.turns, 1):
            acts = self.run.acts.get(number, ())
            if any(act.did == "run" for act in acts):
                first = number
            for act in acts:
                messages = self._after(act, messages, self.run.turns[number - 2])
            self._emit(TurnStart(number - first + 1))
            calls_tools = bool(turn.calls) and turn.stop is FinishReason.END and not self.run.stops_as_written
            ending = replace(turn, stop=FinishReason.TOOL_CALLS) if calls_tools else turn
            asked, rendered = self._ask(messages, ending)
            self._emit_turn(rendered, number)
            calls = rendered.reply.turn.calls
            ids = [each.id or f"own-{number}-{at}" for at, each in enumerate(calls)]
            results = [self._run(each, id) for each, id in zip(calls, ids, strict=True)]
            if number == self.run.stops_at:
                break
            answered = self.wire.answers(rendered.reply, ids, results) if results else ()
            messages = (*asked.messages, *self.wire.returned(rendered.reply, ids), *answered)
        self._end(self.run.turns[-1])
        return Trace(self.case, tuple(self.records))

    def _after(self, act: CallerRecord, messages: tuple[Message, ...], before: Turn) -> tuple[Message, ...]:
        """The history behind what the caller does, which ends the run that went on till then, or begins another."""
        last = self.records[-1]
        if act.did == "run" and not (isinstance(last, CallerRecord) and last.did == "cancel"):
            self._end(before)
        self.records.append(act)
        if act.wire or act.model:
            messages = self._unsigned(messages, regrouped=bool(act.wire))
            self.wire = wire(act.wire or self.wire.name)
            self.model = act.model or MODELS[self.wire.name]
        return (*messages, Message("user", (Text(act.text),), "")) if act.text else messages

    def _unsigned(self, messages: tuple[Message, ...], *, regrouped: bool) -> tuple[Message, ...]:
        """The history without what only the model that wrote it can read; ``regrouped``: as any wire can say it."""
        written = self.wire.write(self._conversation(messages))
        route = self.wire.route("POST", written.path)
        assert route is not None  # noqa: S101 - the wire has written it
        read = self.wire.read(route, written.body, {}).messages
        unsigned = [Message(each.role, tuple(map(_without_signature, _portable(each))), "") for each in read]
        return tuple(_regrouped(unsigned) if regrouped else unsigned)

    def _conversation(self, messages: tuple[Message, ...]) -> Conversation:
        settings = dict(self.wire.settings)
        return Conversation(self.wire.name, self.model, True, messages, self.run.tools, body=settings)

    def _emit(self, *events: Event) -> None:
        if not self.run.silent:
            self.records += [EventRecord(event, self.exchange, self.offset) for event in events]

    def _ask(self, messages: tuple[Message, ...], turn: Turn) -> tuple[Conversation, Rendered]:
        conversation = self._conversation(messages)
        written = self.wire.write(conversation)
        self.exchange = 0 if self.exchange is None else self.exchange + 1
        self.offset = 0
        self.records.append(RequestRecord(self.exchange, "POST", written.path, {}, written.body))
        rendered = self.wire.render(turn, self.identity, conversation)
        self.records.append(ResponseRecord(self.exchange, 200, {"content-type": rendered.content_type}, rendered.body))
        self.offset = len(rendered.body)
        return conversation, rendered

    def _emit_turn(self, rendered: Rendered, number: int) -> None:
        for part in rendered.reply.turn.parts:
            if isinstance(part, ThinkingPart) and part.text:
                self._emit(Thinking(part.text, f"thinking-{number}"))
            elif isinstance(part, Text) and part.text:
                self._emit(Assistant(part.text, f"text-{number}"))

    def _run(self, made: Call, id: str) -> Result:
        ok = made.name not in self.run.failing
        output = self.run.outputs.get(made.name, {"done": made.name})
        self._emit(ToolStart(id, made.name, members(made.arguments)), ToolResult(id, made.name, output, ok))
        return Result(id, json.dumps(output), made.name, is_error=not ok)

    def _end(self, turn: Turn) -> None:
        end = self.run.end
        if isinstance(end, Final) and end.text is None and turn.text:
            end = replace(end, text=turn.text)
        if end is not None:
            self._emit(end)


def _portable(message: Message) -> Iterator[Text | Call | Refusal | Result]:
    return (part for part in message.parts if not isinstance(part, ThinkingPart | Opaque))


def _without_signature(part: Text | Call | Refusal | Result) -> Text | Call | Refusal | Result:
    return replace(part, signature="") if isinstance(part, Text | Call) else part


def _regrouped(messages: Sequence[Message]) -> Iterator[Message]:
    """The parts of a turn in one message, each result in one of its own."""
    parts = [(message.role, part) for message in messages for part in message.parts]
    for (role, is_result), group in groupby(parts, key=lambda each: (each[0], isinstance(each[1], Result))):
        joined = [part for _, part in group]
        yield from (Message(role, (each,), "") for each in joined) if is_result else [Message(role, tuple(joined), "")]

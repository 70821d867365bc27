"""A request in the parts that are compared, in words that all wires share; the rest as members of its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.cassette.match_key import canonical_text
from harness.cassette.misses.differences import place
from harness.endpoint.recognition import Opening, RecognisedRequest
from harness.ground.bounded_json import SHALLOW, loads
from harness.ground.json_places import Step
from harness.report.diff.asked.settled import SettledTexts
from harness.trace import RequestRecord
from harness.wire import Call, Conversation, Message, Opaque, Refusal, Result, Text, ThinkingPart, Wire, route_of, wire
from harness.wire.base import UnreadableRequest

_NOT_COMPARED: Final = frozenset({"content-length", "host", "connection", "traceparent", "tracestate"})
"""Headers about where a request goes and how long it is."""

_DEEPEST: Final = 4
"""The most levels of lists and objects around the declaration of a tool."""


@dataclass(frozen=True, slots=True)
class AskedTool:
    """A tool as a request declares it; ``others`` are members that only its wire has (``strict``)."""

    description: str
    schema: Mapping[str, Any]
    others: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HistoryBlock:
    """One part of the history. ``kind`` names its author and its type: ``user text``, ``result of read``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A request of a run. ``at`` is the index of its record, ``conversation`` as in the trace.

    ``entries`` are the numbers of blocks in each entry of the history. ``others`` are the members of the body that are
    no prompt, tool or history, by their places. ``marks`` are the places of cache marks; places in the history are
    counted from its end.
    """

    at: int
    conversation: int | None
    endpoint: str
    system: str
    tools: Mapping[str, AskedTool]
    blocks: tuple[HistoryBlock, ...]
    entries: tuple[int, ...]
    marks: tuple[str, ...]
    others: Mapping[str, Any]
    headers: Mapping[str, str]
    opening: Opening
    content: str


def read(at: int, record: RequestRecord, settled: SettledTexts) -> AskedRequest | None:
    """The request of a record with its texts settled; None if it does not go to a model, or cannot be read."""
    route = route_of(record.method, record.path)
    if route is None:
        return None
    speaks = wire(route.wire)
    try:
        body = loads(record.body, SHALLOW)
        conversation = speaks.read(route, record.body, record.headers)
    except (ValueError, UnreadableRequest):
        return None
    names = {call.id: call.name for message in conversation.messages for call in message.calls}
    beginning = _length_of_prompt(conversation.messages)
    entries = [list(_blocks(message, names, speaks)) for message in conversation.messages[beginning:]]
    system, user = RecognisedRequest(conversation).opening
    return AskedRequest(
        at=at,
        conversation=record.conversation,
        endpoint=settled.text(f"{record.method} {record.path.partition('?')[0]}"),
        system=settled.text("\n".join(message.text for message in conversation.messages[:beginning])),
        tools={name: _settled_tool(tool, settled) for name, tool in _tools(conversation, body, speaks)},
        blocks=tuple(HistoryBlock(block.kind, settled.text(block.text)) for entry in entries for block in entry),
        entries=tuple(map(len, entries)),
        marks=tuple(sorted(_marks(body, speaks))),
        others={name: settled.value(value) for name, value in _others(conversation, speaks).items()},
        headers={
            name: settled.header(name, value)
            for name, value in record.headers.items()
            if name.lower() not in _NOT_COMPARED
        },
        opening=(settled.text(system), settled.text(user)),
        content=settled.text(canonical_text(body)),
    )


# --- prompt and history ---------------------------------------------------------------------------------------


def _length_of_prompt(messages: Sequence[Message]) -> int:
    """How many messages at the beginning are the system prompt."""
    return next((number for number, each in enumerate(messages) if each.role != "system"), len(messages))


def _blocks(message: Message, names: Mapping[str | None, str], speaks: Wire) -> Iterator[HistoryBlock]:
    for part in message.parts:
        match part:
            case Text(text) | Refusal(text):
                yield HistoryBlock(f"{message.role} text", text)
            case ThinkingPart(text, form, signature):
                yield HistoryBlock("thinking", text or f"({form}) {signature}")
            case Call(name, arguments):
                yield HistoryBlock(f"call of {name}", _canonical(arguments))
            case Result(id, output, name):
                yield HistoryBlock(f"result of {name or names.get(id) or 'a call'}", output)
            case Opaque(kind, native) if kind not in speaks.cache_marks:
                yield HistoryBlock(f"{message.role} {kind}", canonical_text(_without_marks(native, speaks)))


def _canonical(arguments: str) -> str:
    """Arguments in canonical form: white space makes no difference."""
    try:
        return canonical_text(loads(arguments, SHALLOW))
    except ValueError:
        return arguments


# --- tools ----------------------------------------------------------------------------------------------------


def _tools(conversation: Conversation, body: Any, speaks: Wire) -> Iterator[tuple[str, AskedTool]]:
    declared = {tool.name: tool for tool in conversation.tools}
    native = {} if not isinstance(body, dict) else _entries(body, declared.keys(), speaks)
    for name, tool in declared.items():
        schema = _without_marks(dict(tool.parameters), speaks)
        others = {key: value for key, value in native.get(name, {}).items() if not _has(value, schema)}
        yield name, AskedTool(tool.description, schema, others)
    for entry in _own_tools(conversation, speaks):
        name = str(entry.get("name") or entry.get("type") or next(iter(entry), "tool"))
        if name not in declared:
            yield name, AskedTool("", {}, _without_marks(entry, speaks))


def _settled_tool(tool: AskedTool, settled: SettledTexts) -> AskedTool:
    return AskedTool(settled.text(tool.description), settled.value(tool.schema), settled.value(tool.others))


def _has(value: Any, schema: Any) -> bool:
    """Whether a member contains the schema, perhaps inside other objects."""
    return isinstance(value, dict) and canonical_text(schema) in canonical_text(value)


def _entries(body: Mapping[str, Any], names: Iterable[str], speaks: Wire) -> dict[str, dict[str, Any]]:
    """The declarations of tools in a body by name, without their names and descriptions."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in body.items():
        if key != speaks.history:
            for entry in _objects(value, _DEEPEST):
                inner = entry if "name" in entry else next((each for each in entry.values() if _is_named(each)), {})
                if str(inner.get("name")) in names and len(inner) > 1:
                    both = _without_marks({**entry, **inner}, speaks)
                    outer = {k: v for k, v in both.items() if k not in ("name", "description") and v is not inner}
                    found.setdefault(inner["name"], {k: v for k, v in outer.items() if not _is_named(v)})
    return found


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """The objects that are elements of lists, at any depth."""
    if isinstance(value, list):
        for each in value:
            if isinstance(each, dict):
                yield each
                yield from _objects(each, depth - 1)
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from _objects(each, depth - 1)


def _own_tools(conversation: Conversation, speaks: Wire) -> Iterator[dict[str, Any]]:
    """Tools that the provider runs itself, such as a search: those that remain without the tools of the program."""
    tools = _rest(conversation, speaks).get("tools")
    yield from (each for each in (tools if isinstance(tools, list) else ()) if isinstance(each, dict))


# --- cache marks ----------------------------------------------------------------------------------------------


def _without_marks(value: Any, speaks: Wire) -> Any:
    if isinstance(value, dict):
        return {key: _without_marks(each, speaks) for key, each in value.items() if key not in speaks.cache_marks}
    return [_without_marks(each, speaks) for each in value] if isinstance(value, list) else value


def _marks(body: Any, speaks: Wire) -> Iterator[str]:
    if isinstance(body, dict) and speaks.cache_marks:
        for steps, mark in _marks_in(body, (), speaks.cache_marks):
            kind = canonical_text(mark)
            yield f"{_readable(steps, body, speaks)}{'' if kind in _USUAL else f' {kind}'}"


_USUAL: Final = ('{"type":"ephemeral"}', '{"type":"default"}')


def _marks_in(value: Any, at: tuple[Step, ...], names: frozenset[str]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    if isinstance(value, dict):
        yield from ((at, value[name]) for name in names if value.get(name) is not None)
        for key, each in value.items():
            yield from _marks_in(each, (*at, key), names)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _marks_in(each, (*at, number), names)


def _readable(steps: Sequence[Step], body: Any, speaks: Wire) -> str:
    """A place in words. It is the same in a request with a longer history, and with another order of tools."""
    shown: list[Step] = []
    holder = body
    for step in steps:
        within, holder = holder, holder[step]
        if isinstance(step, int) and isinstance(within, list):
            if shown[:1] == [speaks.history]:
                step -= len(within)
            elif _is_named(holder):
                step = holder["name"]
        shown.append(step)
    return place(shown) or "the request"


# --- the rest -------------------------------------------------------------------------------------------------


def _rest(conversation: Conversation, speaks: Wire) -> dict[str, Any]:
    """The body as the wire writes it for the same conversation without messages and tools."""
    try:
        silent = replace(conversation, messages=(), tools=())
        value = loads(speaks.write(silent).body, SHALLOW)
    except (ValueError, KeyError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}


def _others(conversation: Conversation, speaks: Wire) -> dict[str, Any]:
    rest = _without_marks(_rest(conversation, speaks), speaks)
    kept = {name: value for name, value in rest.items() if name not in (speaks.history, "tools")}
    named = {speaks.model_member: conversation.model, "stream": conversation.stream}
    return dict(_flat({**kept, **named}, ()))


def _flat(value: Any, at: tuple[Step, ...]) -> Iterator[tuple[str, Any]]:
    """The members by their places; a list is one value."""
    if isinstance(value, dict) and (value or not at):
        for key, each in value.items():
            yield from _flat(each, (*at, key))
    else:
        yield place(at), value

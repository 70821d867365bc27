"""Translates a history for another model or provider. Only parts that the old model alone can read are dropped.

Thinking is bound to the model that has thought it, and to its platform (ANT-MODELSIG, OAI-17, GEM-09). Each provider
has another alphabet for ids of calls (ANT-08, OAC-07). So thinking, signatures and ids are left out, and calls and
results get ids that every provider accepts. A model may have used an id twice, so results are matched by their order:
the loop writes the results of a turn in the order of its calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from harness.wire import Call, Message, Opaque, Part, Refusal, Reply, Result, Route, Text, ThinkingPart, Turn, WireName
from harness.wire import wire as wire_named

_Entry = Part | Result | Opaque

_WRAPPED = frozenset({"output"})
"""The member in which a wire wraps the value of a result."""


def translated(history: Sequence[Any], of: WireName, to: WireName, model: str) -> list[Any]:
    """The history of a session on the wire ``of``, without its system messages, in the form of the wire ``to``.

    ``model`` is the model that has answered so far.
    """
    speaker = wire_named(of)
    body = {speaker.history: list(history)}
    read = speaker.read(Route(of, model), json.dumps(body).encode())
    spoken = [message for message in read.messages if message.role != "system"]
    entries: list[Any] = []
    calls: list[Call] = []
    for role, parts in _turns(_readable(spoken, same=of == to)):
        results = [part for part in parts if isinstance(part, Result)]
        others = tuple(part for part in parts if not isinstance(part, Result))
        if results:
            ids = [call.id or "" for call in calls]
            answered = [replace(each, id=id, output=_value(each.output)) for id, each in zip(ids, results, strict=True)]
            answers = wire_named(to).answers(_reply(to, calls), ids, answered)
            entries += wire_named(to).entries(answers)
        if others:
            entries += wire_named(to).entries([Message("assistant" if role == "assistant" else "user", others, "")])
        calls = [part for part in others if isinstance(part, Call)]
    return entries


def _turns(messages: Iterable[Message]) -> Iterator[tuple[str, list[_Entry]]]:
    """The messages and results, joined into turns: a wire may have one turn in several entries."""
    role, parts = "", list[_Entry]()
    for message in messages:
        speaks = "assistant" if message.role == "assistant" else "results" if message.results else "user"
        if parts and (speaks != role or role == "user"):
            yield role, parts
            parts = []
        role, parts = speaks, [*parts, *message.parts]
    if parts:
        yield role, parts


def _reply(to: WireName, calls: Sequence[Call]) -> Reply:
    return Reply(to, "", "", (), Turn(tuple(calls)))


def _readable(messages: Iterable[Message], *, same: bool) -> Iterator[Message]:
    """The messages in a form that every model can read. ``same``: the wire stays, and so do its native parts."""
    numbers = count()
    for message in messages:
        parts = tuple(part for each in message.parts for part in _part(each, numbers, same=same))
        if parts:
            yield replace(message, parts=parts)


def _part(part: _Entry, numbers: Iterator[int], *, same: bool) -> Iterator[_Entry]:
    match part:
        case ThinkingPart():
            return
        case Opaque():
            if same:
                yield part
        case Refusal(text=text) | Text(text=text):
            if text.strip():  # a provider refuses a text of white space alone
                yield Text(text)
        case Call():
            yield Call(part.name, part.arguments, id=f"c{next(numbers):08}")
        case Result():
            yield part


def _value(output: str) -> str:
    """The value of a result as JSON text, without the object in which a wire wraps it."""
    try:
        value = json.loads(output)
    except ValueError:
        return json.dumps(output)
    return json.dumps(value["output"]) if isinstance(value, dict) and value.keys() == _WRAPPED else output

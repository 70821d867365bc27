"""A history on another model or another provider: what was said stays, and what only the old one can read goes.

Thinking is bound to the model that has thought it, and to its platform (ANT-MODELSIG, OAI-17, GEM-09); ids of calls
have another alphabet at each provider (ANT-08, OAC-07). So thinking, signatures and ids are left out, and calls and
results get ids that every provider takes. A model may have used an id twice; the results of a turn are in the order of
its calls, as the loop writes them.
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
    """The history of a session on the wire ``of``, without its system messages, as one on the wire ``to`` has it.

    ``model`` is the one that has answered so far.
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
    """What the model and what the user says, and the results, in turns: wires have one turn in several entries."""
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
    """The messages as every model can read them; ``same``: on the same wire, so what is native to it stays."""
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
    """The value of a result as JSON text, without what a wire wraps it in."""
    try:
        value = json.loads(output)
    except ValueError:
        return json.dumps(output)
    return json.dumps(value["output"]) if isinstance(value, dict) and value.keys() == _WRAPPED else output

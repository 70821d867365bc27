"""A history on another model or another provider: what was said stays, and what only the old one can read goes.

Thinking is bound to the model that has thought it, and to its platform (ANT-MODELSIG, OAI-17, GEM-09); ids of calls
have another alphabet at each provider (ANT-08, OAC-07). So thinking, signatures and ids are left out, and calls and
results get ids that every provider takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from harness.wire import Call, Message, Opaque, Part, Refusal, Result, Route, Text, ThinkingPart, WireName
from harness.wire import wire as wire_named

__all__ = ["translated"]


def translated(history: Sequence[Any], of: WireName, to: WireName, model: str) -> list[Any]:
    """The history of a session on the wire ``of``, without its system messages, as one on the wire ``to`` has it.

    ``model`` is the one that has answered so far.
    """
    speaker = wire_named(of)
    body = {**speaker.settings, "model": model, speaker.history: list(history)}
    read = speaker.read(Route(of, model, stream=False), json.dumps(body).encode())
    messages = [message for message in read.messages if message.role != "system"]
    return wire_named(to).entries([*_readable(messages, same=of == to)])


def _readable(messages: Iterable[Message], *, same: bool) -> Iterator[Message]:
    """The messages as every model can read them; ``same``: on the same wire, so what is native to it stays."""
    ids: dict[str, str] = {}
    for message in messages:
        parts = tuple(part for each in message.parts for part in _part(each, ids, same=same))
        if parts:
            yield replace(message, parts=parts)


def _part(part: Part | Result | Opaque, ids: dict[str, str], *, same: bool) -> Iterator[Part | Result | Opaque]:
    match part:
        case ThinkingPart():
            return
        case Opaque():
            if same:
                yield part
        case Refusal(text=text) | Text(text=text):
            if text:
                yield Text(text)
        case Call(id=id):
            ids[id or ""] = f"c{len(ids):08}"
            yield Call(part.name, part.arguments, id=ids[id or ""])
        case Result(id=id):
            yield replace(part, id=ids.get(id, id))

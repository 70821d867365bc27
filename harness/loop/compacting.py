"""A history in plain words, from which a summary can be made."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.wire import Call, Result, Route, Text, WireName
from harness.wire import wire as wire_named

_NUMBER: Final = re.compile(r"\d+")
"""Finds the number of an entry in the place of a message: it is the first number there."""


@dataclass(frozen=True, slots=True)
class PlainHistory:
    """The history as ``texts``. ``system`` are its entries for the system prompt, if the wire has them there."""

    system: tuple[Any, ...]
    texts: tuple[str, ...]


def in_plain_words(history: Sequence[Any], of: WireName) -> PlainHistory:
    """The history of a session on the wire ``of``, in words that any model can read."""
    speaker = wire_named(of)
    body = {speaker.history: list(history)}
    messages = speaker.read(Route(of), json.dumps(body).encode()).messages
    system = dict.fromkeys(int(_NUMBER.findall(each.at)[0]) for each in messages if each.role == "system")
    spoken = [(message.role, part) for message in messages if message.role != "system" for part in message.parts]
    texts = (_text(role, part) for role, part in spoken)
    return PlainHistory(tuple(history[at] for at in system), tuple(filter(None, texts)))


def _text(role: str, part: object) -> str:
    match part:
        case Text(text=text):
            return f"{role}: {text}"
        case Call(name=name, arguments=arguments):
            return f"{role} calls {name} with {arguments}"
        case Result(output=output):
            return f"result: {output}"
    return ""

"""A history in plain words, of which a summary can be made."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.wire import Call, Result, Route, Text, WireName
from harness.wire import wire as wire_named

_NUMBER: Final = re.compile(r"\d+")
"""In the place of a message: the number of its entry, in front of any other."""


@dataclass(frozen=True, slots=True)
class PlainHistory:
    """What was said, as ``texts``. ``system`` are the entries of the system prompt, where the wire has them there."""

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

"""Where a history can be cut in two: in front of a message of the user, where no call is open."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.wire import Call, Message, Result, Route, Text, WireName
from harness.wire import wire as wire_named

__all__ = ["Earlier", "split"]

_NUMBER: Final = re.compile(r"\d+")
"""In the place of a message: the number of its entry, in front of any other."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was said before the cut: ``texts`` in plain words, and the entries of the ``system``, which stay."""

    system: tuple[Any, ...]
    texts: tuple[str, ...]


def split(history: Sequence[Any], of: WireName, model: str) -> tuple[Earlier, list[Any]]:
    """What stands before the last message of the user, and the entries from that on; if that is the first, all.

    ``history`` is that of a session on the wire ``of``, while nothing runs.
    """
    read = _read(history, of, model)
    begins = [at for at, messages in enumerate(read) if _begins(messages)]
    cut = begins[-1] if len(begins) > 1 else len(history)
    system = tuple(entry for entry, messages in zip(history[:cut], read, strict=False) if _is_system(messages))
    texts = tuple(text for messages in read[:cut] if not _is_system(messages) for text in _texts(messages))
    return Earlier(system, texts), list(history[cut:])


def _read(history: Sequence[Any], of: WireName, model: str) -> Sequence[Sequence[Message]]:
    """The messages of each entry."""
    speaker = wire_named(of)
    body = {**speaker.settings, "model": model, speaker.history: list(history)}
    found: list[list[Message]] = [[] for _ in history]
    for message in speaker.read(Route(of, model, stream=False), json.dumps(body).encode()).messages:
        found[int(_NUMBER.findall(message.at)[0])].append(message)
    return found


def _begins(messages: Sequence[Message]) -> bool:
    """Whether the user says something, and no result is with it."""
    said = any(message.role == "user" and message.text for message in messages)
    return said and not any(message.results for message in messages)


def _is_system(messages: Sequence[Message]) -> bool:
    return bool(messages) and all(message.role == "system" for message in messages)


def _texts(messages: Sequence[Message]) -> list[str]:
    """What messages say, in words that any model can read."""
    return [text for message in messages for part in message.parts if (text := _text(message.role, part))]


def _text(role: str, part: object) -> str:
    match part:
        case Text(text=text):
            return f"{role}: {text}"
        case Call(name=name, arguments=arguments):
            return f"{role} calls {name} with {arguments}"
        case Result(output=output):
            return f"result: {output}"
    return ""

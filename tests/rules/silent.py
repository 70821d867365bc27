"""Runs of a loop that tells nothing: only its requests are there. It goes on after every turn, even a broken one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.trace import Case, JsonValue, Trace
from harness.wire import Call, Identity, IssuedState, Message, Opaque, Part, Result, Text, Turn, WireName, wire
from tests.rules.build import PATHS, Loop, first_request

DONE = Turn((Text("Done."),))
OUTPUT = "out42\nmore\n"
"""What no scenario says that a tool returns: what a command has printed."""


class Silent(Loop):
    """Tells nothing. It answers the calls of every turn, whatever became of the turn."""

    def tell(self, *events: Any) -> None:
        pass


def played(
    name: WireName,
    *turns: Turn,
    output: str = OUTPUT,
    outputs: tuple[str, ...] = (),
    is_error: bool = False,
    arguments: str | None = None,
    keeps_ids: bool = True,
    returns: Mapping[str, JsonValue] | None = None,
) -> Trace:
    """A run in which every turn is answered by results: those of ``outputs``, in order, else ``output``.

    ``arguments`` are what the loop sends back in place of the model's own.
    """
    case = Case(f"case.{name}", "case", name, returns=returns or {})
    loop, speaker, identity, sent = Silent(name, case), wire(name), Identity("case"), IssuedState()
    route = speaker.route("POST", PATHS[name])
    assert route is not None
    conversation = speaker.read(route, json.dumps(first_request(name)).encode())
    left = list(outputs)
    for number, turn in enumerate((*turns, DONE), 1):
        reply = loop.ask(json.loads(speaker.write(conversation).body), turn, identity, sent, number)
        ids = [call.id or f"own-{number}-{at}" for at, call in enumerate(reply.turn.calls)]
        results = [Result(id, json.dumps(left.pop(0) if left else output), is_error=is_error) for id in ids]
        added = (*speaker.returned(reply, ids), *speaker.answers(reply, ids, results))
        known = len(conversation.messages)
        longer = replace(conversation, messages=(*conversation.messages, *added))
        again = speaker.read(route, speaker.write(longer).body)
        messages = [_changed(message, arguments, keeps_ids) for message in again.messages[known:]]
        conversation = replace(again, messages=(*again.messages[:known], *messages))
    return Trace(case, tuple(loop.records))


def _changed(message: Message, arguments: str | None, keeps_ids: bool) -> Message:
    return replace(message, parts=tuple([_part(part, arguments, keeps_ids) for part in message.parts]))


def _part(part: Part | Result | Opaque, arguments: str | None, keeps_ids: bool) -> Part | Result | Opaque:
    if isinstance(part, Call):
        own = part.arguments if arguments is None else arguments
        return replace(part, arguments=own, id=part.id if keeps_ids else "")
    return replace(part, id="") if isinstance(part, Result) and not keeps_ids else part

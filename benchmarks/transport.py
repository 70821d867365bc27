"""The in-process transport, one chunk per event, against the bare SDK reading the same bytes in one chunk.

Both sides read the same streams through the same client code; only what hands over the bytes differs, and that ours
records them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

from benchmarks.programs.bare import Ready, Send, sender
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import event_loop, interleaved, per
from harness.endpoint import CaseEndpoint, Endpoints, ReceivedRequest, ResponsePlan, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.trace import Case
from harness.wire import (
    NATIVE_WIRES,
    Conversation,
    Identity,
    Message,
    Rendered,
    Route,
    Text,
    ToolDeclaration,
    Turn,
    WireName,
    wire,
)
from harness.wire import wire as wire_named

GOAL = Goal("ratio", "at most", 1.12)
_PROMPT = (Message("system", (Text("You build web pages."),), ""), Message("user", (Text("hi"),), ""))
_TOOL = ToolDeclaration("look", "Looks at the page.", {"type": "object", "properties": {}})


def figures(quick: bool) -> Iterator[Figure]:
    for name in NATIVE_WIRES:
        for events in (200, 5000):
            yield _figure(name, events, rounds=4 if quick else 9)


def _figure(name: WireName, events: int, rounds: int) -> Figure:
    speaker = wire(name)
    asked = Conversation(name, wire_named(name).default_model, True, _PROMPT, (_TOOL,), body=dict(speaker.settings))
    body = json.loads(speaker.write(asked).body)
    rendered = speaker.render(Turn((Text("word " * events),)), Identity("bench"), asked)
    whole = Ready()
    bare, ours = sender(name, whole)(body), sender(name, EndpointTransport(Recorded(rendered)))(body)

    async def ask_bare() -> None:
        whole.answers.append((rendered.content_type, rendered.body))
        await _read(bare, events)

    repeat = max(1, 1000 // events)
    with event_loop(repeat) as plain:
        works = {"bare": plain(ask_bare), "ours": plain(lambda: _read(ours, events))}
        times = interleaved(works, rounds, clean=True)
    return Figure.of(
        f"an event of {events:,}, {name}",
        per(times["ours"], repeat * events),
        GOAL,
        beside="the SDK alone",
        theirs=per(times["bare"], repeat * events),
    )


async def _read(send: Send, least: int) -> None:
    read = 0
    async for _ in await send():
        read += 1
    assert read >= least, f"{read} events of {least} were read"


class Recorded(Endpoints):
    """The harness's side: the same bytes ready as an answer of one chunk per event, recorded as every answer is."""

    def __init__(self, rendered: Rendered) -> None:
        super().__init__()
        self._route = Route(rendered.reply.wire)
        self._case = Case(id="bench", scenario="bench", wire=rendered.reply.wire)
        self._answer = ResponsePlan(200, {"content-type": rendered.content_type}, rendered.frames)

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[CaseEndpoint | None, int, ResponsePlan]:
        desk = CaseEndpoint(self._case, ScriptSource(()), clock=time.perf_counter)
        request = ReceivedRequest(self._route, method, target, headers, body)
        return desk, desk.recorder.request(request), self._answer

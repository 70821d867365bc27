"""Judging a request by the rules of its wire, beside the official SDK that serialises and sends it in process.

A history of 20 turns in which the model thinks, speaks and writes a file, 200 KB in all.

next     the request as it comes in a case: the endpoint has judged the 20 before it
alone    the same request by itself, as ``harness lint-request`` judges it, but with what was issued
the SDK  the official SDK's ordinary call with that history, answered at once with a short message

Both sides run many times in a row, after a run that is not timed, so that either finds its code and data in the
processor's caches; "in turn" has them run one after the other, once each, as in a case, where neither does. Growth is
from 20 turns to 80; four times as much finds less room in the caches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from benchmarks.programs.bare import sender
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import cpu, event_loop, exponent, interleaved, ratio, repeated, rounds_of
from harness.wire import (
    NATIVE_WIRES,
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Message,
    NativeWireName,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    Wire,
    wire,
)
from harness.wire import wire as wire_named

TURNS, SIZE = 20, 200_000
MORE_TURNS = 80
RUNS = 20
GOAL = Goal("ratio", "at most", 0.05)
GROWTH = Goal("ours", "at most", 1.1)

_TOOL = ToolDeclaration(
    "create_file",
    "Creates a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)
_PROMPT = (
    Message("system", (Text("You build web pages."),), ""),
    Message("user", (Text("A page for each of our bakeries."),), ""),
)


def figures(quick: bool) -> Iterator[Figure]:
    for name in NATIVE_WIRES:
        yield from _figures(name, 3 if quick else 11)


def _figures(name: NativeWireName, rounds: int) -> Iterator[Figure]:
    measured, longer = case(name, TURNS), case(name, MORE_TURNS)
    with event_loop() as plain:
        sides = {"SDK": plain(_sdk(measured)), "next": measured.next, "alone": measured.alone}
        in_a_row = rounds_of({side: _in_a_row(work) for side, work in sides.items()}, rounds)
        in_turn = interleaved(sides, rounds * RUNS)
    size = len(json.dumps(measured.asked.body)) // 1024
    for title, times in ((f", {size} KB", in_a_row), (", in turn", in_turn)):
        for side in ("next", "alone"):
            goals = [GOAL] if side == "next" and times is in_a_row else []
            yield Figure.of(f"{side}, {name}{title}", times[side], *goals, beside="the SDK", theirs=times["SDK"])
    for side, small, large in (("next", measured.next, longer.next), ("alone", measured.alone, longer.alone)):
        yield Figure.of(f"growth, {side}, {name}", _growth(small, large, rounds), GROWTH, unit="exponent")


def _in_a_row(work: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        work()
        return cpu(repeated(work, RUNS)) / RUNS

    return measure


def _growth(small: Callable[[], None], large: Callable[[], None], rounds: int) -> list[float]:
    """One exponent: the times of single runs spread too much for one of each round."""
    more = MORE_TURNS // TURNS
    times = interleaved({"small": repeated(small, more), "large": large}, rounds * RUNS)
    return [exponent(1, ratio(times["large"], times["small"]) * more, more)]


@dataclass
class Case:
    """A loop up to the request that is measured: ``sent`` has judged all the requests before it."""

    wire: Wire
    asked: Conversation
    sent: IssuedState
    memory: object

    def next(self) -> None:
        self.sent.memory = self.memory
        self.wire.violations(self.asked, self.sent)

    def alone(self) -> None:
        self.sent.memory = None
        self.wire.violations(self.asked, self.sent)


def case(name: NativeWireName, turns: int) -> Case:
    """A whole loop of ``turns`` turns, each request written, read, judged and answered."""
    speaker, sent, identity = wire(name), IssuedState(), Identity("judging")
    settings = {**speaker.settings, "stream": False} if name != "gemini-generate" else dict(speaker.settings)
    asking = Conversation(name, wire_named(name).default_model, False, _PROMPT, (_TOOL,), body=settings)
    page = "<p>Rye, walnut and plum.</p>\n" * (SIZE // TURNS // 29)
    for number in range(turns + 1):
        written = speaker.write(asking)
        route = speaker.route("POST", written.path)
        assert route is not None
        asked = speaker.resolve(speaker.read(route, written.body), sent)
        memory = sent.memory
        assert speaker.violations(asked, sent) == []
        if number == turns:
            return Case(speaker, asked, sent, memory)
        call = Call("create_file", json.dumps({"path": f"bakery-{number}.html", "content": page}))
        turn = Turn((ThinkingPart(f"Bakery {number} next."), Text("I write the page."), call), FinishReason.TOOL_CALLS)
        reply = speaker.render(turn, identity, asked).reply
        sent.add(asked, reply)
        ids = [made.id or f"call-{number}" for made in reply.turn.calls]
        results = [Result(ids[0], '{"content": "Created."}', "create_file")]
        asking = replace(
            asking, messages=(*asking.messages, *speaker.returned(reply, ids), *speaker.answers(reply, ids, results))
        )
    raise AssertionError("not reached")


class Answering(httpx2.AsyncBaseTransport):
    """Takes a request and answers it at once."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=self._body)


def _sdk(measured: Case) -> Callable[[], Any]:
    """The official SDK's call that sends the measured request."""
    answer = replace(measured.asked, stream=False)
    reply = measured.wire.render(Turn((Text("Done."),)), Identity("answer"), answer)
    transport = Answering(reply.body)
    return sender(measured.wire.name, transport, streamed=False)(measured.asked.body)

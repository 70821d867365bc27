"""Judging a request by the rules of its wire, beside the official SDK that serialises and sends it in process.

    python benchmarks/judging.py

A history of 20 turns in which the model thinks, speaks and writes a file, 200 KB in all.

next    the request as it comes in a case: the endpoint has judged the 20 before it
alone   the same request by itself, as ``harness lint-request`` judges it, but with what was issued
SDK     the official SDK's ordinary call with that history, answered at once with a short message

Goal: judging takes at most 5 % of the SDK's time, and grows linearly with the history: from 20 turns to 80 with an
exponent of at most 1.1, because four times as much finds less room in the processor's caches.

CPU time, ratios are medians over rounds. Both sides run many times in a row, after a run that is not timed, so that
either finds its code and data in the caches; "in turn" has them run one after the other, once each, as in a case,
where neither does.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import anthropic
import httpx2
import openai
from google import genai
from google.genai import types

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._measure import cpu, exponent, interleaved, ratio
from harness.targets.base import MODELS
from harness.wire import (
    NATIVE_WIRES,
    Call,
    Conversation,
    Identity,
    Message,
    NativeWireName,
    Result,
    Sent,
    Stop,
    Text,
    Thinking,
    ToolDeclaration,
    Turn,
    Wire,
    wire,
)

TURNS, SIZE = 20, 200_000
MORE_TURNS = 80
ROUNDS = 11
RUNS = 20
GOAL, MAX_EXPONENT = 0.05, 1.1

_SIDES = ("next", "alone")
_HEAD = (
    f"{'':20} {'KB':>5} {'next us':>9} {'alone us':>9} {'SDK ms':>8}"
    "   share: next  alone  in turn: next  alone  growth: next  alone"
)

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


@dataclass
class Case:
    """A loop up to the request that is measured: ``sent`` has judged all the requests before it."""

    wire: Wire
    asked: Conversation
    sent: Sent
    memory: object

    def next(self) -> None:
        self.sent.memory = self.memory
        self.wire.violations(self.asked, self.sent)

    def alone(self) -> None:
        self.sent.memory = None
        self.wire.violations(self.asked, self.sent)


def case(name: NativeWireName, turns: int) -> Case:
    """A whole loop of ``turns`` turns, each request written, read, judged and answered."""
    speaker, sent, identity = wire(name), Sent(), Identity("judging")
    settings = {**speaker.settings, "stream": False} if name != "gemini-generate" else dict(speaker.settings)
    asking = Conversation(name, MODELS[name], False, _PROMPT, (_TOOL,), body=settings)
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
        turn = Turn((Thinking(f"Bakery {number} next."), Text("I write the page."), call), Stop.TOOL_CALLS)
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


def sdk(measured: Case) -> Callable[[], Coroutine[Any, Any, object]]:
    """The official SDK's call that sends the measured request."""
    name, body = measured.wire.name, {**measured.asked.body}
    reply = measured.wire.render(Turn((Text("Done."),)), Identity("answer"), replace(measured.asked, stream=False))
    http = httpx2.AsyncClient(transport=Answering(reply.body))
    body.pop("stream", None)
    body.pop("stream_options", None)
    if name == "anthropic-messages":
        claude = anthropic.AsyncAnthropic(api_key="key", base_url="http://harness", http_client=http, max_retries=0)
        return lambda: claude.messages.create(**body)
    if name == "gemini-generate":
        options = types.HttpOptions(base_url="http://harness", httpx_async_client=http)
        gemini = genai.Client(api_key="key", http_options=options)
        config = types.GenerateContentConfig(system_instruction="You build web pages.", tools=body["tools"])
        return lambda: gemini.aio.models.generate_content(
            model=measured.asked.model, contents=body["contents"], config=config
        )
    gpt = openai.AsyncOpenAI(api_key="key", base_url="http://harness/v1", http_client=http, max_retries=0)
    create = gpt.responses.create if name == "openai-responses" else gpt.chat.completions.create
    return lambda: create(**body)


def main() -> None:
    met = True
    print(_HEAD)
    for name in NATIVE_WIRES:
        measured, longer = case(name, TURNS), case(name, MORE_TURNS)
        call = sdk(measured)
        with asyncio.Runner() as runner:
            send = lambda call=call, runner=runner: runner.run(call())  # noqa: E731
            sides = {"SDK": send, "next": measured.next, "alone": measured.alone}
            for work in (*sides.values(), longer.next, longer.alone):
                work()
            in_a_row = _in_a_row(sides)
            in_turn = interleaved(sides, ROUNDS * RUNS)
        growth = [_growth(one, other) for one, other in ((measured.next, longer.next), (measured.alone, longer.alone))]
        shares, turns = _shares(in_a_row), _shares(in_turn)
        met &= shares[0] <= GOAL and max(growth) <= MAX_EXPONENT
        size = len(json.dumps(measured.asked.body)) // 1024
        print(
            f"{name:20} {size:5} {_each(in_a_row['next']) * 1e6:9.0f} {_each(in_a_row['alone']) * 1e6:9.0f} "
            f"{_each(in_a_row['SDK']) * 1e3:8.2f} {shares[0]:13.1%} {shares[1]:6.1%} {turns[0]:15.1%} {turns[1]:6.1%} "
            f"{growth[0]:14.2f} {growth[1]:6.2f}"
        )
    print(f"goal: at most {GOAL:.0%} of the SDK, growth at most size^{MAX_EXPONENT}: {'met' if met else 'NOT met'}")


def _shares(times: dict[str, list[float]]) -> list[float]:
    """What judging takes of the SDK's time: the next request, and the same alone."""
    return [1 / ratio(times["SDK"], times[side]) for side in _SIDES]


def _in_a_row(sides: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(ROUNDS):
        for side, work in sides.items():
            work()
            times[side].append(cpu(_repeated(work)))
    return times


def _repeated(work: Callable[[], object], runs: int = RUNS) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(runs):
            work()

    return repeated


def _each(times: list[float]) -> float:
    return median(times) / RUNS


def _growth(small: Callable[[], None], large: Callable[[], None]) -> float:
    more = MORE_TURNS // TURNS
    times = interleaved({"small": _repeated(small, more), "large": _repeated(large, 1)}, ROUNDS * RUNS)
    return exponent(1, ratio(times["large"], times["small"]) * more, more)


if __name__ == "__main__":
    main()

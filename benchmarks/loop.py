"""What the harness adds to the provider's own SDK in a 3-turn run with streamed previews.

    python benchmarks/loop.py

One side is a whole case: the reference loop, previews, the gateway (reading, judging, rendering, recording) and
all rules over the trace. The other is the bare SDK sending the same three requests, reading the same bytes and
doing nothing with them. Responses come in one chunk on both sides; what more chunks cost is for transport.py to
say. Goal: the harness adds at most 15 %.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Awaitable, Callable
from statistics import median

from _measure import ratio
from bare import Ready, sender

from harness.gateway import Desk, Gateway, ScriptSource
from harness.gateway.transport import GatewayTransport
from harness.rules import Reading, judge
from harness.scenario import CANONICAL, Tool, TurnStep
from harness.targets.base import MODELS, Assignment
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget
from harness.trace import Case, Exchange, Trace
from harness.wire import WIRES, Call, Stop, Text, Thinking, Turn, WireName

ROUNDS = 15
RUNS = 8
PAGE = "<h1>Bread</h1>\n<p>Fresh every morning, <b>7 to 12</b>.</p>\n" * 2
STEPS = (
    TurnStep(
        Turn(
            (
                Thinking("A small page."),
                Text("Creating the page."),
                Call("create_file", json.dumps({"path": "index.html", "content": PAGE})),
            ),
            Stop.TOOL_CALLS,
        )
    ),
    TurnStep(
        Turn(
            (
                Text("Now the opening hours."),
                Call(
                    "edit_file",
                    json.dumps({"path": "index.html", "edits": [{"old_text": "7 to 12", "new_text": "8 to 13"}]}),
                ),
            ),
            Stop.TOOL_CALLS,
        )
    ),
    TurnStep(
        Turn((Text("The page is ready. It shows the bakery's bread and when the bakery is open, in two lines."),))
    ),
)


def main() -> None:
    print(f"{'wire':20} {'events':>7} {'SDK ms':>8} {'harness ms':>11} {'added':>7}")
    for name in WIRES:
        bare, ours, events = asyncio.run(measure(name))
        added = (ratio(ours, bare) - 1) * 100
        print(f"{name:20} {events:7} {median(bare) * 1000:8.2f} {median(ours) * 1000:11.2f} {added:6.1f}%", flush=True)


async def measure(name: WireName) -> tuple[list[float], list[float], int]:
    """CPU seconds per run of the bare SDK and of the whole case, round by round, and the events of a run."""
    gateway = Gateway()
    target = ReferenceTarget(Clients(GatewayTransport(gateway)))
    trace = await whole_case(name, gateway, target)
    assert judge(trace) == [], judge(trace)
    sdk_alone = bare_sdk(name, trace.exchanges)
    times: tuple[list[float], list[float]] = ([], [])
    for round_ in range(ROUNDS + 1):
        for side, run in zip(times, (sdk_alone, lambda: whole_case(name, gateway, target)), strict=True):
            gc.collect()
            start = time.process_time()
            for _ in range(RUNS):
                await run()
            if round_:  # the first round warms both up
                side.append((time.process_time() - start) / RUNS)
    events = sum(exchange.response.body.count(b"data:") for exchange in trace.exchanges if exchange.response)
    return *times, events


async def whole_case(name: WireName, gateway: Gateway, target: ReferenceTarget) -> Trace:
    case = Case(id="bench", scenario="bench", wire=name, profile="screenshot-to-code", turn_limit=20)
    desk = Desk(case, ScriptSource(STEPS), clock=time.perf_counter, chunking="whole")
    assignment = Assignment(
        wire=name,
        model=MODELS[name],
        base_url="http://harness" + gateway.open("bench", desk),
        prompt=[("system", "You build web pages."), ("user", "A page for a bakery.")],
        tools=[Tool(declaration, canonical=True) for declaration in CANONICAL.values()],
        emit=desk.recorder.tell,
        turn_limit=20,
    )
    await target.run(assignment)
    reading = Reading(desk.recorder.trace(), desk.replies, desk.violations, desk.conversations)
    assert judge(reading) == []
    return reading.trace


# --- the SDKs alone -----------------------------------------------------------------------------------------


def bare_sdk(name: WireName, exchanges: tuple[Exchange, ...]) -> Callable[[], Awaitable[None]]:
    """A function that sends the recorded requests again and reads the recorded answers."""
    transport = Ready()
    send = sender(name, transport)
    sends = [send(json.loads(exchange.request.body)) for exchange in exchanges]
    answers = [(each.headers["content-type"], each.body) for exchange in exchanges if (each := exchange.response)]

    async def run() -> None:
        for each, answer in zip(sends, answers, strict=True):
            transport.answers.append(answer)
            async for _ in await each():
                pass

    return run


if __name__ == "__main__":
    main()

"""What the harness adds to the provider's own SDK in a 3-turn run with streamed previews.

One side is a whole case: the reference loop, previews, the gateway (reading, judging, rendering, recording) and
all rules over the trace. The other is the bare SDK sending the same three requests, reading the same bytes and
doing nothing with them. Responses come in one chunk on both sides; what more chunks cost is for ``transport`` to say.
Both run in one process, which collects garbage as seldom as those of ``harness run`` do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator

from benchmarks.programs.bare import Ready, sender
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import event_loop, interleaved, per
from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.ground.collecting import collect_seldom
from harness.rules import TraceView, judge
from harness.scenario import CANONICAL, Tool, TurnStep
from harness.targets.base import CaseRun
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget
from harness.trace import Case, Exchange, Trace
from harness.wire import WIRES, Call, FinishReason, Text, ThinkingPart, Turn, WireName
from harness.wire import wire as wire_named

GOAL = Goal("ratio", "at most", 1.15)
GOALS = {"anthropic-messages": Goal("ratio", "at most", 1.4)}
"""Where it is another one: the SDK of Anthropic takes a fifth of the time of the others for an event."""

RUNS = 8
PAGE = "<h1>Bread</h1>\n<p>Fresh every morning, <b>7 to 12</b>.</p>\n" * 2
EDIT = {"path": "index.html", "edits": [{"old_text": "7 to 12", "new_text": "8 to 13"}]}
TURNS = (
    Turn(
        (
            ThinkingPart("A small page."),
            Text("Creating the page."),
            Call("create_file", json.dumps({"path": "index.html", "content": PAGE})),
        ),
        FinishReason.TOOL_CALLS,
    ),
    Turn((Text("Now the opening hours."), Call("edit_file", json.dumps(EDIT))), FinishReason.TOOL_CALLS),
    Turn((Text("The page is ready. It shows the bakery's bread and when the bakery is open, in two lines."),)),
)


def figures(quick: bool) -> Iterator[Figure]:
    collect_seldom()
    for name in WIRES:
        yield _figure(name, rounds=5 if quick else 15)


def _figure(name: WireName, rounds: int) -> Figure:
    endpoints = Endpoints()
    target = ReferenceTarget(Clients(EndpointTransport(endpoints)))

    async def ours() -> Trace:
        return await whole_case(name, endpoints, target)

    with event_loop(RUNS) as plain:
        trace = plain(ours)()
        works = {"ours": plain(ours), "SDK": plain(bare_sdk(name, trace.exchanges))}
        times = interleaved(works, rounds, clean=True)
    return Figure.of(
        f"a case of {events_of(trace)} events, {name}",
        per(times["ours"], RUNS),
        *(() if name == "text-tags" else (GOALS.get(name, GOAL),)),
        beside="the SDK alone",
        theirs=per(times["SDK"], RUNS),
    )


async def whole_case(name: WireName, endpoints: Endpoints, target: ReferenceTarget) -> Trace:
    case = Case(id="bench", scenario="bench", wire=name, profile="screenshot-to-code", turn_limit=20)
    desk = CaseEndpoint(case, ScriptSource(tuple(map(TurnStep, TURNS))), clock=time.perf_counter, chunking="whole")
    case_run = CaseRun(
        wire=name,
        model=wire_named(name).default_model,
        base_url="http://harness" + endpoints.open("bench", desk),
        prompt=[("system", "You build web pages."), ("user", "A page for a bakery.")],
        tools=[Tool(declaration, canonical=True) for declaration in CANONICAL.values()],
        emit=desk.recorder.emitted,
        turn_limit=20,
    )
    await target.run(case_run)
    reading = TraceView(desk.recorder.trace(), desk.replies, desk.violations, desk.conversations)
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


def events_of(trace: Trace) -> int:
    """How many events all streamed responses have together."""
    return sum(each.response.body.count(b"data:") for each in trace.exchanges if each.response)

"""Cases of the target ``wire-only`` beside the provider SDKs alone: three turns, about 30 stream events.

whole       a case as ``harness run`` runs it: the endpoint reads, judges, renders and records, the loop writes, parses
            and runs its tools, all rules judge the trace and the scenario's expectations are compared
unjudged    the same without the rules over the trace and without the comparison
wires       no loop, no gateway, no trace: each request is written, read and judged by the rules of its wire, each
            answer is rendered and parsed
on the SDK  the whole case on the provider's SDK (target ``reference``)
the SDK     the SDK alone: it sends the same three requests, reads the same bytes, and does nothing with them

The fastest SDK is Anthropic's.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.loop import bare_sdk, events_of
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import event_loop, interleaved, per
from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.scenario import Scenario, TurnStep, load
from harness.targets.base import CaseRun, Target
from harness.targets.wire_only import wire_only
from harness.trace import Trace
from harness.wire import (
    NATIVE_WIRES,
    Conversation,
    Identity,
    IssuedState,
    Message,
    NativeWireName,
    Result,
    Text,
    WireName,
    recognise,
    wire,
)
from harness.wire import wire as wire_named
from harness.wire.base import Role

RUNS = 20
GOAL = Goal("ratio", "at most", 1 / 4)
SCENARIO = """\
scenario: bench
profile: screenshot-to-code
summary: A page is made, edited and described.
prompt:
  - system: You build web pages.
  - user: A page for a bakery, which is open every day.
tools: [create_file, edit_file]
model:
  - text: I will create the page.
    deltas: whole
    calls:
      - create_file: {path: index.html, content: "<h1>Bread</h1>\\n<p>Fresh from 7 to 12.</p>"}
  - text: Now the opening hours.
    deltas: whole
    calls:
      - edit_file: {path: index.html, edits: [{old_text: 7 to 12, new_text: 8 to 13}]}
  - text: The page is ready.
    deltas: whole
expect:
  outcome: completed
  turns: 3
  final: {contains: 8 to 13}
"""

RESULT = '{"content": "Successfully edited file at index.html."}'
_ROLES: dict[str, Role] = {"system": "system", "user": "user"}

Run = Callable[[], Awaitable[object]]
Side = tuple[str, str]
"""What is run, and on which wire."""

_BESIDE = {"SDK": "the SDK alone", "on the SDK": "the case on the SDK"}


def figures(quick: bool) -> Iterator[Figure]:
    works: dict[Side, Callable[[], object]] = {}
    events: dict[str, int] = {}
    scenario = _scenario()
    with event_loop() as once, event_loop(RUNS) as in_a_row:
        for name in NATIVE_WIRES:
            endpoints = Endpoints()
            target, reference = wire_only(endpoints), open_target("reference", endpoints)
            (planned,) = plan([scenario], target=target, wires=[name])
            whole = _whole(planned, target, endpoints)
            trace = once(whole)()
            events[name] = events_of(trace)
            works |= {
                ("SDK", name): in_a_row(bare_sdk(name, trace.exchanges)),
                ("on the SDK", name): once(_whole(planned, reference, endpoints)),
                ("whole", name): once(whole),
                ("unjudged", name): in_a_row(_unjudged(planned, name, target, endpoints)),
                ("wires", name): in_a_row(_wires(name, scenario)),
            }
        times = interleaved(works, 4 if quick else 15, clean=True)
    for name in NATIVE_WIRES:
        yield from _figures(name, events[name], {side: per(seconds, RUNS) for side, seconds in times.items()})


def _figures(name: NativeWireName, events: int, times: dict[Side, list[float]]) -> Iterator[Figure]:
    fastest = min(NATIVE_WIRES, key=lambda wire: median(times["SDK", wire]))

    def figure(side: str, beside: str, wire: NativeWireName, *goals: Goal) -> Figure:
        on = "" if wire == name else f", {wire}"
        return Figure.of(
            f"{side}, {name}, {events} events",
            times[side, name],
            *goals,
            beside=_BESIDE[beside] + on,
            theirs=times[beside, wire],
        )

    for side in ("whole", "unjudged", "wires"):
        yield figure(side, "SDK", fastest, GOAL)
    yield figure("wires", "on the SDK", fastest, GOAL)
    yield figure("whole", "on the SDK", name)
    yield figure("on the SDK", "SDK", name)


def _scenario() -> Scenario:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.yaml")
        path.write_text(SCENARIO, encoding="utf-8")
        (scenario,) = load([path])
    return scenario


def _whole(planned: PlannedCase, target: Target, endpoints: Endpoints) -> Callable[[], Awaitable[Trace]]:
    async def run() -> Trace:
        finished = await execute([planned] * RUNS, target, endpoints, "http://harness", jobs=1)
        assert {each.result.verdict for each in finished} == {"pass"}, finished[0].result
        return finished[0].trace

    return run


def _unjudged(planned: PlannedCase, name: WireName, target: Target, endpoints: Endpoints) -> Run:
    case, scenario = planned.case, planned.scenario

    async def run() -> None:
        desk = CaseEndpoint(case, ScriptSource(scenario.steps), clock=time.perf_counter)
        case_run = CaseRun(
            wire=name,
            model=wire_named(name).default_model,
            base_url="http://harness" + endpoints.open(case.id, desk),
            prompt=scenario.prompt,
            tools=scenario.tools,
            emit=desk.recorder.emitted,
            profile=scenario.profile,
        )
        await target.run(case_run)
        endpoints.close(case.id)

    return run


def _wires(name: WireName, scenario: Scenario) -> Run:
    speaker = wire(name)
    turns = [step.turn for step in scenario.steps if isinstance(step, TurnStep)]
    prompt = tuple(Message(_ROLES[role], (Text(text),), "") for role, text in scenario.prompt)
    tools = tuple(tool.declaration for tool in scenario.tools)
    first = Conversation(name, wire_named(name).default_model, True, prompt, tools, body=dict(speaker.settings))

    async def run() -> None:
        sent, identity, asking = IssuedState(), Identity("bench"), first
        for turn in turns:
            written = speaker.write(asking)
            route = recognise("POST", written.path)
            assert route is not None
            heard = speaker.read(route, written.body)
            assert speaker.violations(heard, sent) == []
            rendered = speaker.render(turn, identity, heard)
            reply = speaker.parse(rendered.content_type, rendered.body)
            sent.add(heard, reply)
            ids = [call.id or f"call-{number}" for number, call in enumerate(reply.turn.calls)]
            going_on = speaker.returned(reply, ids), speaker.answers(reply, ids, [Result(each, RESULT) for each in ids])
            asking = replace(asking, messages=(*asking.messages, *going_on[0], *going_on[1]))

    return run

"""Cases of the target ``wire-only`` beside the provider SDKs alone: three turns, about 30 stream events.

    python benchmarks/wire_only.py

whole       a case as ``harness run`` runs it: the endpoint reads, judges, renders and records, the loop writes, parses
            and runs its tools, all rules judge the trace and the scenario's expectations are compared
unjudged    the same without the rules over the trace and without the comparison
wires       no loop, no gateway, no trace: each request is written, read and judged by the rules of its wire, each
            answer is rendered and parsed
on the SDK  the whole case on the provider's SDK (target ``reference``)
SDK         the SDK alone: it sends the same three requests, reads the same bytes, and does nothing with them

Goal: at least 4 times the runs per second of the fastest SDK. Figures are CPU time; the ratios are medians over rounds
that run everything once.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from _measure import ratio
from loop import bare_sdk

from harness.gateway import Desk, Gateway, ScriptSource
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.scenario import Scenario, TurnStep, load
from harness.targets.base import MODELS, Assignment, Target
from harness.targets.wire_only import wire_only
from harness.trace import Trace
from harness.wire import (
    NATIVE_WIRES,
    Conversation,
    Identity,
    Message,
    Result,
    Sent,
    Text,
    WireName,
    recognise,
    wire,
)
from harness.wire.base import Role

ROUNDS = 15
RUNS = 20
GOAL = 4.0
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


SIDES = ("SDK", "on the SDK", "whole", "unjudged", "wires")


def main() -> None:
    times, events = asyncio.run(measure())
    print(f"{'':20} {'events':>7}" + "".join(f" {side + ' ms':>13}" for side in SIDES))
    for name in NATIVE_WIRES:
        row = "".join(f" {median(times[side, name]) * 1000:13.2f}" for side in SIDES)
        print(f"{name:20} {events[name]:7}{row}")
    for bare, title in (("SDK", "the SDK alone"), ("on the SDK", "the case on the SDK")):
        fastest = min(NATIVE_WIRES, key=lambda name: median(times[bare, name]))
        print(f"\nruns per second: times those of {title}, its own / the fastest ({fastest}); goal {GOAL:g}")
        for name in NATIVE_WIRES:
            row = "".join(
                f" {ratio(times[bare, name], ours):6.1f} /{ratio(times[bare, fastest], ours):5.1f}"
                for ours in (times[side, name] for side in SIDES[2:])
            )
            print(f"{name:20} {'':35}{row}")


async def measure() -> tuple[dict[tuple[str, str], list[float]], dict[str, int]]:
    """CPU seconds per run, round by round, of each side on each wire; and the stream events of a run on each wire."""
    runs: dict[tuple[str, str], Run] = {}
    events: dict[str, int] = {}
    scenario = _scenario()
    for name in NATIVE_WIRES:
        gateway = Gateway()
        target, reference = wire_only(gateway), open_target("reference", gateway)
        (planned,) = plan([scenario], target=target, wires=[name])
        whole = _whole(planned, target, gateway)
        trace = await whole()
        events[name] = sum(each.response.body.count(b"data:") for each in trace.exchanges if each.response)
        runs |= {
            ("SDK", name): _repeated(bare_sdk(name, trace.exchanges)),
            ("on the SDK", name): _whole(planned, reference, gateway),
            ("whole", name): whole,
            ("unjudged", name): _unjudged(planned, target, gateway),
            ("wires", name): _repeated(_wires(name, scenario)),
        }
    return await _interleaved(runs), events


async def _interleaved(runs: dict[tuple[str, str], Run]) -> dict[tuple[str, str], list[float]]:
    times: dict[tuple[str, str], list[float]] = {side: [] for side in runs}
    for round_ in range(ROUNDS + 1):
        for side, run in runs.items():
            gc.collect()
            start = time.process_time()
            await run()
            if round_:  # the first round warms all of them up
                times[side].append((time.process_time() - start) / RUNS)
    return times


def _scenario() -> Scenario:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.yaml")
        path.write_text(SCENARIO, encoding="utf-8")
        (scenario,) = load([path])
    return scenario


def _whole(planned: PlannedCase, target: Target, gateway: Gateway) -> Callable[[], Awaitable[Trace]]:
    async def run() -> Trace:
        finished = await execute([planned] * RUNS, target, gateway, "http://harness", jobs=1)
        assert {each.result.verdict for each in finished} == {"pass"}, finished[0].result
        return finished[0].trace

    return run


def _unjudged(planned: PlannedCase, target: Target, gateway: Gateway) -> Run:
    case, scenario = planned.case, planned.scenario
    (name,) = (each for each in NATIVE_WIRES if each == case.wire)

    async def run_one() -> None:
        desk = Desk(case, ScriptSource(scenario.steps), clock=time.perf_counter)
        assignment = Assignment(
            wire=name,
            model=MODELS[name],
            base_url="http://harness" + gateway.open(case.id, desk),
            prompt=scenario.prompt,
            tools=scenario.tools,
            emit=desk.recorder.tell,
            profile=scenario.profile,
        )
        await target.run(assignment)
        gateway.close(case.id)

    return _repeated(run_one)


def _wires(name: WireName, scenario: Scenario) -> Run:
    speaker = wire(name)
    turns = [step.turn for step in scenario.steps if isinstance(step, TurnStep)]
    prompt = tuple(Message(_ROLES[role], (Text(text),), "") for role, text in scenario.prompt)
    tools = tuple(tool.declaration for tool in scenario.tools)
    first = Conversation(name, MODELS[name], True, prompt, tools, body=dict(speaker.settings))

    async def run_one() -> None:
        sent, identity, asking = Sent(), Identity("bench"), first
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

    return run_one


def _repeated(run_one: Run) -> Run:
    async def run() -> None:
        for _ in range(RUNS):
            await run_one()

    return run


if __name__ == "__main__":
    main()

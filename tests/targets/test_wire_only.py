"""The target without SDKs: every shipped scenario passes, and what is sent is what the SDK sessions send."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.targets import Target
from harness.targets.wire_only import wire_only
from harness.trace import Assistant, EventRecord, RequestRecord, SetCode, Thinking, Trace, canonical
from harness_lab.selftest.stage import in_pieces
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio


def planned(target: Target, expression: str = "") -> list[PlannedCase]:
    whole = [scenario for scenario in shipped_scenarios() if not in_pieces(scenario)]
    return plan(whole, target=target, expression=expression)


async def run(cases: Sequence[PlannedCase], target: Target, endpoints: Endpoints) -> list[Finished]:
    try:
        return await execute(cases, target, endpoints, "http://harness")
    finally:
        await target.close()


COMPARED = (
    *("calls-with-one-id", "calls-without-ids", "mixed-results", "lone-surrogate", "page-in-half-characters"),
    *("every-event", "parallel-calls", "thinking-", "paused-turn", "refusal", "connection-", "error-in-the-stream"),
    *("overloaded", "answer-not-streamed", "arguments-invalid", "truncated", "empty-turn", "system-", "instructions-"),
    *("rate-limit", "unknown-tool", "tool-returns-any-json"),
)
"""Parts of the names of scenarios in which SDK sessions change something of what came, or something fails."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def is_compared(case: PlannedCase) -> bool:
    return case.case.chunking == "event" and any(word in case.scenario.name for word in COMPARED)


def chosen(cases: Sequence[PlannedCase]) -> list[PlannedCase]:
    """What is compared with the SDK sessions, and of the rest every scenario with every chunking on one wire, in turn.

    What a scenario is on the other wires does not depend on the loop: CI runs all of them with the reference loop.
    """
    rest: dict[tuple[str, str], list[PlannedCase]] = {}
    for case in cases:
        if not is_compared(case):
            rest.setdefault((case.case.scenario, case.case.chunking), []).append(case)
    in_turn = [each[number % len(each)] for number, each in enumerate(rest.values())]
    return [*filter(is_compared, cases), *in_turn]


@pytest.fixture(scope="module")
async def played() -> list[Finished]:
    endpoints = Endpoints()
    target = wire_only(endpoints)
    return await run(chosen(planned(target)), target, endpoints)


@pytest.mark.exhaustive
async def test_every_shipped_scenario_passes(played: list[Finished]) -> None:
    failing = [
        (each.result.id, each.result.findings, each.result.error) for each in played if each.result.verdict != "pass"
    ]
    assert failing == []
    assert {each.result.scenario for each in played} == {each.scenario.name for each in planned(wire_only(Endpoints()))}
    assert min(Counter(each.result.wire for each in played).values()) > 80


@pytest.fixture(scope="module")
async def both(played: list[Finished]) -> list[tuple[Finished, Finished]]:
    """The same cases without and with the SDKs."""
    endpoints = Endpoints()
    target, reference = wire_only(endpoints), open_target("reference", endpoints)
    cases = [case for case in planned(target, "event") if is_compared(case)]
    assert len(cases) > 80
    ours = {each.result.id: each for each in played}
    theirs = await run(cases, reference, endpoints)
    return [(ours[case.case.id], finished) for case, finished in zip(cases, theirs, strict=True)]


def of_kind(trace: Trace, kind: type) -> list[Any]:
    """The canonical records of one kind; ids are named in the order in which these records have them."""
    kept = Trace(trace.case, tuple(record for record in trace.records if isinstance(record, kind)))
    return [json.loads(line) for line in canonical(kept)]


@pytest.mark.exhaustive
async def test_requests_are_those_of_the_sdk_sessions(both: list[tuple[Finished, Finished]]) -> None:
    for ours, theirs in both:
        assert of_kind(ours.trace, RequestRecord) == of_kind(theirs.trace, RequestRecord), ours.result.id


@pytest.mark.exhaustive
async def test_events_differ_in_their_pieces_and_in_the_words_of_failures(
    both: list[tuple[Finished, Finished]],
) -> None:
    """Text comes a part at a time, a preview once, with all that came; an SDK has its own words for an error.

    A run that was refused ends with the provider's explanation where there is one; a loop without an SDK reads none
    of it, nor when an answer was made.
    """
    for ours, theirs in both:
        assert pieced_together(ours.trace) == pieced_together(theirs.trace), ours.result.id


_EXPLANATION = re.compile(rb'"explanation": ?"')


def pieced_together(trace: Trace) -> list[Any]:
    pieces = {"assistant", "thinking"}
    is_explained = any(_EXPLANATION.search(each.response.body) for each in trace.exchanges if each.response)
    told: list[Any] = []
    for event in of_kind(trace, EventRecord):
        last = told[-1] if told else {}
        same = (last.get("event"), last.get("id")) == (event["event"], event.get("id"))
        if same and event["event"] in pieces:
            last["text"] += event["text"]
        elif not (same and event.get("preview") and last.get("preview")):
            told.append(_without_what_differs(event))
    if is_explained:
        assert told[-1]["outcome"] == "refused"
        assert told[-1].pop("text")
    return told


def _without_what_differs(event: dict[str, Any]) -> dict[str, Any]:
    if event["event"] == "final" and event.get("history"):  # calls without ids are named by whoever reads them
        said = [{name: each for name, each in step.items() if name != "created"} for step in event["history"]]
        calls = [{**step, "calls": [call["name"] for call in step.get("calls", ())]} for step in said]
        return {**event, "history": calls}
    if event["event"] == "error":
        return {**event, "message": ""}
    if event.get("preview") is True:
        return {**event, "code": ""}
    if event["event"] == "toolStart" and isinstance(event["input"], dict):
        return {**event, "input": {**event["input"], "contentLength": 0, "preview": ""}}
    if event["event"] == "toolResult" and not event["ok"] and "Not run" in json.dumps(event["output"]):
        return {**event, "output": "Not run"}
    return event


@pytest.mark.exhaustive
async def test_the_trace_has_every_chunk_and_the_end_of_each_response(both: list[tuple[Finished, Finished]]) -> None:
    for ours, theirs in both:
        for one, other in zip(ours.trace.exchanges, theirs.trace.exchanges, strict=True):
            assert one.response is not None
            assert other.response is not None
            assert one.response.body == other.response.body
            assert one.response.chunks == other.response.chunks
            assert one.response.status == other.response.status


async def test_a_part_is_one_event_and_a_call_that_is_streamed_some_previews() -> None:
    endpoints = Endpoints()
    target = wire_only(endpoints)
    (finished,) = await run(planned(target, "create-then-edit.anthropic-messages.event"), target, endpoints)
    events = [record.event for record in finished.trace.records if isinstance(record, EventRecord)]
    assert sum(isinstance(event, Thinking) for event in events) == 1
    assert 4 <= sum(isinstance(event, SetCode) and event.preview for event in events) <= 16
    assert sum(isinstance(event, Assistant) for event in events) == 3


def test_no_sdk_and_no_http_client_is_imported() -> None:
    code = """
import asyncio, sys
from harness.endpoint import Endpoints
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets.wire_only import wire_only

gateway = Endpoints()
target = wire_only(gateway)
cases = plan(load([shipped() / "universal" / "parallel-calls.yaml"]), target=target)
finished = asyncio.run(execute(cases, target, gateway, "http://harness"))
assert {each.result.verdict for each in finished} == {"pass"}
print(sorted({"openai", "anthropic", "google.genai", "httpx2", "httptools"} & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("[]\n", "")

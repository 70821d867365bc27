"""Every scenario that can be asked over WebSockets has the same events there as over HTTP."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from harness.doctor.probing import _planned_cases
from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.cases import CaseWork
from harness.runner.execute import Finished
from harness.runner.executor import InProcess
from harness.runner.opening import examined, matrix_for, open_target
from harness.runner.plan import PlannedCase, selected
from harness.scenario import Scenario
from harness.targets import CaseRun
from harness.targets.function import FunctionTarget
from harness.trace import (
    Event,
    EventRecord,
    Failure,
    RequestRecord,
    ResponseRecord,
    SocketRecord,
    ToolResult,
    Trace,
    canonical,
)
from harness.wire import wire, wire_names
from tests.scenarios import shipped_scenarios

WIRE = "openai-responses"
A_FEW = (
    "answer",
    "parallel-calls",
    "thinking-in-every-turn",
    "rate-limit-then-answer",
    "connection-lost-after-a-whole-call",
    "another-question-after-parallel-calls",
    "cancelled-while-a-tool-runs",
)


def planned(transport: str, *scenarios: Scenario) -> list[PlannedCase]:
    matrix = matrix_for(examined("reference"), "reference", scenarios, transport=transport)
    return [item for item in matrix if item.case.wire == WIRE and item.case.dialect == ""]


def universal(*names: str) -> list[Scenario]:
    return shipped_scenarios(*(f"universal/{name}.yaml" for name in names))


def ran(cases: list[PlannedCase]) -> list[Finished]:
    finished: list[Finished] = []
    InProcess(CaseWork(partial(open_target, "reference"), finished.append)).run(cases, lambda _: None)
    return finished


def events(trace: Trace) -> list[str]:
    """What the user sees. The words of a lost connection are its transport's, also in the result of a call that is not
    run because of it."""
    seen = [record for record in trace.records if isinstance(record, EventRecord)]
    return canonical(Trace(trace.case, tuple(replace(each, event=without_words(each.event)) for each in seen)))


def without_words(event: Event) -> Event:
    match event:
        case Failure():
            return replace(event, message="")
        case ToolResult(output={"error": str(why)}) if why.startswith("Not run: "):
            return replace(event, output={"error": "Not run"})
    return event


def alike(*scenarios: Scenario) -> None:
    over_sockets = planned("websocket", *scenarios)
    both = {item.scenario.name for item in over_sockets if not item.scenario.transport}
    first = {item.scenario.name: item for item in reversed(planned("", *scenarios)) if item.case.chunking == "event"}
    http = {each.result.scenario: each for each in ran([first[name] for name in sorted(both & first.keys())])}
    for finished in ran(over_sockets):
        name = finished.result.scenario
        assert finished.result.verdict == "pass", (name, finished.result.findings, finished.result.error)
        asked = [record for record in finished.trace.records if isinstance(record, RequestRecord)]
        on_wire = [record for record in asked if wire(WIRE).route(record.method, record.path) is not None]
        streamed = [record for record in on_wire if record.connection or json.loads(record.body).get("stream")]
        assert all(record.connection for record in streamed) or name.startswith("websocket-refused")
        if name in http:
            assert events(finished.trace) == events(http[name].trace), name


@pytest.mark.parametrize("name", A_FEW)
def test_events_are_the_same_on_both_transports(name: str) -> None:
    alike(*universal(name))


PARTS = 8


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_all_events_are_the_same_on_both_transports(part: int) -> None:
    alike(*shipped_scenarios()[part::PARTS])


HAPPENS = {
    "websocket-broken-between-turns": {"cut"},
    "websocket-compressed": set(),
    "websocket-never-answered": {"refuse"},
    "websocket-steered": set(),
    "websocket-with-another-stream": {"stray"},
    "websocket-closed-before-an-answer": {"close"},
    "websocket-closed-between-turns": {"close"},
    "websocket-closed-in-an-answer": {"close"},
    "websocket-closed-in-the-handshake": {"close", "refuse"},
    "websocket-cut-after-a-whole-call": {"cut"},
    "websocket-event-that-is-no-json": {"close"},
    "websocket-event-that-is-no-object": {"close"},
    "websocket-limit-between-turns": {"error", "close"},
    "websocket-limit-in-place-of-an-answer": {"error", "close"},
    "websocket-limit-while-it-stays-open": {"error"},
    "websocket-rate-limit-behind-a-result": {"429"},
    "websocket-refused-after-a-turn": {"close", "refuse"},
    "websocket-refused-for-good": {"refuse"},
    "websocket-refused-for-the-key": {"refuse"},
    "websocket-response-forgotten": {"400"},
    "websocket-unknown-event": {"response.metadata"},
}
"""What the trace of each scenario shows of its fault."""


def shown(trace: Trace) -> set[str]:
    """What has happened on the WebSockets, the statuses of errors, and events that no client knows."""
    found = {record.did for record in trace.records if isinstance(record, SocketRecord)}
    answers = [record for record in trace.records if isinstance(record, ResponseRecord)]
    odd = {"response.metadata" for each in answers if b"response.metadata" in each.body}
    return {*found, *(str(each.status) for each in answers), *odd} - {"200", "open", "left"}


@pytest.mark.slow
def test_the_fault_of_each_scenario_comes_and_the_loop_keeps_to_every_rule() -> None:
    scenarios = shipped_scenarios("universal/websocket")
    over = matrix_for(examined("reference"), "reference", scenarios, transport="websocket")
    finished = ran(over)
    assert {each.result.scenario: each.result.verdict for each in finished} == dict.fromkeys(HAPPENS, "pass")
    assert {each.result.scenario: shown(each.trace) for each in finished} == HAPPENS


def test_cases_over_websockets_are_there_on_request_only() -> None:
    scenarios = shipped_scenarios("universal/websocket", "universal/answer.yaml")
    target = examined("reference")
    http = matrix_for(target, "reference", scenarios)
    assert {item.scenario.name for item in http} == {"answer"}
    over = matrix_for(target, "reference", scenarios, transport="websocket")
    assert len(over) == len(scenarios)
    assert {item.case.transport for item in over} == {"websocket"}
    assert {item.case.id.rpartition("+")[2] for item in over} == {"websocket"}
    assert not any(item.case.paced for item in over)


def test_each_scenario_has_one_case_on_each_wire_with_websockets() -> None:
    have = {name for name in wire_names() if "websocket" in wire(name).channels}
    over = matrix_for(examined("reference"), "reference", shipped_scenarios(), transport="websocket")
    places = [(item.scenario.name, item.case.wire) for item in over]
    assert len(places) == len(set(places))
    assert {name for _, name in places} == have == {WIRE}
    assert all(item.scenario.stream for item in over)


def test_no_case_is_left_on_another_wire() -> None:
    over = matrix_for(examined("reference"), "reference", shipped_scenarios("universal"), transport="websocket")
    with pytest.raises(BadInput, match="no case is left"):
        selected(over, ["openai-chat"], "")


async def asks_over_http(case_run: CaseRun) -> str:
    import httpx2

    async with httpx2.AsyncClient(trust_env=False) as http:
        body = {"model": case_run.model, "input": "Hi.", "stream": True}
        await http.post(f"{case_run.base_url}/v1/responses", json=body)
    return "Done."


def test_a_loop_that_opens_no_websocket_is_reported() -> None:
    (scenario,) = shipped_scenarios("universal/answer.yaml")
    finished: list[Finished] = []
    target = partial(opened, scenario)
    cases = matrix_for(target(Endpoints()), "own", [scenario], transport="websocket")
    InProcess(CaseWork(target, finished.append)).run(cases, lambda _: None)
    (found,) = finished[0].result.findings
    assert (found.rule, found.expected, found.got) == ("target/transport", "a WebSocket", "requests over HTTP only")


def opened(scenario: Scenario, endpoints: Endpoints) -> FunctionTarget:
    from harness.targets import Declaration

    declared = Declaration(frozenset({WIRE}), frozenset({scenario.profile}))
    return FunctionTarget("own", f"{__name__}:asks_over_http", declared, function=asks_over_http)


def test_a_repeated_case_names_its_transport() -> None:
    (finished,) = ran(planned("websocket", *universal("answer")))
    assert "--transport websocket" in finished.result.repeat
    assert any(isinstance(record, SocketRecord) for record in finished.trace.records)


def test_the_driver_of_an_own_loop_is_calibrated_over_the_transport_of_the_run() -> None:
    (scenario,) = shipped_scenarios("universal/answer.yaml")
    target = opened(scenario, Endpoints())
    cases = [(scenario, WIRE), (scenario, "openai-chat")]
    assert [item.case.transport for item in _planned_cases(target, cases, "websocket")] == ["websocket", ""]
    assert [item.case.transport for item in _planned_cases(target, cases)] == ["", ""]

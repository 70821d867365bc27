"""Scenarios with results that are made at run time: the same in every run, and every way to mix them up is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.finding import Finding
from harness.runner.execute import Finished, execute
from harness.runner.plan import PlannedCase, case_of
from harness.scenario import Scenario, load
from harness.targets import Target
from harness.targets.wire_only import wire_only
from harness.trace import ToolResult
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.mutants.loops import LOOPS
from harness_lab.selftest.stage import scenarios

pytestmark = pytest.mark.anyio

FRESH = "results-are-not-mixed-up"


async def played(scenario: Scenario, wire: WireName = "openai-chat", mutant: str = "", seed: int = 0) -> Finished:
    endpoints = Endpoints()
    target: Target = LOOPS[mutant].build_wire_only(endpoints) if mutant else wire_only(endpoints)
    case = PlannedCase(case_of(scenario, wire, "event", target=target.name, seed=seed), scenario)
    (finished,) = await execute([case], target, endpoints, "http://harness")
    await target.close()
    return finished


def outputs(finished: Finished) -> list[object]:
    return [record.event.output for _, record in finished.trace.events if isinstance(record.event, ToolResult)]


async def test_each_call_has_a_value_of_its_own_in_every_run_and_on_every_wire_the_same() -> None:
    runs = [outputs(await played(scenarios()[FRESH], wire)) for wire in (*NATIVE_WIRES, *NATIVE_WIRES[:1])]
    assert runs[1:] == runs[:-1]
    assert len(set(map(str, runs[0]))) == 4
    assert "{{" not in str(runs[0])


async def test_another_seed_changes_ids_and_no_value() -> None:
    """So runs under different seeds are compared by what loops do."""
    first, second = [outputs(await played(scenarios()[FRESH], seed=seed)) for seed in (0, 1)]
    assert first == second


async def test_rules_do_not_take_what_is_written_for_what_is_returned() -> None:
    case = case_of(scenarios()[FRESH], "openai-chat", "event", target="x")
    assert case.returns == {"publish": {"published": 3}}


def rules(found: tuple[Finding, ...]) -> set[str]:
    return {each.rule for each in found}


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize(
    ("mutant", "scenario", "only"),
    [
        ("results-swapped", FRESH, {"expect/results", "expect/ran", "expect/events"}),
        ("results-swapped", "fresh-results-as-they-come", {"expect/results", "expect/events"}),
        ("results-remembered", FRESH, {"expect/results", "expect/ran"}),
        ("output-of-the-call-before", "fresh-results-as-they-come", {"expect/reported"}),
    ],
)
async def test_nothing_but_what_the_scenario_says_of_calls_finds_it(
    wire: WireName, mutant: str, scenario: str, only: set[str]
) -> None:
    result = (await played(scenarios()[scenario], wire, mutant)).result
    assert rules(result.findings) <= {*only, "expect/reported"}
    assert only & {"expect/results", "expect/reported"} <= rules(result.findings)


async def test_tools_of_the_caller_that_a_loop_ignores_are_found_by_nothing_else() -> None:
    result = (await played(scenarios()["tools-withdrawn-on-chat"], "openai-chat", "tools-of-the-caller-ignored")).result
    assert rules(result.findings) == {"expect/offered"}


async def test_a_result_that_a_loop_drops_is_named_with_the_line_of_the_answer() -> None:
    scenario = scenarios()[FRESH]
    assert scenario.lines is not None
    result = (await played(scenario, "gemini-generate", "results-cut")).result
    (first, *_) = [each for each in result.findings if "which the next answer uses" in (each.expected or "")]
    assert first.rule == "expect/results"
    assert first.expected == "the result of call 1 (make_picture) with 'url', which the next answer uses"
    assert first.line == scenario.lines.steps[1]
    assert first.at is not None


def missing(finished: Finished) -> list[tuple[str | None, str | None]]:
    return [(each.expected, each.got) for each in finished.result.findings if each.rule == "expect/results"]


async def test_a_result_that_is_not_sent_at_all_is_named() -> None:
    assert missing(await played(scenarios()[FRESH], "openai-chat", "result-dropped")) == [
        ("the result of call 3 (make_picture) in a request", "none"),
        ("the result of call 4 (publish) in a request", "3 calls of the model in all"),
    ]


async def test_results_of_calls_that_were_never_made_are_named() -> None:
    """The loop is stopped before."""
    assert missing(await played(replace(scenarios()[FRESH], turn_limit=1))) == [
        *[(f"the result of call {number} (make_picture) in a request", "none") for number in (1, 2, 3)],
        ("the result of call 4 (publish) in a request", "3 calls of the model in all"),
    ]


async def test_a_list_and_a_number_come_back_as_what_they_are(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        """\
scenario: list-and-number
profile: universal
summary: A number of a list goes into an argument that must be one.
prompt: Look and count.
tools:
  - name: look
    description: Look.
    parameters: {type: object, properties: {}}
    returns: [{count: 3, word: '{{fresh}}'}]
  - name: count
    description: Count.
    parameters: {type: object, properties: {to: {type: integer}, seen: {type: array}}, required: [to]}
    returns: done
model:
  - calls: [{look: {}}]
  - calls: [{count: {to: '{{result.1.0.count}}', seen: ['{{result.1.0}}']}}]
  - text: I saw {{result.1.0.word}}.
expect:
  outcome: completed
  events: toolStart toolResult toolStart(count) toolResult(count, ok) assistant("I saw {{result.1.0.word}}.") final
  ran: [count: {to: 3, seen: ['{{result.1.0}}']}]
"""
    )
    (scenario,) = load([file])
    for wire in NATIVE_WIRES:
        assert (await played(scenario, wire)).result.findings == (), wire

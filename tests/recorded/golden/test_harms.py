"""What would come of following the engine further: rules find it in the recordings, scenarios in the reference loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.imports.comparison import RecordedComparison
from harness.loop.driver import Tools
from harness.rules import RULES
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.targets.clients import Clients
from harness.targets.reference import EmitEvent, ReferenceTarget, Seams
from harness.trace import Event, SetCode, ToolResult
from harness.wire import WireName
from harness_lab.mutants.sessions import RunsTruncatedCalls
from harness_lab.recorded.golden.deviations import DEVIATIONS
from harness_lab.recorded.golden.habits import _Tools
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.golden.harms import HARMS, musts_broken, table
from tests.recorded.golden import shared_runs
from tests.scenarios import shipped_scenarios

ROOT = Path(__file__).parents[3]
SCENARIOS = {scenario.name: scenario for scenario in shipped_scenarios("screenshot_to_code")}


@pytest.fixture(scope="module")
def compared(shared: Path) -> list[RecordedComparison[PlayedRun]]:
    return list(shared_runs.compared(shared / "golden" / "screenshot-to-code"))


def test_every_deviation_has_a_harm() -> None:
    assert sorted(reason.name for reason in DEVIATIONS) == sorted(HARMS)


@pytest.mark.exhaustive
def test_the_table_is_that_of_the_shared_recordings(compared: list[RecordedComparison[PlayedRun]]) -> None:
    page = (ROOT / "docs" / "golden.md").read_text(encoding="utf-8")
    assert f"\n{table(compared)}\n" in page, "run scripts/golden-table"


def _alone(compared: list[RecordedComparison[PlayedRun]], name: str) -> list[RecordedComparison[PlayedRun]]:
    """The recordings that would agree if the engine were followed in this one thing."""
    return [each for each in compared if each.names == (name,)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [name for name, harm in HARMS.items() if not harm.scenarios])
def test_what_a_rule_keeps_out_breaks_it_in_every_recording(
    name: str, compared: list[RecordedComparison[PlayedRun]]
) -> None:
    """A MUST rule: the others need times, which no recording has. Where nothing finds a habit, it is never alone."""
    rules = HARMS[name].rules
    alone = _alone(compared, name)
    if rules and {RULES[rule].level for rule in rules} == {"SHOULD"}:
        assert name in BROKEN
        return
    assert bool(alone) == bool(rules)
    for each in alone:
        assert musts_broken(each) <= set(rules)
        assert musts_broken(each), each.happened.name


def test_what_a_rule_finds_elsewhere_does_not_count(compared: list[RecordedComparison[PlayedRun]]) -> None:
    """Such as the path that the engine shows before one has arrived, which the comparison takes for none."""
    by_name = {each.happened.name: each for each in compared}
    assert by_name["create_twice.openai"].verdict == "agrees"
    assert musts_broken(by_name["create_twice.openai"]) == set()
    assert musts_broken(by_name["length_in_tool_args.openai"]) == set()
    assert musts_broken(by_name["length_in_tool_args.anthropic"]) == {"final/code"}


def test_in_each_recording_that_differs_something_is_kept_out(compared: list[RecordedComparison[PlayedRun]]) -> None:
    for each in compared:
        tried = any(name in BROKEN for name in each.names)
        assert each.verdict == "agrees" or musts_broken(each) or tried, each.happened.name


def test_the_table_counts_each_set_of_reasons(compared: list[RecordedComparison[PlayedRun]]) -> None:
    names = ("edit_no_match.openai", "final_prose_only.openai", "edit_count_zero.gemini", "missing_name.openai")
    text = table([each for each in compared if each.happened.name in names])
    assert "Of 4 recordings 1 agree and 3 do not. In 2 of these" in text
    assert "at most 2. In each of the other 1" in text.replace("\n", " ")
    rows = [row.split(" | ") for row in text.splitlines()]
    assert {row[0]: row[1:3] for row in rows if len(row) == 5 and row[1] not in ("0", "in")} == {
        "| Takes the last text for the page where there is no file": ["2", "1"],
        '| Says "old_text not found" for `count` 0': ["1", "1"],
        "| Makes up a name for a call without one: `None`, `unknown_tool`": ["1", "0"],
    }
    together = [row for row in text.splitlines() if row.startswith("| Takes the last text") and row.endswith(" | 1 |")]
    assert len(together) == 1
    assert "; Makes up a name" in together[0]


# --- scenarios ------------------------------------------------------------------------------------------------


class _ShowsNothingEarly:
    """Tools whose calls are shown when they run, as the engine does it where it has missed the key of the content."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tools, name)

    def previews(self, name: str) -> bool:
        return False


def _without(is_left_out: Callable[[Event], bool]) -> Callable[[EmitEvent], EmitEvent]:
    return lambda emit: lambda event: None if is_left_out(event) else emit(event)


def _ends_what_is_not_run(event: Event) -> bool:
    return isinstance(event, ToolResult) and "Not run: " in str(event.output)


def _empties(event: Event) -> bool:
    return isinstance(event, SetCode) and not event.preview and not event.code


BROKEN: Mapping[str, tuple[Seams, WireName]] = {
    "what-was-cut-off-is-asked-for-again": (Seams(session=RunsTruncatedCalls), "openai-responses"),
    "a-spelt-out-key-is-missed": (Seams(tools=_ShowsNothingEarly), "openai-responses"),  # type: ignore[arg-type]
    "fences-are-taken-out": (Seams(tools=_Tools), "gemini-generate"),  # type: ignore[arg-type]
    "a-call-stays-open": (Seams(event_mapping=_without(_ends_what_is_not_run)), "anthropic-messages"),
    "count-0-finds-nothing": (Seams(tools=_Tools), "gemini-generate"),  # type: ignore[arg-type]
    "an-empty-file-is-not-shown": (Seams(event_mapping=_without(_empties)), "gemini-generate"),
    "retries-are-the-sdk's": (Seams(policy=lambda policy: replace(policy, retries=0)), "gemini-generate"),
}
"""The reference loop with a habit that only a scenario, or a SHOULD rule, keeps out; and a wire that shows it."""

_LONG = "long-page"
"""A scenario in which the rules find that nothing is shown while the page arrives."""


async def found(scenario: str, wire: WireName, seams: Seams) -> set[str]:
    """The rules that find something in a scenario of the preset."""
    endpoints = Endpoints()
    target = ReferenceTarget(Clients(EndpointTransport(endpoints)), preset="screenshot-to-code", seams=seams)
    planned = plan([SCENARIOS[scenario]], target=target, wires=[wire], expression="event")
    try:
        (finished,) = await execute(planned, target, endpoints, "http://harness")
    finally:
        await target.close()
    return {finding.rule for finding in finished.result.findings}


@pytest.mark.anyio
@pytest.mark.parametrize("name", BROKEN)
async def test_a_reference_loop_with_this_habit_is_found(name: str) -> None:
    seams, wire = BROKEN[name]
    harm = HARMS[name]
    for scenario in harm.scenarios or (_LONG,):
        assert await found(scenario, wire, Seams()) == set()
        rules = await found(scenario, wire, seams)
        assert set(harm.rules) <= rules
        assert rules if harm.rules else any(rule.startswith("expect/") for rule in rules), scenario


def test_every_habit_that_no_must_rule_finds_is_tried() -> None:
    musts = {name for name, harm in HARMS.items() if any(RULES[rule].level == "MUST" for rule in harm.rules)}
    nobody_s = {name for name, harm in HARMS.items() if not harm.rules and not harm.scenarios}
    assert set(HARMS) - musts - nobody_s == set(BROKEN)

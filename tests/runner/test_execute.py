"""Running cases: the same behaviour however many run at once and whatever the seed, and one crash stops nobody."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.scenario import Scenario
from harness.targets import CaseRun, Declaration, Isolation
from harness.targets.declaration import EVERY_CAPABILITY
from harness.trace import Assistant, Final, TurnStart, canonical
from harness.wire import WIRES, WireName
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio

EVERY_WIRE = frozenset(WIRES)


@pytest.fixture(scope="module")
def universal() -> list[Scenario]:
    return shipped_scenarios("universal")


def planned(scenarios: Sequence[Scenario], *, seed: int = 0, expression: str = "event") -> list[PlannedCase]:
    target = open_target("reference", Endpoints())
    return plan(scenarios, target=target, expression=expression, seed=seed)


async def run(cases: Sequence[PlannedCase], *, jobs: int) -> list[Finished]:
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    try:
        return await execute(cases, target, endpoints, "http://harness", jobs=jobs)
    finally:
        await target.close()


def on_one_wire_each(cases: Sequence[PlannedCase]) -> list[PlannedCase]:
    """Of each scenario the case on one of its wires, and on another one of the next scenario."""
    wires: dict[str, list[PlannedCase]] = {}
    for each in cases:
        wires.setdefault(each.case.scenario, []).append(each)
    return [each[number % len(each)] for number, each in enumerate(wires.values())]


@pytest.mark.exhaustive
async def test_the_reference_loop_behaves_alike_one_by_one_and_four_at_once_under_another_seed(
    universal: list[Scenario],
) -> None:
    """On all wires of all scenarios it is run by CI, with every policy."""
    alone = await run(on_one_wire_each(planned(universal)), jobs=1)
    assert [item.result.id for item in alone if item.result.verdict != "pass"] == []
    assert len({item.result.scenario for item in alone}) == len({each.case.scenario for each in planned(universal)})
    wires = Counter(item.result.wire for item in alone)
    assert (wires.keys(), min(wires.values()) > 15) == (EVERY_WIRE, True)
    other = await run(on_one_wire_each(planned(universal, seed=7)), jobs=4)
    for one, four in zip(alone, other, strict=True):
        assert canonical(one.trace) == canonical(four.trace), one.result.id


async def test_another_seed_issues_other_ids(universal: list[Scenario]) -> None:
    (first,) = await run(planned(universal, expression="tool-returns.anthropic-messages.event"), jobs=1)
    (other,) = await run(planned(universal, seed=1, expression="tool-returns.anthropic-messages.event"), jobs=1)
    assert first.trace.exchanges[0].response is not None
    assert other.trace.exchanges[0].response is not None
    assert first.trace.exchanges[0].response.body != other.trace.exchanges[0].response.body


# --- targets that misbehave ---------------------------------------------------------------------------------


@dataclass
class Stub:
    """A target that does something else in each case."""

    does: list[Any]
    name: str = "stub"
    wires: frozenset[WireName] = field(default=EVERY_WIRE)
    profiles: frozenset[str] = frozenset({"universal"})
    isolation: Isolation = "in-process"

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.wires, self.profiles, EVERY_CAPABILITY)

    async def run(self, case_run: CaseRun) -> None:
        await self.does.pop(0)(case_run)

    async def close(self) -> None:
        return None


async def answers(case_run: CaseRun) -> None:
    for event in (TurnStart(1), Assistant("Hello.", "a"), Final("", text="Hello.")):
        case_run.emit(event)


async def crashes(case_run: CaseRun) -> None:
    raise RuntimeError("no such driver")


async def hangs(case_run: CaseRun) -> None:
    await asyncio.Event().wait()


def simplest(universal: list[Scenario]) -> list[PlannedCase]:
    """The cases of the simplest scenario."""
    return planned([each for each in universal if each.name == "answer"])


async def stubbed(does: list[Any], universal: list[Scenario], *, jobs: int = 1) -> list[Finished]:
    cases = simplest(universal)[: len(does)]
    return await execute(cases, Stub(does), Endpoints(), "", jobs=jobs, judging=judging(["preview"]), deadline=0.05)


@pytest.mark.parametrize("own", [None, 3])
async def test_a_target_is_told_the_limit_of_the_scenario_and_keeps_that_of_its_profile_by_itself(
    universal: list[Scenario], own: int | None
) -> None:
    told: list[int | None] = []

    async def notes(case_run: CaseRun) -> None:
        told.append(case_run.turn_limit)
        await answers(case_run)

    limited = [replace(scenario, profile="pydantic-ai", turn_limit=own) for scenario in universal]
    target = Stub([notes], profiles=frozenset({"pydantic-ai"}))
    (case, *_) = plan([each for each in limited if each.name == "answer"], target=target, expression="event")
    await execute([case], target, Endpoints(), "", judging=judging(["preview"]))
    assert (told, case.case.turn_limit) == ([own], own or 50)


async def test_a_crash_is_that_cases_error_with_its_traceback(universal: list[Scenario]) -> None:
    results = [item.result for item in await stubbed([answers, crashes, answers], universal)]
    assert [result.verdict for result in results] == ["pass", "error", "pass"]
    assert results[1].error is not None
    assert "RuntimeError: no such driver" in results[1].error


async def test_a_target_that_would_end_the_process_ends_its_case(universal: list[Scenario]) -> None:
    async def leaves(case_run: CaseRun) -> None:
        sys.exit("bye")

    results = [item.result for item in await stubbed([leaves, answers], universal)]
    assert [result.verdict for result in results] == ["error", "pass"]
    assert results[0].error is not None
    assert "SystemExit: bye" in results[0].error


async def test_a_case_that_hangs_ends_at_its_deadline_and_the_others_go_on(universal: list[Scenario]) -> None:
    results = [item.result for item in await stubbed([hangs, answers], universal, jobs=2)]
    assert [result.verdict for result in results] == ["fail", "pass"]
    (hung,) = results[0].findings
    assert (hung.rule, hung.level, hung.got) == ("target/end", "MUST", "it did not end; it has sent no request")
    assert hung.detail == "The case did not end within 0.05 s."


async def test_a_loop_that_waits_to_ask_again_has_not_hung(
    universal: list[Scenario], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.runner.execute.waits_to_ask_again", lambda trace, deadline: "waits")
    (waiting,) = [item.result for item in await stubbed([hangs], universal)]
    assert (waiting.verdict, waiting.reason, waiting.findings) == ("skip", "waits", ())


async def test_results_come_in_the_order_of_the_plan(universal: list[Scenario]) -> None:
    finished = await stubbed([hangs, answers, answers], universal, jobs=3)
    assert [item.result.id for item in finished] == [item.case.id for item in simplest(universal)[:3]]


async def test_a_rule_that_crashes_is_the_cases_error(
    universal: list[Scenario], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("in a rule")

    monkeypatch.setattr("harness.runner.findings.judge", broken)
    (finished,) = await stubbed([answers], universal)
    assert finished.result.verdict == "error"
    assert "ZeroDivisionError: in a rule" in (finished.result.error or "")

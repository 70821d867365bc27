"""What is known to be wrong with real loops is found on the real loops, by the rule that says so.

Each row was seen before the harness had a driver for the loop, on a bare scripted endpoint. Where a library has mended
one of them, its row fails, and with it the baseline's entry is stale: both go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.cases import endpoint
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.plan import plan
from harness.runner.sources import SCRIPTED, Opened, Scripted, Sources
from harness.scenario import Scenario, load, shipped
from harness.targets.shipped import SHIPPED
from harness.trace import Case
from harness.wire import WireName
from tests.case_tables import from_table, rows_of
from tests.scenarios import shipped_scenarios

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # of google-genai
]


NAME = "test_what_is_known_of_a_loop_is_found_by_its_rule"


@pytest.mark.sampled(4)
@from_table(__file__, NAME)
async def test_what_is_known_of_a_loop_is_found_by_its_rule(
    target: str, scenario: str, wire: WireName, rule: str
) -> None:
    assert rule in await found(target, scenario, wire)


@dataclass(frozen=True, slots=True)
class OfModel(Scripted):
    """The scripts, as another model's."""

    model: str = ""

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        async with Scripted.opened(self, case, scenario) as opened:
            yield replace(opened, model=self.model)


@pytest.mark.parametrize(
    ("model", "is_dropped"),
    [("gpt-5.5", False), ("deepseek-v4-flash", True)],  # recordings of both have a phase
)
async def test_the_phase_goes_back_for_models_that_the_library_knows(model: str, *, is_dropped: bool) -> None:
    rules = await found("pydantic-ai", "universal/text-between-calls", "openai-responses", OfModel(model=model))
    assert ("history/model-phase" in rules) is is_dropped


async def found(name: str, scenario: str, wire: WireName, sources: Sources = SCRIPTED) -> set[str]:
    """What is found in the first case, by the names under which baselines and rules report it."""
    try:
        target = SHIPPED[name].open()
    except BadInput as missing:
        pytest.skip(str(missing))
    endpoints = Endpoints()
    scenarios = shipped_scenarios(f"{scenario}.yaml")
    (case, *_) = plan(scenarios, target=target, wires=[wire], expression=f"{wire}.event")
    try:
        async with endpoint(target, endpoints) as base_url:
            (finished,) = await execute(
                [case], target, endpoints, base_url, judging=judging(info=True), sources=sources
            )
    finally:
        await target.close()
    assert finished.result.error is None
    return {name for each in finished.result.findings for name in (each.id, each.rule)}


async def test_a_loop_of_which_that_is_not_known_is_not_blamed_for_it() -> None:
    """The same scenarios on the reference loop: the rules can tell."""
    from harness.runner.opening import open_target

    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    known = rows_of(__file__, NAME)
    paths = sorted({shipped() / f"{scenario}.yaml" for _, scenario, *_ in known})
    cases = plan(load(paths), target=target, expression="event")
    try:
        finished = await execute(cases, target, endpoints, "http://harness")
    finally:
        await target.close()
    assert [each.result.id for each in finished if each.result.verdict != "pass"] == []
    assert len(finished) > len(known)

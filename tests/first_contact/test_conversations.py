"""Several conversations in one case: each is judged by itself, against what was sent in it (field notes: H1)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.finding import record_of
from harness.rules import judge
from harness.runner.execute import Finished, execute
from harness.runner.plan import PlannedCase, plan
from harness.scenario import Scenario, load
from harness.targets import CaseRun, Declaration
from harness.targets.base import Isolation
from harness.trace import RequestRecord, dumps, loads
from harness.wire import WireName
from tests.first_contact.agents import AGENTS, Agent

pytestmark = pytest.mark.filterwarnings(
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning"
)  # google-genai

SCENARIO = """
scenario: two-at-once
profile: universal
{suite}summary: A main conversation and a sub-agent.
wires: native
stream: {stream}
prompt: [{{system: You plan trips.}}, {{user: Plan a trip to Lisbon.}}]
tools:
  - name: get_weather
    description: The weather.
    parameters: {{type: object, properties: {{city: {{type: string}}}}}}
    returns: fine
  - name: get_time
    description: The time.
    parameters: {{type: object, properties: {{city: {{type: string}}}}}}
    returns: fine
model:
  - {{text: Let me look., calls: [{{get_weather: {{city: Lisbon}}}}, {{get_time: {{city: Lisbon}}}}]}}
  - {{text: And again., calls: [{{get_weather: {{city: Porto}}}}, {{get_time: {{city: Porto}}}}]}}
  - text: Go in May.
subagents:
  - says: You know the sea
    model:
      - {{text: I ask., calls: [{{get_weather: {{city: Faro}}}}, {{get_time: {{city: Faro}}}}]}}
      - {{text: I ask again., calls: [{{get_weather: {{city: Sagres}}}}, {{get_time: {{city: Sagres}}}}]}}
      - text: The sea is calm.
expect: {{outcome: completed, turns: 3, requests: 3}}
"""

Drive = Callable[[CaseRun], Awaitable[None]]


@dataclass
class Driven:
    """A target that is a function of this file; its agents reach the endpoint over loopback HTTP."""

    drive: Drive
    name: str = "two-agents"
    declaration: Declaration = field(default_factory=lambda: Declaration(emits=frozenset()))
    isolation: Isolation = "command"

    async def run(self, case_run: CaseRun) -> None:
        await self.drive(case_run)

    async def close(self) -> None: ...


def scenario_of(tmp_path: Path, stream: bool) -> Scenario:
    from harness.scenario.authored import ScenarioFile

    suite = "suite: core\n" if "suite" in ScenarioFile.model_fields else ""
    path = tmp_path / "two-at-once.yaml"
    path.write_text(SCENARIO.format(stream=str(stream).lower(), suite=suite))
    (scenario,) = load([path])
    return scenario


def case_of(scenario: Scenario, wire: WireName, drive: Drive) -> tuple[PlannedCase, Driven]:
    target = Driven(drive)
    (planned,) = plan([scenario], target=target, wires=[wire])
    return planned, target


def judged(planned: PlannedCase, target: Driven) -> Finished:
    async def run() -> Finished:
        endpoints = Endpoints()
        async with serving(endpoints) as url:
            (finished,) = await execute([planned], target, endpoints, url)
        return finished

    return asyncio.run(run())


def agents(case_run: CaseRun) -> tuple[Agent, Agent]:
    kind = AGENTS[case_run.wire]
    made = [
        kind(case_run.base_url, system, prompt, case_run.stream, case_run.model)
        for system, prompt in (("You plan trips.", "Plan a trip to Lisbon."), ("You know the sea.", "How is the sea?"))
    ]
    return made[0], made[1]


WIRES = list(AGENTS)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
each_wire = pytest.mark.parametrize("wire", WIRES)


@pytest.mark.sampled(3)
@both
@each_wire
def test_two_correct_conversations_step_by_step_are_no_finding(tmp_path: Path, wire: WireName, stream: bool) -> None:
    async def drive(case_run: CaseRun) -> None:
        main, side = agents(case_run)
        for agent in (main, side, side, main, side, main):
            await agent.step()
        assert (main.text, side.text) == ("Go in May.", "The sea is calm.")

    finished = judged(*case_of(scenario_of(tmp_path, stream), wire, drive))
    assert finished.result.verdict == "pass", finished.result.error or finished.result.findings
    assert [(each.name, each.requests) for each in finished.result.conversations] == [("main", 3), ("side 1", 3)]


@pytest.mark.sampled(3)
@both
@each_wire
def test_two_correct_conversations_at_the_same_time_are_no_finding(
    tmp_path: Path, wire: WireName, stream: bool
) -> None:
    async def drive(case_run: CaseRun) -> None:
        await asyncio.gather(*(agent.run() for agent in agents(case_run)))

    finished = judged(*case_of(scenario_of(tmp_path, stream), wire, drive))
    assert finished.result.verdict == "pass", finished.result.error or finished.result.findings
    assert sorted(each.requests for each in finished.result.conversations) == [3, 3]


Break = Callable[[Agent, Agent], None]


def forget_a_result(broken: Agent, other: Agent) -> None:
    broken.remove(broken.results[-1])


def forget_all_results(broken: Agent, other: Agent) -> None:
    for result in broken.results:
        broken.remove(result)


def answer_a_call_twice(broken: Agent, other: Agent) -> None:
    broken.double(broken.results[0])


def answer_under_a_made_up_id(broken: Agent, other: Agent) -> None:
    broken.rename(broken.results[0], "call_of_nobody")


def answer_the_call_of_the_other(broken: Agent, other: Agent) -> None:
    broken.rename(broken.results[0], other.calls[0].id or "none")


def forget_the_models_turn(broken: Agent, other: Agent) -> None:
    for entry in broken.turn:
        broken.remove(entry)


def forget_a_call(broken: Agent, other: Agent) -> None:
    broken.remove(broken.calls[0].native)


def change_the_arguments(broken: Agent, other: Agent) -> None:
    broken.rewrite(broken.calls[0].native, {"city": "Atlantis"})


def change_the_models_words(broken: Agent, other: Agent) -> None:
    broken.reword("I never said that.")


def change_the_prompt(broken: Agent, other: Agent) -> None:
    broken.reprompt("Something else entirely.")


def offer_fewer_tools(broken: Agent, other: Agent) -> None:
    broken.tools.pop()


MUTANTS: list[Break] = [
    forget_a_result,
    forget_all_results,
    answer_a_call_twice,
    answer_under_a_made_up_id,
    answer_the_call_of_the_other,
    forget_the_models_turn,
    forget_a_call,
    change_the_arguments,
    change_the_models_words,
    change_the_prompt,
    offer_fewer_tools,
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("broken", "stream"), [("main", True), ("side 1", False)])
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
@each_wire
def test_a_mutant_in_one_of_them_is_found_there_and_only_there(
    tmp_path: Path, wire: WireName, stream: bool, mutant: Break, broken: str
) -> None:
    async def drive(case_run: CaseRun) -> None:
        main, side = agents(case_run)
        wrong, right = (main, side) if broken == "main" else (side, main)
        await main.step()
        await side.step()
        mutant(wrong, right)
        await right.step()
        await asyncio.gather(wrong.run(), right.run(), return_exceptions=True)
        assert right.text in ("Go in May.", "The sea is calm.")

    finished = judged(*case_of(scenario_of(tmp_path, stream), wire, drive))
    assert finished.result.error is None, finished.result.error
    found = {each.conversation or "main" for each in finished.result.findings}
    assert found == {broken}, finished.result.findings
    rules = {each.rule.partition("/")[0] for each in finished.result.findings}
    assert rules & {"continuation", "history"}, finished.result.findings


@each_wire
def test_a_sub_agent_that_the_loop_never_starts_is_a_finding(tmp_path: Path, wire: WireName) -> None:
    async def drive(case_run: CaseRun) -> None:
        main, _ = agents(case_run)
        await main.run()

    result = judged(*case_of(scenario_of(tmp_path, True), wire, drive)).result
    assert [each.rule for each in result.findings] == ["expect/subagents"]
    assert result.findings[0].expected == "a conversation beside the main one that says 'You know the sea'"
    assert result.conversations == ()


@each_wire
def test_a_loop_that_never_says_the_prompt_is_told_so_and_nothing_else(tmp_path: Path, wire: WireName) -> None:
    async def drive(case_run: CaseRun) -> None:
        main, _ = agents(case_run)
        main.reprompt("Something of my own.")
        main.tools = []
        await main.run()

    result = judged(*case_of(scenario_of(tmp_path, True), wire, drive)).result
    assert [each.rule for each in result.findings] == ["target/conversation"]
    assert result.findings[0].expected == "a request that says 'Plan a trip to Lisbon.'"
    assert result.findings[0].got == "requests: 1 in 'side 1', which begins 'You plan trips.'"


@each_wire
def test_stored_traces_are_judged_conversation_by_conversation(tmp_path: Path, wire: WireName) -> None:
    async def drive(case_run: CaseRun) -> None:
        main, side = agents(case_run)
        await main.step()
        await side.step()
        change_the_prompt(side, main)
        await asyncio.gather(main.run(), side.run(), return_exceptions=True)

    trace = judged(*case_of(scenario_of(tmp_path, True), wire, drive)).trace
    stored = loads(dumps(trace))
    assert stored == trace
    found = judge(stored)
    assert found
    assert {finding.conversation for finding in found} == {"side 1"}
    requests = {at: record for at, record in enumerate(stored.records) if isinstance(record, RequestRecord)}
    assert {requests[record_of(finding.at or 0)].conversation for finding in found} == {1}

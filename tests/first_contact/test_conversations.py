"""Several conversations in one case: each is judged by itself, against what was sent in it (field notes: H1)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typing_extensions import override

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.finding import record_of
from harness.rules import judge
from harness.runner.execute import Finished, execute
from harness.runner.plan import plan
from harness.scenario import Scenario, load
from harness.targets import CaseRun, Declaration
from harness.targets.base import Isolation
from harness.trace import RequestRecord, dumps, loads
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.freedoms.faults import FAULTS
from harness_lab.freedoms.faults_kinds import Faulty
from harness_lab.freedoms.faults_pieces import Kind, changed, entries_of, result_id, with_entries
from harness_lab.freedoms.loop import offered
from harness_lab.freedoms.speaker import Answer, Json
from harness_lab.freedoms.speakers import SPEAKERS
from harness_lab.freedoms.style import Style

SCENARIO = Path(__file__).with_name("two_at_once.yaml").read_text(encoding="utf-8")
PROMPTS = ("You plan trips.", "Plan a trip to Lisbon."), ("You know the sea.", "How is the sea?")
ANSWERS = {"main": "Go in May.", "side 1": "The sea is calm."}


class OneOfTwo(Faulty):
    """A loop that asks when it is its turn, as long as ``order`` says whose that is. ``calls`` are those of both."""

    order: list[str]
    calls: dict[str, str]
    of: str

    @override
    async def ask(self) -> Answer:
        while self.order and self.order[0] != self.of:  # noqa: ASYNC110 - the two take turns in one thread
            await asyncio.sleep(0)
        answer = await super().ask()
        self.calls.setdefault(self.of, answer.calls[0].issued if answer.calls else "")
        del self.order[:1]
        return answer


class AnswersTheCallOfTheOther(OneOfTwo):
    """The first result names a call that was made in the other conversation."""

    @override
    def sent(self, body: Json) -> Json:
        answered = [call for of, call in self.calls.items() if of != self.of]

        def rename(what: Kind, piece: Json) -> Json:
            if what == "result" and answered:
                holder, name = result_id(piece)
                holder[name] = answered.pop() or "none"
            return piece

        return with_entries(body, changed(entries_of(body), rename))


@dataclass
class TwoLoops:
    """A target of loops on one client, each with a prompt of its own."""

    endpoints: Endpoints
    order: list[str]
    kinds: Mapping[str, type[OneOfTwo]]
    prompts: Sequence[tuple[str, str]] = PROMPTS
    has_tools: bool = True
    name: str = "two-agents"
    declaration: Declaration = field(default_factory=lambda: Declaration(emits=frozenset()))
    isolation: Isolation = "command"
    texts: dict[str, Any] = field(default_factory=dict)

    async def run(self, case_run: CaseRun) -> None:
        shared = {"order": list(self.order), "calls": {}}
        transport = EndpointTransport(self.endpoints)
        async with httpx2.AsyncClient(transport=transport, base_url=case_run.base_url, timeout=None) as client:
            loops = [
                self._loop(of, kind, prompt, case_run, client, shared)
                for (of, kind), prompt in zip(self.kinds.items(), self.prompts, strict=False)
            ]
            texts = await asyncio.gather(*(loop.run() for loop in loops), return_exceptions=True)
        self.texts.update(zip(self.kinds, texts, strict=True))

    def _loop(
        self,
        of: str,
        kind: type[OneOfTwo],
        prompt: tuple[str, str],
        case_run: CaseRun,
        client: httpx2.AsyncClient,
        shared: dict[str, Any],
    ) -> OneOfTwo:
        system, question = prompt
        case, style = replace(case_run, prompt=[("system", system), ("user", question)]), Style()
        tools = offered(case, style) if self.has_tools else []
        made = type(kind.__name__, (kind,), {**shared, "of": of})
        loop: OneOfTwo = made(case, client, SPEAKERS[case.wire](case, style, tools, system), style)
        return loop

    async def close(self) -> None: ...


def scenario_of(tmp_path: Path, stream: bool) -> Scenario:
    path = tmp_path / "two-at-once.yaml"
    path.write_text(SCENARIO.replace("stream: true", f"stream: {str(stream).lower()}"))
    (scenario,) = load([path])
    return scenario


def judged(
    scenario: Scenario,
    wire: WireName,
    order: str = "",
    main: type[OneOfTwo] = OneOfTwo,
    side: type[OneOfTwo] | None = OneOfTwo,
    **differs: Any,
) -> tuple[Finished, dict[str, Any]]:
    """What came of the loops, which ask in this order (M is the main one), and the text that each returned."""
    endpoints = Endpoints()
    kinds = {"main": main, **({"side 1": side} if side else {})}
    target = TwoLoops(endpoints, [{"M": "main", "S": "side 1"}[each] for each in order], kinds, **differs)
    (planned,) = plan([scenario], target=target, wires=[wire])
    (finished,) = asyncio.run(execute([planned], target, endpoints, "http://harness"))
    return finished, target.texts


both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
each_wire = pytest.mark.parametrize("wire", NATIVE_WIRES)


@both
@each_wire
@pytest.mark.parametrize("order", ["MSSMSM", ""], ids=["step by step", "at the same time"])
def test_two_correct_conversations_are_no_finding(tmp_path: Path, wire: WireName, stream: bool, order: str) -> None:
    finished, texts = judged(scenario_of(tmp_path, stream), wire, order)
    assert finished.result.verdict == "pass", finished.result.error or finished.result.findings
    assert sorted(each.requests for each in finished.result.conversations) == [3, 3]
    assert texts == ANSWERS
    assert not order or [each.name for each in finished.result.conversations] == ["main", "side 1"]


def faulty(name: str) -> type[OneOfTwo]:
    return type(name, (OneOfTwo, FAULTS[name].loop), {}) if name in FAULTS else AnswersTheCallOfTheOther


MUTANTS = (
    *("forgets-the-last-result", "sends-no-results", "sends-a-result-twice", "makes-an-id-up", "drops-the-turn"),
    *("drops-the-calls", "changes-an-argument", "writes-the-text-small", "changes-the-question", "withdraws-a-tool"),
    "answers the call of the other",
)


POSSIBLE = [
    (wire, each) for wire in NATIVE_WIRES for each in MUTANTS if each not in FAULTS or wire in FAULTS[each].wires
]


@pytest.mark.parametrize(("broken", "stream"), [("main", True), ("side 1", False)])
@pytest.mark.parametrize(("wire", "mutant"), POSSIBLE)
def test_a_mutant_in_one_of_them_is_found_there_and_only_there(
    tmp_path: Path, wire: WireName, stream: bool, mutant: str, broken: str
) -> None:
    kinds = {"main": faulty(mutant), "side": OneOfTwo} if broken == "main" else {"side": faulty(mutant)}
    finished, texts = judged(scenario_of(tmp_path, stream), wire, "MSS" if broken == "main" else "MSM", **kinds)
    assert finished.result.error is None, finished.result.error
    (right,) = set(ANSWERS) - {broken}
    assert texts[right] == ANSWERS[right]
    found = {each.conversation or "main" for each in finished.result.findings}
    assert found == {broken}, finished.result.findings
    rules = {each.rule.partition("/")[0] for each in finished.result.findings}
    assert rules & {"continuation", "history"}, finished.result.findings


@each_wire
def test_a_sub_agent_that_the_loop_never_starts_is_a_finding(tmp_path: Path, wire: WireName) -> None:
    result = judged(scenario_of(tmp_path, True), wire, side=None)[0].result
    assert [each.rule for each in result.findings] == ["expect/subagents"]
    assert result.findings[0].expected == "a conversation beside the main one that says 'You know the sea'"
    assert result.conversations == ()


@each_wire
def test_a_loop_that_never_says_the_prompt_is_told_so_and_nothing_else(tmp_path: Path, wire: WireName) -> None:
    own = [("You plan trips.", "Something of my own.")]
    result = judged(scenario_of(tmp_path, True), wire, side=None, prompts=own, has_tools=False)[0].result
    assert [each.rule for each in result.findings] == ["target/conversation"]
    assert result.findings[0].expected == "a request that says 'Plan a trip to Lisbon.'"
    assert result.findings[0].got == "requests: 1 in 'side 1', which begins 'You plan trips.'"


@each_wire
def test_stored_traces_are_judged_conversation_by_conversation(tmp_path: Path, wire: WireName) -> None:
    trace = judged(scenario_of(tmp_path, True), wire, "MS", side=faulty("changes-the-question"))[0].trace
    stored = loads(dumps(trace))
    assert stored == trace
    found = judge(stored)
    assert found
    assert {finding.conversation for finding in found} == {"side 1"}
    requests = {at: record for at, record in enumerate(stored.records) if isinstance(record, RequestRecord)}
    assert {requests[record_of(finding.at or 0)].conversation for finding in found} == {1}

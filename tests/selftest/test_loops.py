"""Broken loops under the selftest: run, without an SDK where that is possible, and told when nobody finds them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.targets.reference import Seams
from harness.wire import OWN_NATIVE_WIRES, OWN_WIRES, WIRES, WireName
from harness_lab.mutants.loops import LOOPS, LoopMutant
from harness_lab.selftest import Family, SelftestSummary, scope, stage
from harness_lab.selftest import loops as judged
from harness_lab.selftest.loops import loops
from harness_lab.selftest.stage import can_play, found_in, run, scenarios

pytestmark = pytest.mark.anyio

NAME = "tool-start-twice"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, LOOPS[NAME])


def use(monkeypatch: pytest.MonkeyPatch, *mutants: LoopMutant) -> None:
    """Only these loops there are, and no run beside theirs."""
    monkeypatch.setattr(judged, "_every_scenario", lambda _: [])
    monkeypatch.setattr(judged, "LOOPS", {mutant.name: mutant for mutant in mutants})


async def on_chat() -> Family:
    return await loops(scope(wires=["openai-chat"]))


async def test_a_broken_loop_is_found_on_every_wire(broken: None) -> None:
    family = await loops(scope())
    assert SelftestSummary.of([family]).passed
    assert [run.on.split(".")[1] for run in family.mutants] == [*OWN_NATIVE_WIRES, "text-tags"]
    assert family.killed == {"order/tool-start-once"}
    assert [run.name for run in family.clean] == ["wire-only"] * 6 + ["reference"], "text-tags needs an SDK"


def test_every_scenario_is_played_on_one_of_its_wires() -> None:
    named = dict(judged._every_scenario(scope()))
    assert set(named) == set(scenarios())
    assert set(named.values()) == set(OWN_WIRES)
    on_chat = judged._every_scenario(scope(wires=["openai-chat"]))
    assert on_chat == [(name, "openai-chat") for name, each in scenarios().items() if "openai-chat" in each.wires]


ON_REQUEST = [name for name in OWN_WIRES if name not in WIRES]


@pytest.mark.parametrize("name", LOOPS)
def test_one_scenario_of_a_mutant_is_played_on_each_wire_that_is_run_on_request(name: str) -> None:
    """All of those that have no other wire; and all of them where no other wire is wanted."""
    mutant = LOOPS[name]
    shown = [(each, wire) for each in mutant.scenarios for wire in scenarios()[each].wires if mutant.shows_on(wire)]
    parts = judged._parts(mutant, scope())
    assert [part for part in parts if part[1] in WIRES] == [part for part in shown if part[1] in WIRES]
    for wire in ON_REQUEST:
        on_wire = [part for part in shown if part[1] == wire]
        alone = [part for part in on_wire if set(scenarios()[part[0]].wires) <= set(ON_REQUEST)]
        played = [part for part in parts if part[1] == wire]
        assert len(played) == len(alone) + (len(on_wire) > len(alone))
        assert set(alone) <= set(played) <= set(on_wire)
        assert judged._parts(mutant, scope(wires=[wire])) == on_wire


async def test_a_loop_that_is_not_broken_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, replace(LOOPS[NAME], seams=Seams()))
    (failure,) = SelftestSummary.of([await on_chat()]).failures
    assert failure.what == f"{NAME} survives on create-then-edit.openai-chat.event: not found by order/tool-start-once"


async def test_a_loop_that_only_others_find_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, replace(LOOPS[NAME], rules=("final/code",)))
    (failure,) = SelftestSummary.of([await on_chat()]).failures
    assert failure.evidence[0].startswith("instead: order/tool-start-once MUST at line ")


async def test_a_loop_that_crashes_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashes(tell: object) -> None:
        raise TypeError("oops")

    use(monkeypatch, replace(LOOPS[NAME], seams=Seams(event_mapping=crashes)))  # type: ignore[arg-type]
    selftest = SelftestSummary.of([await on_chat()])
    assert selftest.crashed
    assert selftest.failures[0].evidence[-1] == "TypeError: oops"


@pytest.mark.parametrize("name", ["wrong-call-id", "text-not-returned", "history-trimmed", "tools-withdrawn"])
@pytest.mark.parametrize("wire", OWN_NATIVE_WIRES)
async def test_requests_are_broken_without_an_sdk_too(
    name: str, wire: WireName, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, LOOPS[name])
    family = await loops(scope(wires=[wire]))
    assert not family.survivors
    assert [run.on for run in family.mutants] == [f"create-then-edit.{wire}.event"]


@pytest.mark.parametrize("sdk", [False, True])
async def test_thoughts_are_dropped_where_a_provider_would_keep_them(sdk: bool) -> None:
    """A provider that keeps interactions has the thoughts itself, so the loop has it keep none."""
    endpoints, mutant = Endpoints(), LOOPS["thinking-dropped"]
    target = mutant.build(EndpointTransport(endpoints)) if sdk else mutant.build_wire_only(endpoints)
    finished = await run([("thinking-in-every-turn", "gemini-interactions")], target, endpoints)
    (found,) = [found_in(each) for each in finished.values()]
    assert "continuation/gemini-interactions" in {each.rule for each in found}


async def test_a_scope_leaves_out_loops_that_name_another_rule() -> None:
    assert (await loops(scope(["OAC-03"]))).empty
    family = await loops(scope(["history/result-order"], ["openai-chat"]))
    assert family.names == ("results-reordered",)


def test_what_needs_an_sdk_is_not_played_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would find nothing, and each mutant would count as one that survives."""
    monkeypatch.setattr(stage, "missing", lambda name: "boto3" if name == "bedrock-converse" else "")
    assert can_play(("tool-returns", "bedrock-converse")), "without an SDK"
    assert not can_play(("tool-returns", "bedrock-converse"), streams=True)
    assert not can_play(("cancelled-while-a-tool-runs", "bedrock-converse")), "a caller acts"
    assert can_play(("long-page", "openai-chat"), streams=True)

"""Runs whose answers are recorded, and runs that answer from what was recorded."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.cassette import read_cassette
from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.execute import Finished, execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, case_of, plan
from harness.runner.sources import SCRIPTED, Cassettes, Recording, Sources, cassette_of
from harness.scenario import load, shipped
from harness.targets import CaseRun, Target
from harness.trace import canonical
from harness.wire import WIRES, WireName
from harness.wire import wire as wire_named
from tests.commands import run_harness
from tests.scenarios import shipped_scenarios

pytestmark = pytest.mark.anyio

SCENARIOS = [shipped() / "universal" / name for name in ("tool-returns.yaml", "parallel-calls.yaml")]


def planned(sources: Sources, *, wires: Sequence[WireName] = ()) -> list[PlannedCase]:
    target = open_target("reference", Endpoints())
    return plan(load(SCENARIOS), target=target, wires=wires, sources=sources)


async def run(cases: Sequence[PlannedCase], sources: Sources, target: Target | None = None) -> list[Finished]:
    endpoints = Endpoints()
    driven = target or open_target("reference", endpoints)
    try:
        return await execute(cases, driven, endpoints, "http://harness", jobs=1, sources=sources)
    finally:
        await driven.close()


async def recorded(folder: Path, *, wires: Sequence[WireName] = ()) -> list[Finished]:
    sources = Recording(folder, "once", scripted=True)
    finished = await run(planned(sources, wires=wires), sources)
    assert [item.result.error for item in finished if item.result.verdict != "pass"] == []
    return finished


async def test_what_was_recorded_replays_to_the_same_trace_twice_on_every_wire(tmp_path: Path) -> None:
    live = await recorded(tmp_path)
    assert {item.result.wire for item in live} == set(WIRES)
    replays = [await run(planned(Cassettes(tmp_path)), Cassettes(tmp_path)) for _ in range(2)]
    for first, *again in zip(live, *replays, strict=True):
        for other in again:
            assert other.result.verdict == "pass", other.result.findings
            assert canonical(other.trace) == canonical(first.trace), other.result.id
            chunks = [
                [each.response and each.response.chunks for each in trace.exchanges]
                for trace in (first.trace, other.trace)
            ]
            assert chunks[0] == chunks[1]


async def test_a_cassette_says_where_it_comes_from(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["openai-chat"])
    told = read_cassette(cassette_of(tmp_path, "tool-returns", "openai-chat")).provenance
    assert told is not None
    assert (told.source, told.scenario, told.wire, told.target) == (
        "script",
        "tool-returns",
        "openai-chat",
        "reference",
    )


async def test_only_what_is_recorded_is_planned(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["openai-chat"])
    cassette_of(tmp_path, "tool-returns", "openai-chat").unlink()
    (case,) = planned(Cassettes(tmp_path))
    assert case.case.id == "parallel-calls.openai-chat.recorded"
    with pytest.raises(BadInput, match="no cassette is there"):
        planned(Cassettes(tmp_path / "elsewhere"))


@dataclass
class Changed:
    """The reference loop with another assignment than it was given."""

    target: Target
    prompt: str = ""
    model: str = ""
    lonely: bool = False

    def __getattr__(self, name: str) -> object:
        return getattr(self.target, name)

    async def run(self, case_run: CaseRun) -> None:
        if self.lonely:
            return
        prompt = [("user", self.prompt)] if self.prompt else case_run.prompt
        await self.target.run(replace(case_run, prompt=prompt, model=self.model or case_run.model))


async def replay(folder: Path, **changes: object) -> Finished:
    endpoints = Endpoints()
    target = Changed(open_target("reference", endpoints), **changes)  # type: ignore[arg-type]
    sources = Cassettes(folder)
    cases = [item for item in planned(sources) if item.case.scenario == "tool-returns"]
    (finished,) = await execute(cases, target, endpoints, "http://harness", jobs=1, sources=sources)  # type: ignore[arg-type]
    await target.target.close()
    return finished


async def test_another_prompt_is_a_miss_that_says_what_differs_and_what_was_not_played(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["anthropic-messages"])
    finished = await replay(tmp_path, prompt="Something else?")
    assert finished.result.verdict == "fail"
    rules = [each.rule for each in finished.result.findings]
    assert rules.count("cassette/miss") == 1
    assert rules.count("cassette/unplayed") == 2
    miss = next(each for each in finished.result.findings if each.rule == "cassette/miss")
    assert "Something else?" in miss.got
    assert miss.at == 3  # the request; before it stand the header and the start of the turn
    (again,) = re.findall(r"record again: '(harness record .*)' replaces the cassette", miss.detail)
    cassette = cassette_of(tmp_path, "tool-returns", "anthropic-messages")
    cassette.write_bytes(cassette.read_bytes().replace(b"tool_use", b"tool_misuse"))
    assert run_harness(*shlex.split(again)[1:], "--out", tmp_path / "run").returncode == 0
    assert b"tool_misuse" not in cassette.read_bytes()


async def test_a_target_that_asks_somebody_else_fails_for_that_alone(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["anthropic-messages"])
    finished = await replay(tmp_path, lonely=True)
    assert finished.result.verdict == "fail"
    (found,) = finished.result.findings
    assert found.rule == "target/request"
    assert "No request has reached the endpoint" in found.detail


async def test_a_cassette_that_cannot_be_read_is_the_error_of_its_case_alone(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["openai-chat"])
    broken = cassette_of(tmp_path, "tool-returns", "openai-chat")
    broken.write_text("version: 1\ninteractions: {", encoding="utf-8")
    verdicts = {item.result.scenario: item for item in await run(planned(Cassettes(tmp_path)), Cassettes(tmp_path))}
    assert verdicts["parallel-calls"].result.verdict == "pass"
    assert verdicts["tool-returns"].result.verdict == "error"
    assert f"{broken}:3:1: " in (verdicts["tool-returns"].result.error or "")


async def test_a_loop_that_crashes_while_it_is_recorded_leaves_the_cassette_as_it_was(tmp_path: Path) -> None:
    await recorded(tmp_path, wires=["openai-chat"])
    path = cassette_of(tmp_path, "tool-returns", "openai-chat")
    before = path.read_bytes()
    sources = Recording(tmp_path, "all", scripted=True)
    endpoints = Endpoints()
    target = Crashing(open_target("reference", endpoints))
    cases = [item for item in planned(sources, wires=["openai-chat"]) if item.case.scenario == "tool-returns"]
    (finished,) = await execute(cases, target, endpoints, "http://harness", jobs=1, sources=sources)  # type: ignore[arg-type]
    await target.target.close()
    assert finished.result.verdict == "error"
    assert path.read_bytes() == before
    (left,) = path.parent.glob("*.interrupted-*.yaml")
    assert len(read_cassette(left).interactions) == 2


@dataclass
class Crashing(Changed):
    async def run(self, case_run: CaseRun) -> None:
        await self.target.run(case_run)
        raise RuntimeError("after the last answer")


def test_scripts_have_all_wires_and_cassettes_those_that_were_recorded(tmp_path: Path) -> None:
    (scenario, _) = load(SCENARIOS)
    assert SCRIPTED.variations(scenario, "openai-chat") == scenario.chunkings
    assert Cassettes(tmp_path).variations(scenario, "openai-chat") == []
    assert Recording(tmp_path, "once").variations(scenario, "openai-chat") == ["recorded"]


@pytest.mark.parametrize(
    ("name", "wire", "model"),
    [
        ("thinking-before-text", "openai-chat", "deepseek-v4-flash"),
        ("thinking-before-text", "openai-responses", wire_named("openai-responses").default_model),
        ("answer", "openai-chat", wire_named("openai-chat").default_model),
        ("signed-call-on-chat", "openai-chat", "gemini-3-flash-preview"),
    ],
)
async def test_a_script_that_thinks_on_chat_is_played_by_a_model_that_tells_its_thoughts(
    name: str, wire: WireName, model: str
) -> None:
    """Loops send thoughts back to those models only: OpenAI's own hide them."""
    (scenario,) = shipped_scenarios(f"universal/{name}.yaml")
    async with SCRIPTED.opened(case_of(scenario, wire, "event", target="reference"), scenario) as opened:
        assert opened.model == model

"""What a right loop may do where a run does not go its usual way costs it no finding: the loops of ``free_loops``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Declaration
from harness.targets.declaration import Capability
from harness.targets.function import FunctionTarget
from harness.wire import NATIVE_WIRES, WireName
from tests.first_contact.test_no_false_blame import driven

pytestmark = pytest.mark.anyio

_, CHAT, ANTHROPIC, GEMINI = NATIVE_WIRES
LOOPS = "tests.first_contact.free_loops"
ABLE: frozenset[Capability] = frozenset({"streaming", "non-streaming", "thinking", "parallel"})
PARALLEL = Declaration(frozenset(NATIVE_WIRES), capabilities=ABLE)
RETRYING = replace(PARALLEL, capabilities=ABLE | {"retry"})
UNIVERSAL = shipped() / "universal"
CUT = (
    "truncated-call",
    "truncated-after-a-whole-call",
    "truncated-text",
    "content-filter",
    "content-filter-with-a-call",
    "content-filter-with-a-call-at-a-later-turn",
    "refusal",
    "refusal-with-a-call",
    "refusal-beside-a-call-at-a-later-turn",
)
BESIDE_TEXT = """scenario: text-beside-calls
profile: universal
summary: The model says something beside each of its calls, and in the end.

prompt: Is everything shut?
tools:
  - name: look
    description: Look at something.
    parameters: {type: object, properties: {at: {type: string, description: What.}}, required: [at]}
    returns: shut
model:
  - text: First the door.
    calls: [look: {at: door}]
  - text: Now the window.
    calls: [look: {at: window}]
  - text: All shut.

expect:
  outcome: completed
  events: |
    assistant("First the door.") toolStart(look) toolResult(look, ok)
    assistant("Now the window.") toolStart(look) toolResult(look, ok)
    assistant("All shut.") final(completed)
"""


def blamed(finished: Finished) -> list[str]:
    found = [each for each in finished.result.findings if each.level != "INFO"]
    return [f"{each.id} {each.level}: {each.expected} / {each.got}" for each in found]


async def passes(loop: str, path: Path, *wires: WireName, declared: Declaration = PARALLEL) -> None:
    for finished in await driven(loop, path, wires or NATIVE_WIRES, LOOPS, declared):
        assert (blamed(finished), finished.result.error) == ([], None), finished.result.id
        assert finished.result.verdict == "pass", (finished.result.id, finished.result.reason)


@pytest.mark.parametrize("loop", ["says_so", "ends_there"])
async def test_a_loop_may_end_at_its_own_limit_with_any_word(loop: str) -> None:
    await passes(loop, UNIVERSAL / "calls-without-end.yaml")


@pytest.mark.parametrize("loop", ["wraps", "blocks"])
async def test_null_is_a_value_however_it_is_wrapped(loop: str) -> None:
    await passes(loop, UNIVERSAL / "tool-returns-any-json.yaml")


@pytest.mark.parametrize("loop", ["returns", "raises", "answers_the_cut", "drops_the_cut"])
@pytest.mark.parametrize("scenario", CUT)
async def test_a_turn_that_was_stopped_is_for_the_loop_to_go_on_from(loop: str, scenario: str) -> None:
    await passes(loop, UNIVERSAL / f"{scenario}.yaml", CHAT, ANTHROPIC)


@pytest.mark.parametrize("scenario", ["retries-run-out", "quota-spent-after-two-turns"])
async def test_a_loop_may_ask_ten_times_again_and_wait(scenario: str) -> None:
    await passes("patient", UNIVERSAL / f"{scenario}.yaml", GEMINI, CHAT, declared=RETRYING)


async def test_a_loop_that_asks_without_end_is_found() -> None:
    (finished,) = await driven("hammers", UNIVERSAL / "retries-run-out.yaml", [CHAT], LOOPS, RETRYING)
    assert {each.rule for each in finished.result.findings if each.level != "INFO"} >= {"retry/request"}


async def test_a_loop_that_raises_may_lack_the_end_of_its_text() -> None:
    await passes("raises_in_its_text", UNIVERSAL / "truncated-text.yaml")


@pytest.mark.parametrize("loop", ["patient", "blocks"])
async def test_texts_may_all_come_at_the_end(loop: str, tmp_path: Path) -> None:
    path = tmp_path / "text-beside-calls.yaml"
    path.write_text(BESIDE_TEXT, encoding="utf-8")
    await passes(loop, path)


async def test_of_texts_at_the_end_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "text-beside-calls.yaml"
    path.write_text(BESIDE_TEXT, encoding="utf-8")
    (finished,) = await driven("loses_a_text", path, [CHAT], LOOPS, PARALLEL)
    assert {each.rule for each in finished.result.findings} >= {"stream/text"}


@pytest.mark.parametrize("scenario", ["code-run-by-the-provider", "code-that-failed-on-gemini"])
def test_what_the_provider_runs_is_played_to_those_who_declare_it(scenario: str) -> None:
    target = FunctionTarget("returns", f"{LOOPS}:returns", PARALLEL)
    (case, *_) = plan(load([UNIVERSAL / f"{scenario}.yaml"]), target=target, wires=[GEMINI])
    assert "server-tools" in case.skip

"""What is known to be wrong with real loops is found on the real loops, by the rule that says so.

Each row was seen before the harness had a driver for the loop, on a bare scripted endpoint. Where a library has mended
one of them, its row fails, and with it the baseline's entry is stale: both go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

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
from tests.scenarios import shipped_scenarios

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # of google-genai
]


class Known(NamedTuple):
    """``scenario`` is the file without its suffix; ``rule`` as a baseline names it, or the rule that reports it."""

    target: str
    scenario: str
    wire: WireName
    rule: str


A: WireName = "anthropic-messages"
R: WireName = "openai-responses"
C: WireName = "openai-chat"
G: WireName = "gemini-generate"
B: WireName = "bedrock-converse"

TRUNCATED_ARGUMENTS_RUN = [
    Known("anthropic-runner", "universal/arguments-cut-off", A, "execution/arguments"),
    Known("anthropic-runner:unthreaded", "universal/arguments-cut-off", A, "execution/arguments"),
    Known("anthropic-runner-ts", "universal/arguments-cut-off", A, "execution/arguments"),
]

END_OF_STREAM_TAKEN_FOR_SUCCESS = [
    Known("anthropic-runner", "universal/stream-without-its-end", A, "final/failed-turn"),
    *[Known("pydantic-ai", "universal/stream-without-its-end", wire, "final/failed-turn") for wire in (R, C, A, G)],
    Known("openai-agents", "universal/stream-without-its-end", C, "final/failed-turn"),
    Known("google-genai", "universal/stream-without-its-end", G, "final/failed-turn"),
    Known("strands", "universal/stream-without-its-end", B, "final/failed-turn"),
    Known("pydantic-ai:bedrock", "universal/stream-without-its-end-after-a-call", B, "final/failed-turn"),
]

HISTORY_EDITED = [
    Known("anthropic-runner", "tool_runner/note-alone", A, "execution/unnecessary"),
    Known("anthropic-runner", "tool_runner/turn-pushed-alone", A, "continuation/anthropic-messages"),
    Known("anthropic-runner", "tool_runner/turn-and-response-pushed", A, "order/tool-result-once"),
    Known("anthropic-runner", "tool_runner/note-behind-the-answer", A, "expect/requests"),
]

GOOGLES_OWN = [
    Known("google-genai", "universal/parallel-calls", G, "continuation/gemini-generate"),  # ids, GEM-13: only INFO
    Known("google-genai:sync", "universal/tool-with-empty-argument-text", G, "final/unfinished"),
]

STOPPED_TURNS_RUN = [
    Known("pydantic-ai", "universal/truncated-after-a-whole-call", C, "final/stopped-call"),
    Known("openai-agents", "universal/content-filter-with-a-call", C, "final/stopped-call"),
    Known("google-genai", "universal/content-filter-with-a-call", G, "final/stopped-call"),
    Known("pydantic-ai:bedrock", "universal/truncated-after-a-whole-call", B, "final/stopped-call"),
]

RESULTS_NEVER_SENT = [
    Known("anthropic-runner", "tool_runner/limit-of-one", A, "execution/unnecessary"),
    Known("anthropic-runner-ts", "tool_runner/limit-of-one", A, "execution/unnecessary"),
]

ANTHROPIC_RUNNERS = ("anthropic-runner", "anthropic-runner:unthreaded", "anthropic-runner-ts")

IDS_AS_THEY_CAME = [
    *[Known(target, "universal/call-without-an-id", A, "ANT-09") for target in ANTHROPIC_RUNNERS],
    *[Known(target, "universal/one-id-for-two-calls", A, "ANT-04") for target in ANTHROPIC_RUNNERS],
    Known("openai-agents", "universal/id-that-may-come-back", C, "expect/outcome"),
]

DENIALS_SENT_AS_RESULTS = [
    Known("pydantic-ai", "pydantic_ai/unapproved-call-denied", A, "history/result-error"),
]

KNOWN = [
    *TRUNCATED_ARGUMENTS_RUN,
    *END_OF_STREAM_TAKEN_FOR_SUCCESS,
    *HISTORY_EDITED,
    *GOOGLES_OWN,
    *STOPPED_TURNS_RUN,
    *RESULTS_NEVER_SENT,
    *IDS_AS_THEY_CAME,
    *DENIALS_SENT_AS_RESULTS,
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.target}-{known.scenario}-{known.wire}")
async def test_what_is_known_of_a_loop_is_found_by_its_rule(known: Known) -> None:
    assert known.rule in await found(known)


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
    known = Known("pydantic-ai", "universal/text-between-calls", R, "history/model-phase")
    assert (known.rule in await found(known, OfModel(model=model))) is is_dropped


async def found(known: Known, sources: Sources = SCRIPTED) -> set[str]:
    """What is found in the first case, by the names under which baselines and rules report it."""
    try:
        target = SHIPPED[known.target].open()
    except BadInput as missing:
        pytest.skip(str(missing))
    endpoints = Endpoints()
    scenarios = shipped_scenarios(f"{known.scenario}.yaml")
    (case, *_) = plan(scenarios, target=target, wires=[known.wire], expression=f"{known.wire}.event")
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
    paths = sorted({shipped() / f"{known.scenario}.yaml" for known in KNOWN})
    cases = plan(load(paths), target=target, expression="event")
    try:
        finished = await execute(cases, target, endpoints, "http://harness")
    finally:
        await target.close()
    assert [each.result.id for each in finished if each.result.verdict != "pass"] == []
    assert len(finished) > len(KNOWN)

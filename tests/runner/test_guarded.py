"""A source of another package that is wrong ends its case as an error, whatever the loop makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import pytest

from harness.endpoint import Source
from harness.runner.direct import run_scenarios
from harness.runner.guarded import opened_source
from harness.runner.plan import case_of
from harness.runner.sources import SCRIPTED, PerCaseSources, Sources
from harness.scenario import load, shipped
from harness.targets import CaseRun

TOOL_RETURNS = shipped() / "universal" / "tool-returns.yaml"


class Answering:
    """A source that answers with what a function returns."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self._answer = answer

    def next(self, question: object) -> Any:
        return self._answer()

    def left(self) -> list[str]:
        return []


def careless(run: CaseRun) -> None:
    """A loop that does not mind what it is answered."""
    body = json.dumps({"model": run.model, "messages": [{"role": "user", "content": run.prompt[0][1]}]})
    url, headers = f"{run.base_url}/v1/chat/completions", {"Content-Type": "application/json"}
    request = Request(url, body.encode(), headers)  # noqa: S310 - loopback
    try:
        urlopen(request).close()  # noqa: S310 - loopback
    except OSError:
        return


@pytest.mark.parametrize("target", ["reference", careless], ids=["in-process", "over-http"])
@pytest.mark.parametrize(
    ("source", "why"),
    [
        (lambda: Answering(lambda: 1 / 0), "ZeroDivisionError: division by zero ("),
        (lambda: Answering(lambda: 7), "expected a TurnStep or another answer of harness.api, got int"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero ("),
    ],
    ids=["raises", "no-answer", "cannot-be-made"],
)
def test_what_a_source_does_wrong_is_the_error_of_its_case(
    source: Callable[[], Any], why: str, target: Any, recwarn: pytest.WarningsRecorder
) -> None:
    sources = PerCaseSources("acme", lambda case, scenario: source())
    (finished,) = run_scenarios([TOOL_RETURNS], target, wires=["openai-chat"], expression="event", sources=sources)
    assert finished.result.verdict == "error"
    assert (finished.result.error or "").startswith(f"--source acme: tool-returns.openai-chat.event: {why}")


async def opened(sources: Sources) -> Source:
    """The source of a case, as the endpoint has it."""
    (scenario,) = load([TOOL_RETURNS])
    case = case_of(scenario, "openai-chat", "event", target="a target")
    async with opened_source(sources, case, scenario) as found:
        return found.source()


@pytest.mark.anyio
async def test_a_source_that_answers_the_same_again_is_known_as_such_behind_its_guard() -> None:
    """Else a server keeps the source of every conversation that it has ever had."""
    assert getattr(await opened(SCRIPTED), "repeats", False) is True
    own = PerCaseSources("acme", lambda case, scenario: Answering(lambda: None))
    assert getattr(await opened(own), "repeats", False) is False

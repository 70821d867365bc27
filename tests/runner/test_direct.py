"""Scenarios run from Python, against a loop by its name and against the loop itself."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from harness.errors import BadInput
from harness.runner.direct import run_scenarios
from harness.scenario import shipped
from harness.targets import CaseRun

TOOL_RETURNS = shipped() / "universal" / "tool-returns.yaml"


def answering(run: CaseRun) -> str:
    """A loop that asks once, on Chat, and runs no tool."""
    body = {"model": run.model, "messages": [{"role": role, "content": text} for role, text in run.prompt]}
    request = Request(f"{run.base_url}/v1/chat/completions", json.dumps(body).encode())  # noqa: S310 - loopback
    request.add_header("content-type", "application/json")
    with urlopen(request) as response:  # noqa: S310 - loopback
        answer = json.load(response)["choices"][0]["message"]["content"]
    return str(answer)


def test_the_reference_loop_passes() -> None:
    finished = run_scenarios([TOOL_RETURNS], wires=["openai-chat", "anthropic-messages"])
    assert {each.result.wire for each in finished} == {"openai-chat", "anthropic-messages"}
    assert {each.result.verdict for each in finished} == {"pass"}
    assert all(len(each.trace.exchanges) == 2 for each in finished)


def test_a_function_is_a_target_and_its_findings_are_in_the_result() -> None:
    (finished,) = run_scenarios([str(TOOL_RETURNS)], answering, wires=["openai-chat"], expression="event")
    assert finished.result.verdict == "fail"
    assert finished.result.target == "answering"
    assert finished.result.findings


def test_what_cannot_be_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no case is left"):
        run_scenarios([TOOL_RETURNS], expression="no-such-case")
    with pytest.raises(BadInput, match="is unknown"):
        run_scenarios([TOOL_RETURNS], "no-such-target")
    with pytest.raises(BadInput):
        run_scenarios([tmp_path / "none.yaml"])

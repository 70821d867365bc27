"""The page of the coding agents shows for each finding what the model answered and what the agent sent then."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import execute
from harness.trace import Trace
from harness_lab.documents.excerpts import excerpt_of, without_folders
from tests.agents.running import cases, reference

WIRE = "anthropic-messages"


def shown(folder: Path, mutant: str, name: str) -> tuple[list[str], list[str], Trace]:
    """The excerpt for the first finding on the reference agent with a mutant."""
    target = reference(folder, mutant)

    async def driven() -> tuple[dict[str, object], Trace]:
        endpoints = Endpoints()
        async with serving(endpoints) as url:
            (finished,) = await execute(cases(target, WIRE, name), target, endpoints, url)
        (finding, *_) = finished.result.findings
        assert finished.trace is not None
        return {"at": finding.at, "answer": finding.answer, "detail": finding.detail, "provider": None}, finished.trace

    finding, trace = asyncio.run(driven())
    found = excerpt_of(trace, finding)
    return list(found.answer), list(found.request), trace


def test_what_was_dropped_is_in_the_answer_and_not_in_the_request(tmp_path: Path) -> None:
    answer, request, _ = shown(tmp_path, "drops-thinking", "agent-thinking-in-every-turn")
    assert json.loads(answer[0])["thinking"] == "I look at both lists first."
    assert json.loads(answer[0])["signature"].endswith("…")
    assert [json.loads(each)["role"] for each in request] == ["assistant", "user"]
    assert "thinking" not in "".join(request)


def test_a_call_that_must_not_run_is_shown_with_how_its_answer_ended(tmp_path: Path) -> None:
    answer, request, _ = shown(tmp_path, "runs-a-filtered-turn", "agent-content-filter-with-a-call")
    assert "proof.txt" in answer[-2]
    assert answer[-1].startswith("// finished: ")
    assert "tool_result" in request[-1]


def test_no_folder_of_the_machine_is_shown(tmp_path: Path) -> None:
    answer, request, trace = shown(tmp_path, "swaps-results,writes-escapes", "agent-parallel-reads")
    assert 1 <= len(answer) <= 6
    assert 1 <= len(request) <= 5
    assert all(len(line) <= 420 for line in (*answer, *request))
    assert str(tmp_path) not in "".join((*answer, *request))
    assert trace.records


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("cd /tmp/harness-agent-12-ab/work/src", "cd $work/src"),
        ("/var/folders/x/harness-agent-12-ab/home/.pi", "$home/.pi"),
        ("see /root/.cache/agents/pi.js, line 4", "see $folder line 4"),
        ("/home/anna/notes.txt", "$folder"),
        ("usr/home and a/tmp", "usr/home and a/tmp"),
    ],
)
def test_folders_are_replaced(text: str, kept: str) -> None:
    assert without_folders(text) == kept

"""Sealed loops whose runs are one conversation: cancelled, told something, and resumed behind the seal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.commands import run_harness
from tests.targets.command.conversation_cases import AT_REQUEST, IN_TEXT, IN_TOOL, RESUME, STEER

ROOT = Path.cwd()
CLIENT = ROOT / "tests" / "targets" / "command" / "client_conversations.py"
CASES = (RESUME, IN_TOOL, AT_REQUEST, IN_TEXT, STEER)

TARGET = """\
target: mine
{loop}
wires: [anthropic-messages]
capabilities: [streaming, non-streaming, parallel, follow-up, cancel, steer, resume]
directory: {root}
"""
LOOPS = {
    "function": "python: tests.targets.conversing_loops:converses",
    "command": f"command: [{sys.executable}, {CLIENT}, plain]\npersistent: true",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_sealed_loop_converses(loop: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(TARGET.format(loop=loop, root=ROOT), encoding="utf-8")
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    for case in CASES:
        case.scenario(scenarios)
    words = ["--target", tmp_path / "mine.yaml", "--isolate", "--out", tmp_path / "out"]
    ran = run_harness("run", scenarios, *words, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert {each["scenario"]: each["verdict"] for each in results["cases"] if each["verdict"] != "pass"} == {}
    assert {each["scenario"] for each in results["cases"]} == {case.name for case in CASES}

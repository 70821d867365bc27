"""The fixture ``trace_snapshot``, in runs of pytest of their own."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from harness.scenario import shipped
from tests.testing.running import run
from tests.testing.test_models import AGENT

SNAPSHOT = Path("__snapshots__/test_agent/test_one.jsonl")


def compared(pytester: pytest.Pytester, *options: str, city: str = "Oslo", more: str = "") -> pytest.RunResult:
    pytester.makepyfile(agent=AGENT)
    pytester.syspathinsert()
    (pytester.path / "test_agent.py").write_text(
        f"""
from agent import agent

def test_one(fake_model, trace_snapshot):
    turns = [{{"calls": [{{"get_weather": {{"city": "{city}"}}}}]}}, {{"text": "Cold."}}]
    model = fake_model("openai-chat", turns{more})
    agent(model, temperature=0.5)
    assert model.trace == trace_snapshot
"""
    )
    return run(pytester, *options, plugins=("syrupy",))


def test_it_is_written_once_and_then_compared(pytester: pytest.Pytester) -> None:
    assert compared(pytester).ret == pytest.ExitCode.TESTS_FAILED
    compared(pytester, "--snapshot-update").assert_outcomes(passed=1)
    lines = [json.loads(line) for line in (pytester.path / SNAPSHOT).read_text().splitlines()]
    assert [next(iter(line.keys() & {"request", "response"})) for line in lines] == ["request", "response"] * 2
    compared(pytester).assert_outcomes(passed=1)


def test_neither_ids_nor_pieces_count(pytester: pytest.Pytester) -> None:
    compared(pytester, "--snapshot-update").assert_outcomes(passed=1)
    written = (pytester.path / SNAPSHOT).read_text()
    assert not re.search(r"call_\w{12}", written)
    compared(pytester, more=", chunking='byte'").assert_outcomes(passed=1)
    pytester.path.joinpath("test_agent.py").rename(pytester.path / "test_other.py")
    (pytester.path / SNAPSHOT.parent).rename(pytester.path / "__snapshots__/test_other")
    source = pytester.path / "test_other.py"
    before = source.read_text()
    source.write_text(
        before.replace("    model = ", '    fake_model("openai-chat", [{"text": "."}], skip=[]); model = ')
    )
    result = run(pytester, plugins=("syrupy",))  # another model before it, so that all its ids are others
    assert "1 snapshot passed" in result.stdout.str()


def test_a_changed_trace_fails_with_what_has_changed(pytester: pytest.Pytester) -> None:
    compared(pytester, "--snapshot-update").assert_outcomes(passed=1)
    (pytester.path / "agent.py").unlink()
    result = compared(pytester, city="Rome")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['E  *- *"arguments": "{*Oslo*', 'E  *+ *"arguments": "{*Rome*'])
    assert len([line for line in result.outlines if line.startswith("E ")]) < 15


def test_a_line_of_the_file_is_a_record(pytester: pytest.Pytester) -> None:
    compared(pytester, "--snapshot-update").assert_outcomes(passed=1)
    path = pytester.path / SNAPSHOT
    path.write_text(path.read_text().replace('"status": 200', '"status": 201', 1))
    result = compared(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['E  *- *"status": 201*', 'E  *+ *"status": 200*'])


def test_what_is_no_trace_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(trace_snapshot):\n    assert {} == trace_snapshot")
    result = run(pytester, "--snapshot-update", plugins=("syrupy",))
    assert "trace_snapshot compares traces (model.trace, harness_case.trace), got {}" in result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_without_syrupy_it_says_what_to_install(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "syrupy"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(sys.modules, "harness.testing.snapshot")
    monkeypatch.setitem(sys.modules, "syrupy", None)
    pytester.makepyfile("def test_one(trace_snapshot): pass\ndef test_two(fake_model): pass")
    result = run(pytester)
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(["*trace_snapshot needs syrupy: pip install 'agent-loop-harness[[]pytest[]]'"])


def test_traces_of_scenarios_are_compared_too(pytester: pytest.Pytester) -> None:
    scenario = str(shipped() / "universal" / "tool-returns.yaml")
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.harness_cases({scenario!r}, target="wire-only", wires=["anthropic-messages"])
        def test_one(harness_case, trace_snapshot):
            assert harness_case.trace == trace_snapshot
        """
    )
    options = ("-k", "tool-returns.anthropic-messages.event")
    run(pytester, *options, "--snapshot-update", plugins=("syrupy",)).assert_outcomes(passed=1)
    run(pytester, *options, plugins=("syrupy",)).assert_outcomes(passed=1)

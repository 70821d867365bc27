"""The command line as a person meets it: what it prints, what it writes, how it exits."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from junitparser import JUnitXml

from harness import __version__
from harness.cli.added import SOURCES
from harness.runner.source_registry import BUILT_IN
from harness.targets import CaseRun, Declaration, Isolation
from harness.trace import Assistant, Final, TurnStart, load
from tests.commands import HELLO, Printed, write_hello

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_hello(tmp_path / "scenarios", "one", "two", "three")


def refused(printed: Printed, *pieces: str) -> None:
    """Bad input: exit 2, one message per problem, no traceback, nothing on standard output."""
    assert printed.code == 2
    assert printed.out == ""
    assert "Traceback" not in printed.err
    for piece in pieces:
        assert piece in printed.err


# --- run ----------------------------------------------------------------------------------------------------


def test_a_run_passes_and_leaves_results_junit_and_traces(harness, folder: Path, tmp_path: Path) -> None:
    printed = harness("run", folder, "--out", tmp_path / "out")
    assert printed.code == 0
    assert printed.last == "3 passed, 0 failed"
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [case["verdict"] for case in results["cases"]] == ["pass"] * 3
    assert results["harness"] == __version__
    assert JUnitXml.fromfile(str(tmp_path / "out" / "junit.xml")).tests == 3
    for case in results["cases"]:
        assert load(tmp_path / "out" / case["trace"]).exchanges[0].response is not None


def test_a_broken_loop_fails_with_rule_place_evidence_and_a_command_that_repeats_it(
    harness, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = harness("run", "scenarios/one.yaml", "--target", "mutant:event-after-final", "--out", "out")
    assert printed.code == 1
    assert re.search(r"1\. order/nothing-after-end  .*\n   MUST, ", printed.out)
    place = re.search(r"(out/traces/one.anthropic-messages.event.jsonl):(\d+)", printed.out)
    assert place is not None
    assert '"event":"assistant"' in Path(place[1]).read_text(encoding="ascii").splitlines()[int(place[2]) - 1]
    (line,) = [line for line in printed.out.splitlines() if line.strip().startswith("repeat")]
    again = harness(*shlex.split(line.split("repeat", 1)[1])[1:], "--out", "again")
    assert again.code == 1
    assert again.last == "0 passed, 1 failed"


def test_only_the_chosen_rules_judge(harness, folder: Path, tmp_path: Path) -> None:
    arguments = ("run", folder / "one.yaml", "--target", "mutant:event-after-final", "--out", tmp_path / "out")
    assert harness(*arguments, "--rule", "preview").code == 0
    assert harness(*arguments, "--rule", "order").code == 1


@dataclass
class Scripted:
    """A target that does what the test says for each case in turn."""

    does: list[Callable[[CaseRun], None]]
    name: str = "scripted"
    declaration: Declaration = field(
        default_factory=lambda: Declaration(profiles=frozenset({"universal", "screenshot-to-code"}))
    )
    isolation: Isolation = "in-process"

    async def run(self, case_run: CaseRun) -> None:
        self.does.pop(0)(case_run)

    async def close(self) -> None:
        return None


def answers(case_run: CaseRun) -> None:
    for event in (TurnStart(1), Assistant("Hello.", "a"), Final("", text="Hello.")):
        case_run.emit(event)


def crashes(case_run: CaseRun) -> None:
    raise ValueError("the driver is broken")


def interrupts(case_run: CaseRun) -> None:
    raise KeyboardInterrupt


def test_a_crash_is_that_cases_error_and_the_others_go_on(
    harness, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.drive.open_target", lambda *_: Scripted([answers, crashes, answers]))
    printed = harness("run", folder, "-j", 1, "--rule", "preview", "--out", tmp_path / "out")
    assert printed.code == 3
    assert "ValueError: the driver is broken" in printed.out
    assert "Traceback" in printed.out
    assert printed.last == "2 passed, 0 failed, 1 error"


def test_ctrl_c_writes_what_is_finished(harness, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cli.drive.open_target", lambda *_: Scripted([answers, interrupts]))
    printed = harness("run", folder, "-j", 1, "--rule", "preview", "--out", tmp_path / "out")
    assert printed.code == 130
    assert "cases did not run; the results so far are written" in printed.out
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert (results["complete"], len(results["cases"])) == (False, 1)
    assert len(list((tmp_path / "out" / "traces").glob("*.jsonl"))) == 1


# --- bad input ----------------------------------------------------------------------------------------------


def test_unknown_names_are_refused_with_what_is_known(harness, folder: Path) -> None:
    refused(harness("run", folder, "--wire", "smoke-signals"), "smoke-signals", "openai-responses")
    refused(harness("run", folder, "--target", "mutant:limit-12"), "mutant:limit-12", "did you mean mutant:limit-21")
    refused(harness("run", folder, "--rule", "prevew"), "prevew", "preview")
    refused(harness("run", folder, "-k", "one and"), "expected a word")
    refused(harness("run", folder, "-k", "nowhere"), "no case is left of 3")
    refused(harness("explain", "order/tool-start-onse"), "did you mean order/tool-start-once")


def test_every_broken_scenario_is_reported(harness, folder: Path) -> None:
    (folder / "four.yaml").write_text(
        HELLO.format(name="four", wires="[openai-chat]").replace("model:", "modle:"), encoding="utf-8"
    )
    (folder / "five.yaml").write_text("scenario: [\n", encoding="utf-8")
    printed = harness("run", folder)
    refused(printed, "four.yaml:6:1", "modle", "five.yaml:")
    assert len(printed.err.splitlines()) >= 2


def test_files_that_are_not_there_or_not_traces(harness, folder: Path, tmp_path: Path) -> None:
    refused(harness("run", tmp_path / "nothing.yaml"), "nothing.yaml")
    refused(harness("check", tmp_path / "nothing.jsonl"), "nothing.jsonl", "cannot read the trace")
    (tmp_path / "cut.jsonl").write_text('{"trace":1,"id":"x","scena', encoding="utf-8")
    refused(harness("check", tmp_path / "cut.jsonl", tmp_path / "nothing.jsonl"), "cut.jsonl:1", "nothing.jsonl")
    (tmp_path / "empty").mkdir()
    refused(harness("check", tmp_path / "empty"), "no trace to judge")


# --- check, list, explain -----------------------------------------------------------------------------------


def test_stored_traces_are_judged_as_the_run_judged_them(harness, folder: Path, tmp_path: Path) -> None:
    harness("run", folder / "one.yaml", "--out", tmp_path / "good")
    harness("run", folder / "one.yaml", "--target", "mutant:event-after-final", "--out", tmp_path / "bad")
    good = harness("check", tmp_path / "good" / "traces")
    assert (good.code, good.last) == (0, "1 trace, 0 findings")
    bad = harness("check", tmp_path / "bad" / "traces")
    assert bad.code == 1
    assert "one.anthropic-messages.event.jsonl:" in bad.out
    assert "\n1. order/nothing-after-end  " in bad.out
    assert "MUST, unexpected output or end, 1 case\n" in bad.out
    assert bad.last == "1 trace, 1 cause, 3 findings"


def test_stored_traces_that_show_the_same_cause_are_one_entry(harness, tmp_path: Path) -> None:
    files = [SCENARIOS / "universal" / f"parallel-calls{which}.yaml" for which in ("", "-one-raises")]
    wires = ("--wire", "openai-chat", "--wire", "gemini-generate")
    harness("run", *files, "-k", "event", *wires, "--target", "mutant:result-dropped", "--out", tmp_path)
    printed = harness("check", tmp_path / "traces")
    assert printed.code == 1
    assert [line for line in printed.out.splitlines() if re.match(r"\d+\. ", line)] == [
        "1. GEM-06, OAC-03, history/results  The request after a turn with calls contains the result of every one of "
        "them"
    ]
    assert printed.last == "4 traces, 1 cause, 8 findings"


def test_list_tells_every_scenario_and_why_it_is_there(harness, folder: Path) -> None:
    printed = harness("list", folder)
    assert printed.code == 0
    assert "one    A short answer." in printed.out
    assert printed.last == "3 scenarios"


def test_explain_tells_rules_and_scenarios(harness) -> None:
    rule = harness("explain", "order/tool-start-once")
    assert rule.code == 0
    assert "source:" in rule.out
    assert "profiles: hugind" in harness("explain", "guardrail/answer-now").out
    scenario = harness("explain", "create-then-edit")
    assert scenario.code == 0
    assert "calls create_file" in scenario.out


# --- start-up -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["--version"]])
def test_help_and_list_import_no_provider_sdk_and_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom harness.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1].replace("'", '"')))
    assert loaded.isdisjoint({"openai", "anthropic", "google", "httpx2", "pydantic", "jsonschema", "rich", "asyncio"})
    assert "harness" in loaded


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "harness", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"harness {__version__}\n"


def test_the_names_that_source_takes_are_those_of_the_registry() -> None:
    assert tuple(BUILT_IN) == SOURCES


def test_a_shipped_scenario_is_repeated_without_the_folder_of_the_installation(
    harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = "one-call.openai-chat.event"
    printed = harness("run", "-k", case, "--target", "mutant:event-after-final", "--out", "out")
    (line,) = [line for line in printed.out.splitlines() if line.strip().startswith("repeat")]
    repeated = f"harness run --suite all --wire openai-chat -k {case} --target mutant:event-after-final"
    assert line.split(None, 1)[1] == repeated
    assert harness(*shlex.split(repeated)[1:], "--out", "again").last == "0 passed, 1 failed"

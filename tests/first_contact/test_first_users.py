"""Three agents of new users: what is wrong with them is found, nothing else is, and no wire passes that none speaks."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from harness.report.files import read_results
from harness.report.terminal import Terminal
from tests.first_contact.judge import Broken, Bug, Loop, broken, loops, run, scenarios, written

LOOPS = {loop.name: loop for loop in loops()}
ON_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def faulty(name: str, *bugs: str) -> tuple[Loop, list[Bug]]:
    return LOOPS[name], [LOOPS[name].bug(bug) for bug in bugs]


def by_case(found: list[Broken]) -> dict[str, list[Broken]]:
    return {case: [each for each in found if each.case == case] for case in sorted({each.case for each in found})}


PART = "(thinking- or truncated or parallel-calls or refusal or one-call or tool-raises or unauthorised)"
"""What has to do with the bugs of the Node loop, and a part of the rest: each case starts node."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("loop", "bugs", "part"),
    [
        (*faulty("chat_stream", "forgets-a-result", "no-limit"), "event"),
        pytest.param(
            *faulty("anthropic_fetch", "drops-the-thinking", "runs-truncated-arguments"),
            f"event and {PART}",
            marks=ON_NODE,
        ),
    ],
    ids=["a Python loop on Chat", "a Node loop on Anthropic"],
)
def test_two_bugs_are_found_and_core_reports_nothing_else(
    loop: Loop, bugs: list[Bug], part: str, tmp_path: Path
) -> None:
    results = run(written(loop, tmp_path, *bugs), "--suite", "core", "-k", part)
    found = [each for each in broken(results) if each.level == "MUST"]
    assert [bug.name for bug in bugs if not bug.found_by(broken(results))] == []
    unexplained = {case: each for case, each in by_case(found).items() if not any(bug.found_by(each) for bug in bugs)}
    assert unexplained == {}
    assert sum(case["verdict"] == "pass" for case in results["cases"]) > len(by_case(found))
    shown = [[Broken("", rule, "MUST", "", "") for rule in cause["rules"]] for cause in results["causes"][:2]]
    named = [[bug.name for bug in bugs if bug.found_by(rules)] for rules in shown]
    assert sorted(named) == sorted([bug.name] for bug in bugs)  # by harm, whichever bug the case has first
    Terminal(told := io.StringIO()).summary(read_results(tmp_path / "report" / "results.json"), Path("report"))
    assert len(told.getvalue().splitlines()) < 60


@pytest.mark.exhaustive
@ON_NODE
def test_an_agent_that_speaks_chat_only_passes_on_no_other_wire(tmp_path: Path) -> None:
    target = written(LOOPS["chat_fetch"], tmp_path)
    lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
    target.write_text("".join(line for line in lines if not line.startswith("wires:")), encoding="utf-8")
    cases = run(target, *scenarios("tool-returns", "answer"), "-k", "event")["cases"]
    verdicts = {(case["wire"], case["verdict"]) for case in cases}
    assert ("openai-chat", "pass") in verdicts
    assert {wire for wire, verdict in verdicts if verdict == "pass"} == {"openai-chat"}
    assert len({wire for wire, _ in verdicts}) == 4
    assert all("openai-chat" in case["reason"] for case in cases if case["verdict"] == "skip")


@ON_NODE
def test_a_wire_that_is_asked_for_and_not_spoken_fails_with_one_finding(tmp_path: Path) -> None:
    target = written(LOOPS["chat_fetch"], tmp_path)
    text = target.read_text(encoding="utf-8").replace("wires: [openai-chat]", "wires: [anthropic-messages]")
    target.write_text(text, encoding="utf-8")
    results = run(target, *scenarios("tool-returns"), "-k", "event")
    assert [case["verdict"] for case in results["cases"]] == ["fail"]
    assert [each.rule for each in broken(results) if each.case != "driver"] == ["target/wire"]

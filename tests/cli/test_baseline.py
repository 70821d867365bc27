"""Runs beside a baseline, and the commands that write one, as a person meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.commands import Printed

DATA = Path(__file__).parent / "data"
CUT_OFF = (DATA / "baseline_cut_off.yaml").read_text(encoding="utf-8")
WHOLE = (DATA / "baseline_whole.yaml").read_text(encoding="utf-8")

BASELINE = """\
# What is known.
baseline: {target}
findings:
  - cases: [{cases}]
    rules: [{rules}]
    reason: It does not look at how a turn ends.
"""

TARGET = "tests.targets.loops:answers"
"""A loop on Chat that ignores why a turn ended."""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "baselines").mkdir()
    (tmp_path / "scenarios" / "cut-off.yaml").write_text(CUT_OFF, encoding="utf-8")
    (tmp_path / "scenarios" / "whole.yaml").write_text(WHOLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


MUTANT = "mutant:event-after-final"
"""A loop of ours that breaks one rule in every case: quick to run, and given a baseline for the tests only."""


def baseline(target: str, cases: str, rules: str, **more: str) -> Path:
    path = Path("baselines") / f"{target.replace(':', '-')}.yaml"
    text = BASELINE.format(target=target, cases=cases, rules=rules)
    path.write_text(text + "".join(f"    {key}: {value}\n" for key, value in more.items()), encoding="utf-8")
    return path


def run(harness: Callable[..., Printed], *options: object) -> Printed:
    return harness("run", "scenarios/whole.yaml", "--target", MUTANT, "--out", "out", *options)


def results() -> dict[str, object]:
    found: dict[str, object] = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def found(harness: Callable[..., Printed]) -> str:
    """The rules that the mutant breaks."""
    assert run(harness).code == 1
    return ", ".join(sorted({each["rule"] for case in results()["cases"] for each in case["findings"]}))  # type: ignore[attr-defined, index]


# --- run -----------------------------------------------------------------------------------------------------


def test_what_is_expected_is_no_failure_and_is_told_by_its_reason(harness, found: str) -> None:
    baseline(MUTANT, "whole.*", found)
    printed = run(harness)
    assert (printed.code, printed.last) == (0, "0 passed, 0 failed, 1 expected failure")
    assert "expected by baselines/mutant-event-after-final.yaml:" in printed.out
    assert "  1 case  It does not look at how a turn ends.\n             whole\n" in printed.out
    assert "FAIL" not in printed.out
    (case,) = results()["cases"]
    assert case["verdict"] == "xfail"
    assert {each["known"] for each in case["findings"]} == {"It does not look at how a turn ends."}
    document = JUnitXml.fromfile("out/junit.xml")
    assert (document.tests, document.failures, sum(suite.skipped for suite in document)) == (1, 0, 1)


@pytest.mark.parametrize("cases", ["other.*", "whole.openai-chat.byte"])
def test_a_finding_in_another_case_fails(harness, found: str, cases: str) -> None:
    baseline(MUTANT, cases, found)
    printed = run(harness)
    assert (printed.code, printed.last) == (1, "0 passed, 1 failed")


def test_a_finding_of_another_rule_fails_and_the_expected_ones_beside_it_are_marked(harness, found: str) -> None:
    first, _, others = found.partition(", ")
    path = baseline(MUTANT, "whole.*", f"{others}, order/tool-started")
    printed = run(harness)
    assert (printed.code, printed.last) == (1, "0 passed, 1 failed (1 baseline entry is stale)")
    assert f"1. {first}  " in printed.out
    assert f"expected by {path}:\n     1 case  It does not look at how a turn ends." in printed.out
    assert [rule for rule in others.split(", ") if f". {rule}  " in printed.out] == []
    assert f"STALE {path}:5:" in printed.out
    assert JUnitXml.fromfile("out/junit.xml").failures == 2


def test_none_and_another_file_may_be_chosen(harness, found: str) -> None:
    baseline(MUTANT, "whole.*", found).rename("elsewhere.yaml")
    assert run(harness).code == 1
    assert run(harness, "--baseline", "elsewhere.yaml").code == 0
    Path("elsewhere.yaml").rename("baselines/mutant-event-after-final.yaml")
    assert run(harness).code == 0
    assert run(harness, "--baseline", "none").code == 1


@pytest.mark.parametrize(("wanted", "code"), [(">=1", 0), ("<1", 1)])
def test_an_entry_counts_only_for_its_versions(harness, found: str, wanted: str, code: int) -> None:
    path = baseline(MUTANT, "whole.*", found, versions=f'{{openai: "{wanted}"}}')
    printed = run(harness)
    assert printed.code == code
    told = f"{path}:4:5: this entry does not count: installed is openai"
    assert (told in printed.out) is bool(code)
    assert "STALE" not in printed.out


def test_a_baseline_that_cannot_be_used_is_bad_input_before_anything_runs(harness, found: str) -> None:
    path = baseline(MUTANT, "whole.*", found)
    path.write_text(path.read_text().replace("It does not look at how a turn ends.", '"TODO: say why"'))
    printed = run(harness)
    assert (printed.code, printed.out) == (2, "")
    assert f"error: {path}:6:13: expected a reason, got 'TODO: say why'" in printed.err


# --- what is stale -------------------------------------------------------------------------------------------


def test_an_entry_that_does_not_occur_fails_the_run(harness) -> None:
    path = baseline("wire-only", "whole.*", "order/one-end, expect/outcome")
    printed = harness("run", "scenarios/whole.yaml", "--target", "wire-only", "--out", "out")
    assert printed.code == 1
    assert printed.last == "1 passed (1 baseline entry is stale)"
    assert (
        f"STALE {path}:4:5  order/one-end, expect/outcome\n  no longer found in whole.*: remove it, or let"
        in printed.out
    )
    assert "or let harness baseline prune wire-only do so" in printed.out
    assert results()["stale"] == [
        {"place": f"{path}:4:5", "what": "order/one-end, expect/outcome", "why": "no longer found in whole.*"}
    ]
    document = JUnitXml.fromfile("out/junit.xml")
    assert (document.tests, document.failures) == (2, 1)
    assert [suite.name for suite in document] == ["wire-only.openai-chat", "wire-only.baseline"]


@pytest.mark.parametrize(
    "options",
    [["--rule", "order"], ["--skip", "preview"], ["--info"], ["--refuse", "nothing"], ["--seed", "1"]],
)
def test_a_run_that_finds_other_things_says_nothing_of_what_is_stale(harness, options: list[str]) -> None:
    baseline("wire-only", "whole.*", "order/one-end")
    printed = harness("run", "scenarios/whole.yaml", "--target", "wire-only", "--out", "out", *options)
    assert (printed.code, printed.last) == (0, "1 passed, 0 failed")


def test_a_run_that_leaves_cases_out_says_nothing_of_their_entries(harness) -> None:
    baseline("wire-only", "whole.*", "order/one-end")
    text = WHOLE.replace("wires: [openai-chat]", "wires: [openai-chat, anthropic-messages]")
    Path("scenarios/whole.yaml").write_text(text, encoding="utf-8")
    some = ("run", "scenarios/whole.yaml", "--target", "wire-only", "--out", "out")
    assert harness(*some).code == 1
    assert harness(*some, "--wire", "openai-chat").code == 0
    assert harness(*some, "-k", "anthropic").code == 0


def test_what_is_said_of_scenarios_that_were_not_given_is_not_stale(harness) -> None:
    baseline("wire-only", '"*.openai-chat.*"', "order/one-end")
    assert harness("run", "scenarios", "--target", "wire-only", "--out", "out").code == 0
    baseline("wire-only", "whole.*", "order/one-end")
    assert harness("run", "scenarios", "--target", "wire-only", "--out", "out").code == 1


# --- update and prune ----------------------------------------------------------------------------------------


def command(harness: Callable[..., Printed], name: str, *options: object) -> Printed:
    return harness("baseline", name, TARGET, "scenarios", "-j", 1, "--out", "out", *options)


def test_a_loop_gets_its_baseline_which_a_person_completes_and_which_then_shrinks_with_its_faults(harness) -> None:
    path = Path("baselines/tests.targets.loops-answers.yaml")
    printed = command(harness, "update")
    assert (printed.code, printed.last) == (0, f"{path}: 1 entries added; say why in each of them, where it says TODO")
    text = path.read_text(encoding="utf-8")
    assert "  - cases: [cut-off.*]\n    rules: [" in text
    assert "final/stopped-call" in text
    assert "# expect/requests: expected at most 1 request: the script has no more answers, got 2 requests" in text
    assert "expect/outcome" not in text  # it has not declared that it reports outcomes

    printed = harness("run", "scenarios", "--target", TARGET, "-j", 1, "--out", "out")
    assert (printed.code, printed.out) == (2, "")
    assert "expected a reason, got 'TODO: say why'" in printed.err

    assert command(harness, "update").last == f"{path}: 0 entries added"
    assert path.read_text(encoding="utf-8") == text

    path.write_text(text.replace('"TODO: say why"', "It does not look. # indeed"), encoding="utf-8")
    printed = harness("run", "scenarios", "--target", TARGET, "-j", 1, "--out", "out")
    assert (printed.code, printed.last) == (0, "1 passed, 0 failed, 1 expected failure")

    stale = text.replace("cut-off.*", "cut-off.*, whole.*").replace("rules: [", "rules: [order/tool-started, ")
    path.write_text(stale.replace("TODO: ", ""), encoding="utf-8")
    printed = command(harness, "prune")
    assert (printed.code, printed.last) == (0, f"{path}: 0 entries removed, and 2 patterns and rules of others")
    assert path.read_text(encoding="utf-8") == text.replace("TODO: ", "")

    mended = CUT_OFF.replace("outcome: truncated", "outcome: completed").replace(
        "    stop: max_tokens\n", "  - text: Noon.\n"
    )
    Path("scenarios/cut-off.yaml").write_text(mended, encoding="utf-8")
    assert command(harness, "prune").last == f"{path}: 1 entries removed, and 0 patterns and rules of others"
    assert path.read_text(encoding="utf-8") == f"baseline: {json.dumps(TARGET)}\nfindings: []\n"


def test_nothing_is_expected_of_a_loop_of_ours(harness) -> None:
    for target in ("reference", "reference:tool-runner", "wire-only", "mutant:event-after-final"):
        printed = harness("baseline", "update", target, "scenarios")
        assert printed.code == 2
        assert "this loop is the harness's own; mend it" in printed.err


def test_there_must_be_something_to_prune(harness) -> None:
    printed = command(harness, "prune")
    assert printed.code == 2
    assert "got no file; see 'harness baseline update'" in printed.err


# --- a problem of the driver ---------------------------------------------------------------------------------

DRIVEN = "tests.doctor.drivers:TextTwice"
"""A correct loop whose driver emits each piece of text twice."""


def driven(harness: Callable[..., Printed], *options: object) -> Printed:
    some = ("run", "scenarios/whole.yaml", "--wire", "openai-chat", "--target", DRIVEN, "-j", 1, "--out", "out")
    return harness(*some, *options)


def test_a_problem_of_the_driver_is_expected_or_skipped_like_any_finding(harness) -> None:
    assert driven(harness).code == 1
    skipped = driven(harness, "--skip", "driver/text")
    assert (skipped.code, "    known     --skip" in skipped.out) == (0, True)
    assert driven(harness, "--skip", "driver/answer").code == 1

    path = Path("baselines/tests.doctor.drivers-TextTwice.yaml")
    harness("baseline", "update", DRIVEN, "scenarios/whole.yaml", "--wire", "openai-chat", "-j", 1, "--out", "out")
    text = path.read_text(encoding="utf-8")
    assert "rules: [driver/text]" in text
    assert "calibration." in text
    path.write_text(text.replace("TODO: say why", "It is known."), encoding="utf-8")
    green = driven(harness)
    assert (green.code, "    known     It is known." in green.out) == (0, True)


def test_a_problem_of_the_driver_keeps_no_stale_entry_from_being_reported(harness) -> None:
    path = Path("baselines/tests.doctor.drivers-TextTwice.yaml")
    known = '"calibration.*"], rules: [driver/text'
    stale = "whole.*], rules: [history/results"
    unjudged = "whole.*], rules: [stream/text"  # the driver is wrong in what it depends on
    gone = '"calibration.*"], rules: [driver/kind'
    entries = "".join(f"  - {{cases: [{each}], reason: So it is.}}\n" for each in (known, stale, unjudged, gone))
    path.write_text(f"baseline: {DRIVEN}\nfindings:\n{entries}", encoding="utf-8")
    printed = driven(harness)
    assert printed.code == 1
    assert [each["what"] for each in results()["stale"]] == ["history/results", "driver/kind"]  # type: ignore[attr-defined, index]

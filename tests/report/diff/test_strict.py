"""``harness diff --strict``: what is as good as before, but not the same, fails."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.report.diff import compare
from harness.report.diff.junit import junit
from harness.runner.results import CaseResult
from harness.trace import Assistant, EventRecord, Final, Trace
from tests.commands import run_harness
from tests.report.diff.making import case, evidence, trace, written

HERE = case("a", trace="traces/a.jsonl")


def said(*texts: str) -> Trace:
    return trace(*[EventRecord(Assistant(text, "id")) for text in texts], EventRecord(Final("")))


def runs(tmp_path: Path, base: Trace, new: Trace) -> tuple[Path, Path]:
    return (
        written(tmp_path / "base", HERE, traces={"a": base}),
        written(tmp_path / "new", HERE, traces={"a": new}),
    )


def test_a_changed_trace_with_the_same_verdict_fails(tmp_path: Path) -> None:
    base, new = runs(tmp_path, said("one"), said("two"))
    lenient = run_harness("diff", base, new)
    assert (lenient.returncode, lenient.stdout.splitlines()[-1]) == (0, "1 with another trace only, 0 unchanged")
    strict = run_harness("diff", base, new, "--strict")
    assert strict.returncode == 1
    assert strict.stdout.splitlines()[-1] == "1 not as before (--strict), 1 with another trace only, 0 unchanged"


def test_the_same_trace_passes(tmp_path: Path) -> None:
    base, new = runs(tmp_path, said("one"), said("one"))
    strict = run_harness("diff", base, new, "--strict")
    assert (strict.returncode, strict.stdout.splitlines()[-1]) == (0, "nothing changed in 1 case")


@pytest.mark.parametrize(
    ("base", "new", "fails"),
    [
        ([HERE], [HERE, case("b")], False),
        ([HERE, case("b")], [HERE], True),
        ([case("b", "fail", evidence())], [case("b")], True),
        ([case("b")], [case("b", "skip", reason="it cannot")], True),
        ([case("b", "fail", evidence())], [case("b", "fail", evidence(got="some"))], True),
    ],
    ids=["added", "removed", "fixed", "skipped", "other words"],
)
def test_what_else_is_not_the_same(tmp_path: Path, base: list[CaseResult], new: list[CaseResult], fails: bool) -> None:
    traces = {"a": said("one")}
    folders = written(tmp_path / "base", *base, traces=traces), written(tmp_path / "new", *new, traces=traces)
    assert not compare(*folders).failed, "none of these is a regression"
    strict = compare(*folders, strict=True)
    assert strict.failed is fails
    assert strict.to_json()["failed"] is fails
    assert len(ElementTree.fromstring(junit(strict)).findall(".//failure")) == int(fails)  # noqa: S314 - we wrote it


def test_a_trace_that_cannot_be_read_fails(tmp_path: Path) -> None:
    base, new = runs(tmp_path, said("one"), said("one"))
    (new / "traces/a.jsonl").write_text("no trace\n")
    assert not compare(base, new).failed
    strict = compare(base, new, strict=True)
    assert strict.failed
    (failure,) = ElementTree.fromstring(junit(strict)).findall(".//failure")  # noqa: S314 - we wrote it
    assert failure.get("type") == "unread"

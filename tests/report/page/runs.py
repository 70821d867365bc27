"""Made-up runs, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.finding import Finding
from harness.report.files import RunFolder
from harness.runner.execute import Finished
from harness.runner.results import CaseResult, RunResult, Verdict
from harness.trace import Trace


def case(scenario: str, wire: str = "openai-chat", verdict: Verdict = "pass", **members: Any) -> CaseResult:
    """A case with a trace where a run has it."""
    id = f"{scenario}.{wire}.whole"
    usual = CaseResult(
        id, scenario, wire, "made-up", "script", "universal", "whole", 0, verdict, 0.01, 1,
        trace=f"traces/{id}.jsonl", repeat=f"harness run -k {id}",
    )  # fmt: skip
    return replace(usual, **members)


def evidence(got: str, rule: str = "order/tool-start-once", at: int | None = None) -> Finding:
    return Finding(rule, "MUST", "unsafe", at, "an end", got)


RUN = RunResult(
    "0.1.0",
    "2026-01-01T00:00:00+00:00",
    "made-up",
    0,
    (
        case("a"),
        case("a", "anthropic-messages", "fail", findings=(evidence("no end", at=3), evidence("x", "preview/prefix"))),
        case("b", verdict="xfail", profile="hugind", findings=(replace(evidence("no end"), known="a known bug"),)),
        case("c", verdict="skip", reason="it cannot", seconds=0.0),
        case("d", "gemini-generate", "error", error="Traceback: it crashed", seconds=2.0),
    ),
)


def write(folder: Path, run: RunResult, traces: Mapping[str, Trace]) -> Path:
    """The run's folder, as ``harness run`` writes it, with the traces that there are. Returns its page."""
    files = RunFolder.create(folder)
    for each in run.cases:
        if each.id in traces:
            files.write_trace(Finished(each, traces[each.id]))
    files.write_results(run)
    return folder / "index.html"

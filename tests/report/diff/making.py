"""Runs to compare, made of what a test says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.runner.results import CaseResult, Evidence, RunResult, Verdict
from harness.trace import Case, Final, Record, RequestRecord, Told, Trace, dumps

__all__ = ["case", "evidence", "request", "trace", "written"]


def evidence(rule: str = "order/one-end", got: str = "none", *, known: str = "", expected: str = "an end") -> Evidence:
    return Evidence(rule, "MUST", "unsafe", 3, expected, got, known=known)


def case(name: str = "a", verdict: Verdict = "pass", *found: Evidence, **more: Any) -> CaseResult:
    id = f"{name}.openai-chat.whole"
    told = {"seconds": 0.1, "requests": 1, "trace": None, "repeat": f"harness run {name}.yaml"} | more
    return CaseResult(
        id, name, "openai-chat", "a-loop", "script", "universal", "whole", 0, verdict, evidence=found, **told
    )


def request(body: str, **headers: str) -> RequestRecord:
    return RequestRecord(0, "POST", "/v1/chat/completions", headers, body.encode(), 0.5)


def trace(*records: Record, name: str = "a", seed: int = 0) -> Trace:
    return Trace(Case(f"{name}.openai-chat.whole", name, "openai-chat", seed=seed), records or (Told(Final("")),))


def written(folder: Path, *cases: CaseResult, traces: dict[str, Trace] | None = None, **run: Any) -> Path:
    """A run's folder, as far as it is compared. The traces are given by the name of their scenario."""
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    told = {"harness": "0.1.0", "started": "2026-01-01T00:00:00+00:00", "target": "a-loop", "seed": 0} | run
    for name, each in (traces or {}).items():
        (folder / f"traces/{name}.jsonl").write_bytes(dumps(each).encode("utf-8", "surrogatepass"))
    (folder / "results.json").write_text(json.dumps(RunResult(cases=cases, **told).to_json()))
    return folder

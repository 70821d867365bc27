"""Runs to compare, made of what a test says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.finding import Finding
from harness.runner.results import CaseResult, RunResult, Stale, Verdict
from harness.trace import Assistant, Case, EventRecord, Final, Record, RequestRecord, Trace, dumps
from tests.watch.hostile import PAGE, TEXTS

HOSTILE = [
    *TEXTS, PAGE, "`` ` ```\n```\n<script>alert(1)</script>", "[link](javascript:alert(1)) ![](http://x.test/i)",
    "\n\n# heading\n\n<b>bold</b>", "]]>&lt;![CDATA[", "\x1b]0;title\x07\x1b[2J", "half \ud800 \udfff",
    "```", "a|b\\|c",
    "x" * 100_000, "", " ` ",
]  # fmt: skip
"""What a model, a loop, a baseline or a results.json from elsewhere may hold."""


def evidence(rule: str = "order/one-end", got: str = "none", *, known: str = "", expected: str = "an end") -> Finding:
    return Finding(rule, "MUST", "unsafe", 3, expected, got, known=known)


def case(name: str = "a", verdict: Verdict = "pass", *found: Finding, **more: Any) -> CaseResult:
    id = f"{name}.openai-chat.whole"
    told = {"seconds": 0.1, "requests": 1, "trace": None, "repeat": f"harness run {name}.yaml"} | more
    return CaseResult(
        id, name, "openai-chat", "a-loop", "script", "universal", "whole", 0, verdict, findings=found, **told
    )


def request(body: str, **headers: str) -> RequestRecord:
    return RequestRecord(0, "POST", "/v1/chat/completions", headers, body.encode(), 0.5)


def trace(*records: Record, name: str = "a", seed: int = 0) -> Trace:
    return Trace(
        Case(f"{name}.openai-chat.whole", name, "openai-chat", seed=seed), records or (EventRecord(Final("")),)
    )


def written(folder: Path, *cases: CaseResult, traces: dict[str, Trace] | None = None, **run: Any) -> Path:
    """A run's folder, as far as it is compared. The traces are given by the name of their scenario."""
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    told = {"harness": "0.1.0", "started": "2026-01-01T00:00:00+00:00", "target": "a-loop", "seed": 0} | run
    for name, each in (traces or {}).items():
        (folder / f"traces/{name}.jsonl").write_bytes(dumps(each).encode("utf-8", "surrogatepass"))
    (folder / "results.json").write_text(json.dumps(RunResult(cases=cases, **told).to_json()))
    return folder


def hostile_runs(folder: Path, texts: Sequence[str]) -> tuple[Path, Path]:
    """The folders of two runs of which every text that anybody but us may have written is hostile."""
    base, new, here, there = [], [], {}, {}
    for number, text in enumerate(texts):
        name = f"h{number}"
        found = replace(evidence(f"order/{text}"[:300], text, expected=text), detail=text)
        base += [case(name, trace=f"traces/{name}.jsonl", repeat=text), case(f"n{number}{text}", repeat=text)]
        new += [
            case(name, "fail", found, trace=f"traces/{name}.jsonl", repeat=text),
            case(f"n{number}{text}", "fail", found, repeat=text),
        ]
        sent = [EventRecord(Assistant(words, "a")) for words in ("plain", text)]
        here[name], there[name] = (
            trace(sent[0], EventRecord(Final("")), name=name),
            trace(sent[1], EventRecord(Final("")), name=name),
        )
        base += [case(f"s{number}"), case(f"slow{text}{number}")]
        new += [case(f"s{number}", "skip", reason=text), case(f"slow{text}{number}", seconds=60.0)]
        new += [case(f"e{number}", "error", error=f"Error: {text}"), case(f"added{number}{text}")]
    short = "".join(text for text in texts if len(text) < 1_000)
    said: dict[str, Any] = {"target": short, "started": short, "harness": short, "baseline": short}
    said["versions"] = {f"p{number}{text}": text for number, text in enumerate(texts)}
    stale = tuple(Stale(text, text, text) for text in texts)
    before = written(folder / "base", *base, traces=here)
    return before, written(folder / "new", *new, traces=there, stale=stale, **said)

"""Results of runs that nobody has made, for the formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import yaml

from harness.finding import Finding, ProviderAnswer
from harness.runner.results import CaseResult, ConversationCount, DriverFinding, RunResult, Stale, Verdict
from tests.watch.hostile import PAGE
from tests.watch.hostile import TEXTS as HOSTILE_HTML

EVIDENCE = Finding("order/tool-start-once", "MUST", "unsafe", 7, "one toolStart", "two", "call_x", line=26)

_TEXTS = yaml.safe_load(Path(__file__).with_name("hostile.yaml").read_text(encoding="utf-8"))
HOSTILE: tuple[str, ...] = (*HOSTILE_HTML, PAGE, *_TEXTS)
"""What a model, a loop or a results.json from elsewhere may hold."""


def case(verdict: Verdict = "fail", **changes: object) -> CaseResult:
    members: dict[str, object] = {
        "id": f"a-scenario.openai-chat.{verdict}",
        "scenario": "a-scenario",
        "wire": "openai-chat",
        "target": "my-loop",
        "source": "script",
        "profile": "universal",
        "chunking": "whole",
        "seed": 0,
        "verdict": verdict,
        "seconds": 0.25,
        "requests": 2,
        "trace": "traces/a.jsonl",
        "repeat": "harness run scenarios/a.yaml -k a",
        "file": "scenarios/a scenario.yaml",
    }
    return CaseResult(**{**members, **changes})  # type: ignore[arg-type]


def run(*cases: CaseResult, stale: tuple[Stale, ...] = ()) -> RunResult:
    baseline = "baselines/a.yaml" if stale else None
    return RunResult("0.1.0", "2026-01-01T00:00:00+00:00", "my-loop", 0, cases, baseline=baseline, stale=stale)


def everything() -> RunResult:
    """One case of every verdict, and something stale."""
    known = Finding(
        "continuation/anthropic-messages", "SHOULD", "invalid", 3, "results", "none", known="So.", reference="ANT-01"
    )
    return run(
        case("pass"),
        case("fail", findings=(EVIDENCE, known)),
        case("xfail", findings=(known,)),
        case("xpass"),
        case("skip", reason="it cannot think"),
        case("error", error="Traceback\nValueError: boom"),
        stale=(Stale("baselines/a.yaml:3:5", "order/one-end", "no longer found in a.*"),),
    )


_NAMES = ("id", "scenario", "wire", "target", "source", "profile", "chunking")


def hostile(text: str) -> RunResult:
    """A run with the text wherever a text can stand."""
    answer = ProviderAnswer(text, 400, text, text, text, text)
    evidence = Finding("order/tool-start-once", "MUST", "unsafe", 7, text, text, line=3, conversation=text)
    evidence = replace(evidence, reference=text, provider=answer)
    known = Finding(f"expect/{text}", "SHOULD", "style", None, text, text, text, known=text or "known")
    return RunResult(
        text,
        text,
        text,
        0,
        (
            case(
                "fail",
                findings=(evidence, known),
                repeat=text,
                trace=text,
                file=text,
                **dict.fromkeys(_NAMES, text),
            ),
            case("error", error=text, id=text, repeat=text, file=text),
            case("skip", reason=text),
            case("xfail", findings=(known,), conversations=(ConversationCount(text, 1, text),), notes=(text,)),
        ),
        versions={text: text},
        baseline=text,
        stale=(Stale(text, text, text),),
        driver=tuple(
            DriverFinding(text, "MUST", text, (text,), text, text, place, text, (text,))
            for place in (text, f"{text}.py:3")
        ),
    )

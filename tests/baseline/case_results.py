"""Results of cases, as a run would have them."""

from __future__ import annotations

from pathlib import Path

from harness.baseline.model import BaselineEntry, LocatedText
from harness.finding import Finding
from harness.runner.results import CaseResult, Verdict
from harness.scenario.documents import FilePlace
from harness.wire import wire_rules

CHUNKINGS = ("whole", "byte")
WIRES = ("openai-chat", "anthropic-messages")


def ids(*scenarios: str) -> list[str]:
    """The cases of scenarios on two wires in two chunkings."""
    return [f"{scenario}.{wire}.{chunking}" for scenario in scenarios for wire in WIRES for chunking in CHUNKINGS]


def result(id: str, *rules: str, verdict: Verdict | None = None) -> CaseResult:
    """A case in which rules were broken."""
    scenario, wire, chunking = id.split(".")
    evidence = tuple(map(_finding, rules))
    said: Verdict = verdict or ("fail" if rules else "pass")
    return CaseResult(id, scenario, wire, "a-loop", "script", "universal", chunking, 0, said, 0.1, 1, evidence)


def _finding(rule: str) -> Finding:
    """Of a rule of the harness, or of a provider's."""
    ours, reference = ("continuation/openai-chat", rule) if rule in wire_rules() else (rule, "")
    return Finding(ours, "MUST", "unsafe", None, "this", "that", reference=reference)


def entry(cases: str, rules: str, reason: str = "So it is.", line: int = 3, **versions: str) -> BaselineEntry:
    """An entry; ``cases`` and ``rules`` are separated by spaces."""

    def words(text: str, at: int) -> tuple[LocatedText, ...]:
        return tuple(
            LocatedText(word, FilePlace(Path("a.yaml"), at, column)) for column, word in enumerate(text.split(), 13)
        )

    ranges = {package.replace("_", "-"): wanted for package, wanted in versions.items()}
    return BaselineEntry(
        words(cases, line), words(rules, line + 1), reason, ranges, "", FilePlace(Path("a.yaml"), line, 5)
    )

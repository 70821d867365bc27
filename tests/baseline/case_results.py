"""Results of cases, as a run would have them."""

from __future__ import annotations

from pathlib import Path

from harness.baseline.model import Entry, Written
from harness.runner.results import CaseResult, Evidence, Verdict
from harness.scenario.documents import Place

CHUNKINGS = ("whole", "byte")
WIRES = ("openai-chat", "anthropic-messages")


def ids(*scenarios: str) -> list[str]:
    """The cases of scenarios on two wires in two chunkings."""
    return [f"{scenario}.{wire}.{chunking}" for scenario in scenarios for wire in WIRES for chunking in CHUNKINGS]


def result(id: str, *rules: str, verdict: Verdict | None = None) -> CaseResult:
    """A case in which rules were broken."""
    scenario, wire, chunking = id.split(".")
    evidence = tuple(Evidence(rule, "MUST", "unsafe", None, "this", "that") for rule in rules)
    said: Verdict = verdict or ("fail" if rules else "pass")
    return CaseResult(id, scenario, wire, "a-loop", "script", "universal", chunking, 0, said, 0.1, 1, evidence)


def entry(cases: str, rules: str, reason: str = "So it is.", line: int = 3, **versions: str) -> Entry:
    """An entry; ``cases`` and ``rules`` are separated by spaces."""

    def words(text: str, at: int) -> tuple[Written, ...]:
        return tuple(Written(word, Place(Path("a.yaml"), at, column)) for column, word in enumerate(text.split(), 13))

    ranges = {package.replace("_", "-"): wanted for package, wanted in versions.items()}
    return Entry(words(cases, line), words(rules, line + 1), reason, ranges, "", Place(Path("a.yaml"), line, 5))

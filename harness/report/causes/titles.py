"""The words of a cause that every report uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.report.causes.model import ERROR, Category, Cause
from harness.report.explanations import explanations
from harness.rules import RULES
from harness.runner.results import RunResult

CATEGORY_WORDS: Final[Mapping[Category, str]] = {
    "refused": "refused by the provider",
    "unsafe": "unsafe",
    "likely-refused": "likely refused by the provider",
    "wrong": "unexpected output or end",
    "error": "not judged",
    "opinion": "opinion",
    "uncertain": "may be caused by the adapter",
}
"""How reports name the categories."""


def title(cause: Cause, result: RunResult) -> str:
    """One sentence that names what is wrong: the demand of the rule, the expectation, or the error."""
    case = result.cases[cause.example.case]
    if cause.rule == ERROR:
        return f"could not be judged: {last_line(case.error or '')}"
    finding = case.findings[cause.example.found[0]]
    return statement(cause, result) or f"expected {finding.expected}, got {finding.got}"


def statement(cause: Cause, result: RunResult) -> str:
    """The demand of a cause's rule, in our words; empty if no rule of ours states it."""
    if cause.rule == ERROR:
        return ""
    rule = result.cases[cause.example.case].findings[cause.example.found[0]].id
    # A provider's rule is about one wire; where several wires show the cause, a rule about all of them says it better.
    ours = [each for each in cause.rules if each in RULES] if len(cause.wires) > 1 else []
    explanation = explanations([rule := (ours or [rule])[0]]).get(rule)
    return "" if explanation is None else str(explanation["statement"]).split(". ", 1)[0].removesuffix(".")


def weighed(cause: Cause) -> str:
    """The category and how many cases have it: ``refused by the provider in 1 of 16 cases``."""
    words = CATEGORY_WORDS[cause.category]
    part = f" in {cause.worst} of " if cause.worst < len(cause.members) else ", "
    return f"{words}{part}{counts(cause)}"


def counts(cause: Cause) -> str:
    """``33 cases of 12 scenarios, 6 chunkings, 4 wires``; a count of one is left out."""
    counts = [_number(len(cause.members), "case")]
    if len(cause.members) > 1:
        counts[0] += f" of {_number(len(cause.scenarios), 'scenario')}"
        counts += [_number(len(some), noun) for some, noun in _several(cause)]
    return ", ".join(counts)


def _several(cause: Cause) -> list[tuple[tuple[str, ...], str]]:
    return [(some, noun) for some, noun in ((cause.chunkings, _noun(cause)), (cause.wires, "wire")) if len(some) > 1]


def _noun(cause: Cause) -> str:
    """The word for chunkings. A case of a gateway has no chunking but a way to its upstream."""
    return "way" if all(each.startswith("to-") for each in cause.chunkings) else "chunking"


def last_line(error: str) -> str:
    """The last line of a traceback, or the first line of a message."""
    lines = error.strip().splitlines() or [""]
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

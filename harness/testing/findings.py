"""Why a case failed, in the words of ``harness run``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.finding import Finding
from harness.report.causes import causes
from harness.report.entries import severity
from harness.report.visible import cut, in_line, visible
from harness.runner.results import CaseResult, RunResult

_LONGEST = 300
"""Characters of a headline."""


def failure_text(result: CaseResult, folder: Path) -> str:
    """Everything that is wrong with a case. The first line says it in short: pytest shows it in its summary."""
    return "\n".join(_case(result, folder))


def reasons(result: CaseResult) -> Iterator[str]:
    """Why the baseline expects the findings: each reason once, with the findings that it is for."""
    for reason in dict.fromkeys(finding.known for finding in result.expected):
        found = dict.fromkeys(finding.id for finding in result.expected if finding.known == reason)
        yield f"{reason} ({', '.join(found)})"


def story_of(found: Sequence[Finding], trace: Path) -> Iterator[str]:
    """The lines of each finding. The line numbers are those in the file ``trace``."""
    for finding in found:
        place = f"  {trace}:{finding.at}" if finding.at else ""
        yield f"{finding.name}  {severity(finding)}{place}"
        yield f"  expected  {_beneath(finding.expected)}"
        yield f"  got       {_beneath(finding.got)}"
        if finding.explanation:
            yield f"  evidence  {_beneath(finding.explanation)}"


def headline(found: Sequence[Finding], names: Sequence[str] = ()) -> str:
    """The first cause in one line for pytest's summary: the rule, what was got, what was expected.

    ``names`` are names that only the case has (``CaseResult.names``).
    """
    cause = next(iter(causes(_run_of(found, names))))
    first = found[cause.example.found[0]]
    others = "" if len(found) == 1 else f" (and {len(found) - 1} more)"
    return in_line(cut(f"{first.id}: got {first.got}; expected {first.expected}", _LONGEST)) + others


def ordered(found: Sequence[Finding], names: Sequence[str] = ()) -> list[Finding]:
    """The findings, each cause before its consequences, the worst cause first."""
    members = [cause.example for cause in causes(_run_of(found, names))]
    return [found[number] for member in members for number in (*member.found, *member.follows)]


def _run_of(found: Sequence[Finding], names: Sequence[str]) -> RunResult:
    """A run of one case with these findings, for functions that need a run."""
    case = CaseResult(
        id="",
        scenario="",
        wire="",
        target="",
        source="",
        profile="",
        chunking="",
        seed=0,
        verdict="fail",
        seconds=0.0,
        requests=0,
        findings=tuple(found),
        names=tuple(names),
    )
    return RunResult("", "", "", 0, (case,))


def _case(result: CaseResult, folder: Path) -> Iterator[str]:
    trace = folder / (result.trace or "")
    if result.error is not None:
        yield from _error(visible(result.error).strip().splitlines())
    else:
        yield headline(result.unexpected, result.names)
    yield from story_of(ordered(result.unexpected, result.names), trace)
    for finding in result.expected:
        yield f"{finding.name}  is expected: {_beneath(finding.known)}"
    if result.trace is not None:
        yield f"trace     {trace}"
    yield f"repeat    {result.repeat}"


def _error(lines: Sequence[str]) -> Iterator[str]:
    """A traceback with its last line first."""
    traceback = lines[0].startswith("Traceback")
    yield f"error: {lines[-1] if traceback else lines[0]}"
    yield from lines if traceback else lines[1:]


def _beneath(text: str) -> str:
    """A text of several lines; the later lines are indented below the first."""
    return visible(text).replace("\n", "\n" + " " * 12)

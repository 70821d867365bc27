"""Why a case failed, as ``harness run`` tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.report.causes import causes
from harness.report.entries import severity
from harness.report.visible import cut, in_line, visible
from harness.runner.results import CaseResult, Evidence, RunResult

__all__ = ["headline", "ordered", "reasons", "story_of", "told"]

_LONGEST = 300
"""Characters of a headline."""


def told(result: CaseResult, folder: Path) -> str:
    """Everything that is wrong with a case. The first line says it in short: pytest shows it in its summary."""
    return "\n".join(_case(result, folder))


def reasons(result: CaseResult) -> Iterator[str]:
    """Why the baseline expects what was found, each reason once, with what it is given for."""
    for reason in dict.fromkeys(evidence.known for evidence in result.expected):
        found = dict.fromkeys(evidence.id for evidence in result.expected if evidence.known == reason)
        yield f"{reason} ({', '.join(found)})"


def story_of(found: Sequence[Evidence], trace: Path) -> Iterator[str]:
    """The lines of each piece of evidence. ``trace`` is the file whose lines they name."""
    for evidence in found:
        place = f"  {trace}:{evidence.at}" if evidence.at else ""
        yield f"{evidence.rule}  {severity(evidence)}{place}"
        yield f"  expected  {_beneath(evidence.expected)}"
        yield f"  got       {_beneath(evidence.got)}"
        if evidence.explanation:
            yield f"  evidence  {_beneath(evidence.explanation)}"


def headline(found: Sequence[Evidence], names: Sequence[str] = ()) -> str:
    """The first cause in one line, as pytest's summary shows it: the rule, what was got, what was expected.

    ``names`` are those that only the case has (``CaseResult.names``).
    """
    cause = next(iter(causes(_run_of(found, names))))
    first = found[cause.example.found[0]]
    others = "" if len(found) == 1 else f" (and {len(found) - 1} more)"
    return in_line(cut(f"{first.id}: got {first.got}; expected {first.expected}", _LONGEST)) + others


def ordered(found: Sequence[Evidence], names: Sequence[str] = ()) -> list[Evidence]:
    """The findings, each cause before its consequences, the worst cause first."""
    members = [cause.example for cause in causes(_run_of(found, names))]
    return [found[number] for member in members for number in (*member.found, *member.follows)]


def _run_of(found: Sequence[Evidence], names: Sequence[str]) -> RunResult:
    """A run of one case with these findings, for those who judge one case alone."""
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
        evidence=tuple(found),
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
    for evidence in result.expected:
        yield f"{evidence.rule}  is expected: {_beneath(evidence.known)}"
    if result.trace is not None:
        yield f"trace     {trace}"
    yield f"repeat    {result.repeat}"


def _error(lines: Sequence[str]) -> Iterator[str]:
    """What ends a traceback is put first."""
    traceback = lines[0].startswith("Traceback")
    yield f"error: {lines[-1] if traceback else lines[0]}"
    yield from lines if traceback else lines[1:]


def _beneath(text: str) -> str:
    """Text of several lines, those behind the first beneath it."""
    return visible(text).replace("\n", "\n" + " " * 12)

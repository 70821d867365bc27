"""Why a case failed, as ``harness run`` tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.report.terminal import visible
from harness.runner.results import CaseResult, Evidence

__all__ = ["reasons", "story_of", "told"]


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
        yield f"{evidence.rule}  {evidence.level} {evidence.kind}{place}"
        yield f"  expected  {_beneath(evidence.expected)}"
        yield f"  got       {_beneath(evidence.got)}"
        if evidence.explanation:
            yield f"  evidence  {_beneath(evidence.explanation)}"


def _case(result: CaseResult, folder: Path) -> Iterator[str]:
    trace = folder / (result.trace or "")
    if result.error is not None:
        yield from _error(visible(result.error).strip().splitlines())
    else:
        yield ", ".join(dict.fromkeys(evidence.rule for evidence in result.unexpected))
    yield from story_of(result.unexpected, trace)
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

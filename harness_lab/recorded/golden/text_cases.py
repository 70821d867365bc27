"""The measured cases of a program that calls tools in text, and whether ours gives the same.

A file of cases is one JSON object with a list ``cases``; a case has

    id         its name
    fn         the function that was measured: ``parse_tool_calls``, ``strip_thinking`` ..., or ``loop``
    input      its argument
    expected   its result
    certain    whether it was measured, or read in the source; others are not compared

Further members say where a case comes from.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.imports.comparison import Reason, RecordedComparison, RecordedDifference, compare
from harness.loop.session import TurnFailed
from harness.wire.json_text import compact
from harness_lab.recorded.golden.text_answers import NoSuchCase, our_answer
from harness_lab.recorded.golden.text_deviations import DIFFERS, TEXT_DEVIATIONS, AnsweredCase, TextCase

CASES = "cases.json"
"""The name of a file of cases."""

_DEADLINE = 60.0
"""Seconds that one case may take; it takes milliseconds."""


def read_text_cases(path: Path, unread: list[str] | None = None) -> list[TextCase]:
    """The certain cases of a file, or of a folder's ``cases.json``.

    Bad cases are added to ``unread``. Without it, or if there is no good case, they are raised as ``BadInput``.
    """
    file = path / CASES if path.is_dir() else path
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: expected a JSON object: {error}") from None
    cases = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(cases, list) or not cases:
        raise BadInput(f"{file}: expected an object with a list 'cases'")
    problems = [f"{file}: case {number}: {what}" for number, case in enumerate(cases, 1) if (what := _problem(case))]
    good = [each for each in cases if not _problem(each)]
    if problems and (unread is None or not good):
        raise BadInput(*problems)
    if unread is not None:
        unread += problems
    return [TextCase(each["id"], each["fn"], each["input"], each["expected"]) for each in good if each["certain"]]


def _problem(case: Any) -> str:
    if not isinstance(case, dict):
        return "expected an object"
    missing = [name for name in ("id", "fn", "input", "expected", "certain") if name not in case]
    if missing:
        return f"expected {' and '.join(map(repr, missing))}"
    return "" if all(isinstance(case[name], str) for name in ("id", "fn")) else "expected texts in 'id' and 'fn'"


async def against_text_cases(
    cases: Sequence[TextCase],
    reasons: Sequence[Reason[AnsweredCase]] = TEXT_DEVIATIONS,
    unread: list[str] | None = None,
) -> list[RecordedComparison[AnsweredCase]]:
    """Compare our answers to the cases with those of the program.

    A case of a function that ours does not have is added to ``unread``. Without it, or if that is every case, it is
    raised as ``BadInput``.
    """
    answered: list[AnsweredCase] = []
    problems: list[str] = []
    for case in cases:
        try:
            answered.append(AnsweredCase(case, await _answer(case)))
        except BadInput as error:
            problems += error.problems
    if problems and (unread is None or not answered):
        raise BadInput(*problems)
    if unread is not None:
        unread += problems
    return [compare(each, _differences(each), reasons) for each in answered]


def _differences(answered: AnsweredCase) -> list[RecordedDifference]:
    program, ours = answered.case.expected, answered.ours
    return [] if ours == program else [RecordedDifference(DIFFERS, compact(program), compact(ours))]


async def _answer(case: TextCase) -> Any:
    try:
        async with asyncio.timeout(_DEADLINE):
            return await our_answer(case.fn, case.id, case.input)
    except NoSuchCase as unknown:
        raise BadInput(f"{case.id}: {unknown}") from None
    except TurnFailed as failure:
        return {"error": f"{type(failure).__name__}: {failure}"}
    except Exception as crash:  # noqa: BLE001 - a crash of ours is what is different in this case
        return {"crash": f"{type(crash).__name__}: {crash}"}

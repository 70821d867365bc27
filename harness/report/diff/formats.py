"""A comparison in every format that can be asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from harness.report.diff.html import html
from harness.report.diff.junit import junit
from harness.report.diff.markdown import markdown
from harness.report.diff.model import Comparison
from harness.report.diff.summarizing import summarize
from harness.report.diff.summary import Amount, ComparisonSummary, Place
from harness.report.diff.text import lines
from harness.report.document import address
from harness.report.formats.markdown import LIMIT

TERMINAL: Final = Amount()
_TO_SCROLL: Final = Amount(groups=20, items=5, names=20, findings=5, lines=40, characters=1000)


def _plain(comparison: Comparison) -> str:
    return "".join(f"{line}\n" for line, _ in lines(summarize(comparison, TERMINAL)))


def _json(comparison: Comparison) -> str:
    return json.dumps(comparison.to_json(), indent=1) + "\n"


def _within(limit: int, render: Callable[[ComparisonSummary], str], comparison: Comparison) -> str:
    """The comparison, shortened to so many bytes: GitHub takes no longer summary of a job, and nobody reads a longer
    page."""
    amount = _TO_SCROLL
    while len((text := render(summarize(comparison, amount))).encode()) > limit and amount != amount.less:
        amount = amount.less
    return text


def html_beside(comparison: Comparison, beside: Path) -> str:
    """The page for a file in the folder ``beside``, from where its links lead to the pages of the two runs."""

    def of_case(place: Place) -> str:
        side = comparison.base if place.removed else comparison.new
        return address(side.folder, beside, case=place.id)

    return _within(LIMIT, lambda summary: html(summary, of_case), comparison)


FORMATS: Final[Mapping[str, Callable[[Comparison], str]]] = {
    "terminal": _plain,
    "json": _json,
    "markdown": lambda comparison: _within(LIMIT, markdown, comparison),
    "junit": junit,
    "html": lambda comparison: html_beside(comparison, Path()),
}
"""The function that renders a comparison, by the name of the format; ``terminal`` here has no colours."""

"""A history as one small HTML file: for each target its trends, its runs, and scenarios and rules run by run.

A run, a scenario in a run and a rule in a run are links to the page of that run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from harness.report.document import address, document
from harness.report.history.model import WORST_FIRST, PastRun, RunHistory
from harness.report.history.rendering import COLUMNS, MOST_RUNS, number, trends
from harness.report.visible import cut, in_line, visible
from harness.runner.results import Verdict

_SIGNS: Final[dict[Verdict, tuple[str, str]]] = {
    "fail": ("✕", "failed"),
    "error": ("!", "error"),
    "xpass": ("◆", "passed although the baseline expects a failure"),
    "xfail": ("×", "expected to fail"),
    "pass": ("✓", "passed"),
    "skip": ("–", "skipped"),
}
_LONGEST: Final = 200

_Cell = Callable[[PastRun, str], str]
"""The content of a cell, from the run of the column and the name of the row."""


def html(history: RunHistory, folder: Path, beside: Path) -> str:
    """The page, for a file in ``beside``; the runs are in ``folder``. Texts are texts, whatever they say."""
    targets = [line for target, runs in history.targets.items() for line in _Target(target, runs, folder, beside).lines]
    unread = [f"<p>not read: {_text(in_line(each))}</p>" for each in history.unread]
    title = f"History of {number(history.runs)}"
    problems = ["<section>", *unread, "</section>"] if unread else []
    return document(title, "\n".join([f"<h1>{title}</h1>", *targets, *problems]))


class _Target:
    """What the page shows of one target."""

    def __init__(self, name: str, runs: Sequence[PastRun], folder: Path, beside: Path) -> None:
        self._name = name
        self._runs = runs
        self._latest = runs[-MOST_RUNS:]
        self._folder = folder
        self._beside = beside

    @property
    def lines(self) -> Iterator[str]:
        yield f"<section><h2>{_text(self._name)}: {number(self._runs)}</h2>"
        yield from self._trends()
        yield from self._scenarios()
        yield from self._rules()
        yield from self._table()
        yield "</section>"

    def _trends(self) -> Iterator[str]:
        """The trends, except the trends of rules: a table has all of them."""
        rows, _ = trends(self._runs)
        yield "<table>"
        for name, line, ends in rows[:3]:
            yield f'<tr><th>{_text(name)}</th><td class="trend">{line}</td><td class="quiet">{_text(ends)}</td></tr>'
        yield "</table>"

    def _scenarios(self) -> Iterator[str]:
        """The scenarios that did not always pass, the worst of the latest run first; the others by name."""
        scenarios = dict.fromkeys(name for run in reversed(self._latest) for name in run.scenarios)
        steady = [name for name in scenarios if self._verdicts(name) <= {"pass", "skip"}]
        changing = sorted((name for name in scenarios if name not in set(steady)), key=self._badness)
        yield "<h3>Scenarios</h3>"
        if changing:
            yield from self._over_time("scenario", changing, self._verdict)
        if steady:
            names = ", ".join(f"<code>{_text(name)}</code>" for name in sorted(steady))
            title = f"{len(steady)} passed, or were skipped, in every run"
            yield f"<details><summary>{title}</summary><p>{names}</p></details>"

    def _rules(self) -> Iterator[str]:
        rules = dict.fromkeys(rule for run in self._latest for rule in run.rules)
        often = sorted(rules, key=lambda rule: (-self._runs[-1].rules.get(rule, 0), -self._cases(rule), rule))
        yield "<h3>Broken rules: cases in each run</h3>"
        if often:
            yield from self._over_time("rule", often, self._count)
        else:
            yield "<p>None.</p>"

    def _over_time(self, what: str, names: Sequence[str], cell: _Cell) -> Iterator[str]:
        """A row for each name, a column for each run, the oldest on the left."""
        yield f'<div class="scroller"><table class="over-time"><thead><tr><th>{what}</th>'
        yield from (f'<th scope="col">{self._link(run, _when(run))}</th>' for run in self._latest)
        yield "</tr></thead><tbody>"
        for name in names:
            cells = "".join(f"<td>{cell(run, name)}</td>" for run in self._latest)
            title = _text(name)
            yield f'<tr class="item"><th scope="row" title="{title}">{title}</th>{cells}</tr>'
        yield "</tbody></table></div>"

    def _verdict(self, run: PastRun, scenario: str) -> str:
        verdict = run.scenarios.get(scenario)
        if verdict is None:
            return ""
        sign, word = _SIGNS[verdict]
        return self._link(run, sign, f"{word}, {run.started[:16]}", f"cell {verdict}", scenario=scenario)

    def _count(self, run: PastRun, rule: str) -> str:
        if not (count := run.rules.get(rule, 0)):
            return ""
        return self._link(run, str(count), f"{count} cases, {run.started[:16]}", "cell broken", rule=rule)

    def _link(self, run: PastRun, text: str, title: str = "", name: str = "", **members: str) -> str:
        labels = f' title="{_text(title)}" aria-label="{_text(title)}"' if title else ""
        styled = f' class="{name}"' if name else ""
        where = address(str(self._folder / run.folder), self._beside, **members)
        return f'<a href="{where}"{styled}{labels}>{_text(text)}</a>'

    def _table(self) -> Iterator[str]:
        """The runs, the latest first."""
        yield '<h3>Runs</h3><div class="scroller"><table><thead><tr>'
        yield from (f"<th>{name}</th>" for name, _ in COLUMNS)
        yield "</tr></thead><tbody>"
        for run in reversed(self._latest):
            *cells, folder = [_text(str(held(run))) for _, held in COLUMNS]
            where = address(str(self._folder / run.folder), self._beside)
            numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
            yield f'<tr class="item">{numbers}<td><a href="{where}">{folder}</a></td></tr>'
        yield "</tbody></table></div>"
        if (earlier := len(self._runs) - len(self._latest)) > 0:
            yield f"<p>and {earlier} earlier</p>"

    def _verdicts(self, scenario: str) -> set[Verdict]:
        return {run.scenarios[scenario] for run in self._latest if scenario in run.scenarios}

    def _badness(self, scenario: str) -> tuple[int, str]:
        latest = next(run.scenarios[scenario] for run in reversed(self._latest) if scenario in run.scenarios)
        return WORST_FIRST.index(latest), scenario

    def _cases(self, rule: str) -> int:
        return sum(run.rules.get(rule, 0) for run in self._latest)


def _when(run: PastRun) -> str:
    return run.started[5:16].replace("T", " ")


def _text(text: str) -> str:
    return escape(visible(cut(text, _LONGEST)))

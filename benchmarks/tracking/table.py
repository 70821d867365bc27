"""Figures as a Markdown table."""

from __future__ import annotations

from benchmarks.tracking.figure import Figure, Goal, LeftOut, Row, Unit

_SCALES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")),
    "/s": ((1.0, "/s"),),
}

HEAD = (
    "| what | counted | ours | beside | theirs | ratio | least to most | goal |\n"
    "|---|---|---:|---|---:|---:|---:|---|\n"
)


def line(row: Row) -> str:
    """A row of the table, with its end."""
    if isinstance(row, LeftOut):
        return f"| {row.what} | | left out: {row.why} | | | | | |\n"
    cells = [
        row.what,
        row.counted,
        shown(row.ours, row.unit),
        row.beside,
        "" if row.theirs is None else shown(row.theirs, row.unit),
        "" if row.ratio is None else times(row.ratio),
        _spread(row),
        "; ".join(_goal(goal, row) for goal in row.goals),
    ]
    return f"| {' | '.join(cells)} |\n"


def shown(value: float, unit: Unit) -> str:
    """A value with its unit, in the scale that suits it: 0.0000123 s is ``12.3 us``."""
    if unit == "exponent":
        return f"size^{value:.2f}"
    if value < 0:  # a difference
        return f"-{shown(-value, unit)}"
    scale, name = next((each for each in _SCALES[unit] if value >= each[0]), _SCALES[unit][-1])
    return f"{_digits(value / scale)} {name}"


def times(ratio: float) -> str:
    """A ratio: ``1.06``, ``0.91``; below a half as a part, ``1/309``."""
    return f"{_digits(ratio)}" if ratio >= 0.5 else f"1/{_digits(1 / ratio)}"


def _digits(value: float) -> str:
    """Three digits that count, or all before the point."""
    return f"{value:,.{3 - len(str(int(value)))}f}" if value < 100 else f"{value:,.0f}"


def _spread(figure: Figure) -> str:
    if figure.least == figure.most:
        return ""
    if figure.ratio is not None:
        return f"{times(figure.least)} to {times(figure.most)}"
    return f"{shown(figure.least, figure.unit)} to {shown(figure.most, figure.unit)}"


def _goal(goal: Goal, figure: Figure) -> str:
    limit = f"ratio {goal.bound} {_exact(goal.limit)}" if goal.of == "ratio" else _bound(goal, figure.unit)
    return f"{limit}: {'**missed**' if goal in figure.missed else 'met'}"


def _exact(ratio: float) -> str:
    return f"{ratio:g}" if ratio >= 0.5 else f"1/{1 / ratio:g}"


def _bound(goal: Goal, unit: Unit) -> str:
    return f"{goal.bound} {shown(goal.limit, unit)}"

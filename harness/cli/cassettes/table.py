"""Prints a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from harness.report.terminal import visible


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with the same number of cells, in columns."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def many(count: int, one: str, several: str = "") -> str:
    """``1 request``, ``2 requests``."""
    return f"{count} {one if count == 1 else several or one + 's'}"

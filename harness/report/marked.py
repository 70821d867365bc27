"""Texts of others in Markdown: as code, in which no Markdown, no HTML and no entity is read, and GitHub finds no link
and no @mention."""

from __future__ import annotations

import re

from harness.report.visible import visible


def code(text: str) -> str:
    """Text in a code span; empty for an empty text."""
    line = visible(text).replace("\n", " ⏎ ")
    if not line.strip():
        return ""
    fence = _fence(line, 1)
    return f"{fence} {line} {fence}" if line[0] in "` " or line[-1] in "` " else f"{fence}{line}{fence}"


def cell(text: str) -> str:
    r"""The same in a table, where a pipe would end it even so.

    Behind a backslash ``\|`` is read in more than one way, so a pipe is written as the escape that it would have if it
    could not be shown.
    """
    return re.sub(r"(?<=\\)\|", r"\\x7c", code(text)).replace("|", "\\|")


def fenced(language: str, text: str) -> str:
    """Text of several lines in a block of its own."""
    shown = visible(text)
    fence = _fence(shown, 3)
    return f"{fence}{language}\n{shown}\n{fence}"


def _fence(text: str, least: int) -> str:
    """One backtick more than the longest run of them in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])

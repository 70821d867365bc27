"""Pages of the documentation as a reader follows them: their files are written, and their commands run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FILE = re.compile(r"`([\w./-]+\.\w+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and the output that the page shows below it."""

    command: str
    output: str


def files(page: str) -> dict[str, str]:
    """The files of a page: blocks behind a paragraph that ends with a name in backticks and a colon."""
    return dict(_FILE.findall(page))


def write(page: str, folder: Path) -> None:
    """Make the files of a page."""
    for name, text in files(page).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def transcript(page: str) -> Iterator[Shown]:
    """The commands of a page in their order."""
    for block in _CONSOLE.findall(page):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            yield Shown(command, output)


def matches(shown: str, printed: str) -> bool:
    """Whether the output is the one that is shown. ``...`` is any text, and on a line of its own any lines."""
    pattern = "".join(map(_line, shown.splitlines()))
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


def _line(shown: str) -> str:
    if shown.strip() == "...":
        return "(?:.*\n)*?"
    return ".*".join(map(re.escape, shown.rstrip().split("..."))) + " *\n"

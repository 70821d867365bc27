"""Reads scenarios from files and folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from harness.errors import BadInput
from harness.scenario.checking import check
from harness.scenario.compiling import compile_file
from harness.scenario.documents import read
from harness.scenario.model import Scenario
from harness.scenario.places import files

_NAME: Final = re.compile(r"^scenario:[ \t]+([\w-]+)[ \t]*$", re.MULTILINE)


def load(paths: Sequence[Path]) -> list[Scenario]:
    """Read scenarios from files, and from folders with everything below them that ends in ``.yaml``; by path.

    An ``!include`` may name files in a folder of ``paths``, or beside a single file of ``paths``.
    Raises one ``BadInput`` with all problems of all files.
    """
    return load_needed(paths, None)


def load_needed(paths: Sequence[Path], needed: Callable[[str], bool] | None) -> list[Scenario]:
    """Read scenarios like ``load``, but only those that are needed, which ``needed`` reports by their names.

    To find the name of a scenario takes much less time than to read it. None: all are needed.
    """
    problems: list[str] = []
    scenarios: list[Scenario] = []
    first: dict[str, str] = {}
    for path, root in files(paths, problems):
        if needed is not None and not _is_needed(path, needed):
            continue
        try:
            scenario, place = read_scenario(path, root)
        except BadInput as error:
            problems.extend(error.problems)
            continue
        other = first.setdefault(scenario.name, place)
        if other is not place:
            problems.append(f"{place}: expected a name of its own, got '{scenario.name}', as in {other}; rename one")
        scenarios.append(scenario)
    if problems:
        raise BadInput(*problems)
    return scenarios


def _is_needed(path: Path, needed: Callable[[str], bool]) -> bool:
    """Whether a file must be read. One whose name cannot be found must: reading it reports why."""
    try:
        named = _NAME.search(path.read_text("utf-8"))
    except (OSError, UnicodeError):
        return True
    return named is None or needed(named[1])


def load_file(path: Path, root: Path) -> Scenario:
    """Read one scenario, whose ``!include`` may name files below ``root``. Raises ``BadInput`` with its problems."""
    return read_scenario(path, root)[0]


def read_scenario(path: Path, root: Path) -> tuple[Scenario, str]:
    """Read one scenario like ``load_file``. Also returns the place of its name: ``path:line:column``."""
    document = read(path, root)
    return compile_file(document, check(document)), str(document.place(("scenario",)))

"""From files and folders to scenarios.

What reads and checks files (YAML, pydantic, jsonschema) is imported when it is first needed: it costs more than
everything else that a command like ``harness --help`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.scenario.model import Outline, Scenario
from harness.wire import WIRES

__all__ = ["load", "outline", "shipped"]


def shipped() -> Path:
    """The folder of the scenarios that come with the harness."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "scenarios"
    return installed if installed.is_dir() else package.parent / "scenarios"


def load(paths: Sequence[Path]) -> list[Scenario]:
    """Read scenarios from files, and from folders with everything below them that ends in ``.yaml``; by path.

    An ``!include`` may name files of the folder that was given, or beside a file that was given by itself.
    Raises one ``BadInput`` that holds all problems of all files.
    """
    from harness.scenario.checking import check
    from harness.scenario.compiling import compile_file
    from harness.scenario.documents import read

    problems: list[str] = []
    scenarios: list[Scenario] = []
    first: dict[str, str] = {}
    for path, root in _files(paths, problems):
        try:
            document = read(path, root)
            scenario = compile_file(document, check(document))
        except BadInput as error:
            problems.extend(error.problems)
            continue
        place = str(document.place(("scenario",)))
        other = first.setdefault(scenario.name, place)
        if other is not place:
            problems.append(f"{place}: expected a name of its own, got '{scenario.name}', as in {other}; rename one")
        scenarios.append(scenario)
    if problems:
        raise BadInput(*problems)
    return scenarios


def outline(paths: Sequence[Path]) -> list[Outline]:
    """The heads of the same files, without checking what comes after them; for lists, where start-up counts.

    Raises ``BadInput`` when a file is no YAML or does not begin as a scenario.
    """
    from harness.scenario.documents import read_head

    problems: list[str] = []
    found: list[Outline] = []
    for path, _ in _files(paths, problems):
        try:
            found.append(_outline(path, read_head(path)))
        except BadInput as error:
            problems.extend(error.problems)
    if problems:
        raise BadInput(*problems)
    return found


def _outline(path: Path, head: Mapping[str, Any]) -> Outline:
    wires = head.get("wires", "all")
    for key in ("scenario", "profile", "summary"):
        if not isinstance(head.get(key), str):
            raise BadInput(f"{path}:1:1: expected a scenario with the key '{key}', got none; add it")
    return Outline(
        name=head["scenario"],
        profile=head["profile"],
        summary=" ".join(head["summary"].split()),
        wires=tuple(name for name in WIRES if wires == "all" or name in wires),
        path=path,
    )


def _files(paths: Iterable[Path], problems: list[str]) -> list[tuple[Path, Path]]:
    """Every file once, with the folder that its includes must stay in."""
    found: dict[Path, tuple[Path, Path]] = {}
    for path in paths:
        if path.is_dir():
            below = sorted(path.rglob("*.yaml"))
            if not below:
                problems.append(f"{path}: expected a folder with *.yaml files, got none in it; correct the path")
            for file in below:
                found.setdefault(file.resolve(), (file, path))
        elif path.is_file():
            inside = path.resolve().is_relative_to(shipped().resolve())
            found.setdefault(path.resolve(), (path, shipped() if inside else path.parent))
        else:
            problems.append(f"{path}: expected a scenario file or a folder, got nothing there; correct the path")
    return sorted(found.values())

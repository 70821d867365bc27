"""The heads of scenario files: name, profile, suite and reason to exist, for lists.

Importing YAML alone costs more than a list may, so a head of plain one-line values is read without it. The short
way takes only what YAML certainly reads as the same text; every other file goes the long way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import BadInput
from harness.scenario.places import files

_KEYS = ("scenario", "profile", "summary")

# A plain scalar on one line: it begins with a letter and has nothing that could end or change it (": ", " #", a
# quote, a tag ...); single words that YAML reads as something else than text are left to YAML too.
_PLAIN = re.compile(
    r"scenario: (?P<scenario>[a-z][a-z0-9-]*)\n"
    r"profile: (?P<profile>[a-z][a-z0-9-]*)\n"
    r"(?:suite: (?P<suite>[a-z][a-z0-9-]*)\n)?"
    r"summary: (?P<summary>[A-Za-z](?:[^\s:#]|[:#](?=[^\s:#])| (?=[^\s#]))*)\n(?=[a-z\n])"
)
_NOT_TEXT = frozenset({"null", "true", "false", "Null", "True", "False", "NULL", "TRUE", "FALSE"})
_HEAD = 1_000
"""How many characters of a file the short way looks at."""


@dataclass(frozen=True)
class Outline:
    """What a list shows of a scenario. ``suite`` is that of most of its cases (``suite_of``)."""

    name: str
    profile: str
    suite: str
    summary: str
    path: Path


def outline(paths: Sequence[Path]) -> list[Outline]:
    """The heads of scenario files, and of all files in folders, without checking what comes after them.

    Raises one ``BadInput`` for all files that are no YAML or do not say what they are.
    """
    problems: list[str] = []
    found: list[Outline] = []
    for path, _ in files(paths, problems):
        try:
            found.append(_outline(path))
        except BadInput as error:
            problems.extend(error.problems)
    if problems:
        raise BadInput(*problems)
    return found


def _outline(path: Path) -> Outline:
    head = plain_head(_beginning(path))
    if head is None:
        from harness.scenario.documents import read_head

        head = read_head(path)
    for key in _KEYS:
        if key not in head:
            raise BadInput(f"{path}:1:1: expected a scenario with the key '{key}', got none; add it")
    profile = head["profile"]
    suite = head.get("suite", "core") if profile == "universal" else profile
    return Outline(head["scenario"], profile, suite, " ".join(head["summary"].split()), path)


def _beginning(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_HEAD)
    except (OSError, UnicodeDecodeError):
        return ""  # the long way says what is wrong with it


def plain_head(text: str) -> Mapping[str, str] | None:
    """The head of a file that begins with its plain one-line values; None when only YAML can read it."""
    match = _PLAIN.match(text)
    if match is None or _NOT_TEXT.intersection(match.groups()):
        return None
    return {key: value for key, value in match.groupdict().items() if value is not None}

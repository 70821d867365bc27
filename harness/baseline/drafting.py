"""Entries for unexpected findings, one for each cause. A person must write the reason."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.baseline.checking import TODO
from harness.baseline.versions import range_of
from harness.finding import Finding
from harness.runner.results import CaseResult

_WIDTH = 110
"""Characters of a line."""

_PLAIN = re.compile(r"[A-Za-z_][\w.*/-]*", re.ASCII)
_CONSTANTS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


FoundCause = Sequence[tuple[CaseResult, Sequence[Finding]]]
"""The cases that show one cause, each with the findings that are part of it."""


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """A draft of an entry: what was found, and in ``seen`` an example for each rule."""

    cases: tuple[str, ...]
    rules: tuple[str, ...]
    seen: tuple[str, ...]
    versions: Mapping[str, str]


def drafts(causes: Iterable[FoundCause], there_are: Collection[str], versions: Mapping[str, str]) -> list[DraftEntry]:
    """An entry for each cause: all its rules, in all cases in which it was found.

    ``there_are`` are the ids of all cases that the target can run: a pattern matches only cases in which the cause was
    found. ``versions`` are the versions of the target's packages; the entry is about the first package.
    """
    ranges = {package: range_of(found) for package, found in list(versions.items())[:1]}
    return [_draft(cause, there_are, ranges) for cause in causes]


def _draft(cause: FoundCause, there_are: Collection[str], ranges: Mapping[str, str]) -> DraftEntry:
    seen: dict[str, str] = {}
    cases: defaultdict[str, set[str]] = defaultdict(set)
    for result, findings in cause:
        cases[result.scenario].add(result.id)
        for each in findings:
            seen.setdefault(each.id, f"{each.id}: expected {each.expected}, got {each.got}")
    patterns = [pattern for scenario, found in cases.items() for pattern in _patterns(scenario, found, there_are)]
    return DraftEntry(tuple(patterns), tuple(seen), tuple(seen.values()), ranges)


def _patterns(scenario: str, found: Collection[str], there_are: Collection[str]) -> Iterator[str]:
    return _fewest_patterns(scenario, found, {case for case in there_are if case.partition(".")[0] == scenario})


def _fewest_patterns(scenario: str, found: Collection[str], there_are: Collection[str]) -> Iterator[str]:
    """Patterns for exactly the cases ``found`` of those that there are, as few as can be read."""
    left = set(found)
    wires = dict.fromkeys(case.split(".")[1] for case in sorted(left))
    chunkings = dict.fromkeys(case.split(".")[2] for case in sorted(left))
    patterns = ["*", *(f"{wire}.*" for wire in wires), *(f"*.{chunking}" for chunking in chunkings)]
    for pattern in patterns:
        meant = {case for case in there_are if _fits(case, pattern)}
        if meant & left and meant <= set(found):
            left -= meant
            yield f"{scenario}.{pattern}"
    yield from sorted(left)


def _fits(case: str, pattern: str) -> bool:
    _, wire, chunking = case.split(".")
    return pattern in ("*", f"{wire}.*", f"*.{chunking}")


def head(target: str) -> str:
    """How a file begins that was not there before."""
    return f"baseline: {_scalar(target)}\nfindings: []\n"


def written(draft: DraftEntry, indent: int) -> str:
    """The draft as lines of a file, ``indent`` characters from its left."""
    lines = [
        *_list_lines("cases", draft.cases),
        *_list_lines("rules", draft.rules),
        *(_comment(seen) for seen in draft.seen),
        f"reason: {_scalar(TODO)}",
    ]
    if draft.versions:
        ranges = ", ".join(f"{_scalar(package)}: {json.dumps(wanted)}" for package, wanted in draft.versions.items())
        lines.append(f"versions: {{{ranges}}}")
    beside = " " * indent
    return f"{beside}- " + f"\n{beside}  ".join(lines) + "\n"


def _list_lines(key: str, words: Sequence[str]) -> list[str]:
    line = f"{key}: [{', '.join(map(_scalar, words))}]"
    return [line] if len(line) <= _WIDTH else [f"{key}:", *(f"  - {_scalar(word)}" for word in words)]


def _comment(text: str) -> str:
    """One line, of characters that may be in a file of YAML."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return f"# {line}" if len(line) <= _WIDTH else f"# {line[:_WIDTH]}…"


def _scalar(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _CONSTANTS
    return text if plain else json.dumps(text, ensure_ascii=False)

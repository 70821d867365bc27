"""The data of a baseline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import Literal

from harness.scenario.documents import FilePlace

Host = Literal["any", "provider", "other"]


@dataclass(frozen=True, slots=True)
class LocatedText:
    """A pattern or a rule as it is written, and where."""

    text: str
    place: FilePlace


@dataclass(frozen=True, slots=True)
class BaselineSource:
    """A place in the code of a package that shows what an entry says of it.

    ``file`` is a path in the package as it is installed: from ``site-packages`` for Python, from the package's own
    folder for Node, with ``/`` between folders. ``says`` is a text that the file contains, where a run of white space
    matches any other.
    """

    package: str
    file: str
    says: str


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """Findings that are expected: of any of ``rules`` in any of ``cases``.

    ``cases`` are shell patterns for case ids, ``rules`` ids of rules, of wire rules (``ANT-01``) or of expectations
    (``expect/outcome``). ``versions`` are the ranges, by package, in which the entry applies; none: always. ``source``
    are the places in the packages' code that confirm the reason; none: unchecked. ``host`` is where the loop behaves
    like this: only at the ``provider``'s own host, only at ``other`` hosts, or ``any``.
    """

    cases: tuple[LocatedText, ...]
    rules: tuple[LocatedText, ...]
    reason: str
    versions: Mapping[str, str]
    link: str
    place: FilePlace
    source: tuple[BaselineSource, ...] = ()
    host: Host = "any"

    def counts_at(self, *, provider: bool) -> bool:
        """Whether the entry counts if the loop reaches the endpoint at the ``provider``'s host, or at another host."""
        return self.host == "any" or (self.host == "provider") is provider

    def covers(self, case: str, rule: str) -> bool:
        """Whether a finding of ``rule`` is expected in the case with this id."""
        return any(rule == each.text for each in self.rules) and any(matches(each.text, case) for each in self.cases)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The file of one target."""

    path: Path
    target: str
    entries: tuple[BaselineEntry, ...]


def matches(pattern: str, case: str) -> bool:
    """Whether ``pattern`` matches the case with this id."""
    return _compiled_pattern(pattern).match(case) is not None


@lru_cache(maxsize=4096)
def _compiled_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))

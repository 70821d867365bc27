"""Secrets by rules that others maintain: the table of Betterleaks, the successor of gitleaks (``rules/``).

To try some hundreds of rules everywhere would take minutes for a megabyte. So only *words* are looked at, the
``long_words`` of a text. A word is tried with the few rules whose beginning occurs in it, and, if it is assigned to a
name, with the rules for that name. Results are cached: in a stream the same words come thousands of times.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from harness.secrets.randomness import looks_drawn

Published = tuple[str, int, int]
"""A kind, and where a secret of it starts and ends."""

_WORD_START: Final = re.compile(r"(?<![A-Za-z0-9])(?=([A-Za-z0-9$_][A-Za-z0-9_.$-]{2}))")
_BEFORE: Final = 20
"""Characters before a word that belong to the secret in some rules (``FlyV1 ...``, ``sha256~...``, ``AstraCS:...``)."""

_LONGEST: Final = 4200
_ASSIGNED: Final = re.compile(r"([A-Za-z_][\w .-]{1,60}?)[\s'\"\\]{0,4}(?:=>|:=|\|\||[=>:,])[\s'\"`=\\]{0,6}\Z")
_LONGEST_NAME: Final = 80
_ENDS_NAME: Final = ("=", ">", ":", ",", "|")
_PLAIN: Final = str.maketrans("", "", " \t\n\r'\"\\`")


@dataclass(frozen=True, slots=True)
class _ByBeginning:
    kind: str
    beginnings: tuple[str, ...]
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed: a text needs few of the hundreds."""
        return _regex_of(self.expression)


@dataclass(frozen=True, slots=True)
class _ByName:
    kind: str
    keys: tuple[str, ...]
    names: str
    expression: str

    def has(self, name: str) -> bool:
        """Whether the rule is about a name."""
        lower = name.lower()
        return any(key in lower for key in self.keys) and bool(_regex_of(self.names).search(name))

    @property
    def value(self) -> re.Pattern[str]:
        """Compiled when it is first needed."""
        return _regex_of(self.expression)


@dataclass(frozen=True, slots=True)
class _Table:
    by_beginning: Mapping[str, Sequence[_ByBeginning]]
    by_name: Sequence[_ByName]


@cache
def _regex_of(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@cache
def _table() -> _Table:
    """The rules; rules with a beginning of their own are keyed by its first three characters."""
    by_beginning: defaultdict[str, list[_ByBeginning]] = defaultdict(list)
    by_name: list[_ByName] = []
    for rule in json.loads(files("harness.secrets").joinpath("rules/betterleaks.json").read_bytes())["rules"]:
        kind = rule["id"]
        if "names" in rule:
            names = f"(?i)(?<![A-Za-z])(?:{rule['names']})"
            by_name.append(_ByName(kind, tuple(rule["keys"]), names, rule["value"]))
            continue
        found = _ByBeginning(kind, tuple(rule["beginnings"]), rule["pattern"])
        for start in {each[:3] for each in found.beginnings}:
            by_beginning[start].append(found)
    return _Table(by_beginning, by_name)


def published_spans(text: str, words: Iterable[re.Match[str]]) -> Iterator[Published]:
    """Every secret of a published kind in the ``long_words`` of a text. One may be found by several rules."""
    for word in words:
        start, end = word.span()
        if candidates := _candidates(text[max(0, start - _BEFORE) : min(end, start + _LONGEST)]):
            yield from _begun(text, candidates, max(0, start - _BEFORE - 40), min(end + 40, start + _LONGEST))
        before = text[max(0, start - _LONGEST_NAME) : start]
        if rules := _rules_for(before[max(before.rfind("\n"), before.rfind("{")) + 1 :]):
            yield from _assigned_values(text, rules, start)


@lru_cache(maxsize=8192)
def _candidates(text: str) -> tuple[_ByBeginning, ...]:
    """The rules whose beginning occurs in a word."""
    lower, table = text.lower(), _table().by_beginning
    starts = table.keys() & _WORD_START.findall(lower)
    rules = (rule for start in sorted(starts) for rule in table[start])
    return tuple(rule for rule in rules if any(each in lower for each in rule.beginnings))


def _begun(text: str, rules: Sequence[_ByBeginning], start: int, end: int) -> Iterator[Published]:
    for rule in rules:
        for match in rule.pattern.finditer(text, start, end):
            group = 1 if rule.pattern.groups and match[1] is not None else 0
            if looks_drawn(match[group]):
                yield rule.kind, *match.span(group)


@lru_cache(maxsize=8192)
def _rules_for(before: str) -> tuple[_ByName, ...]:
    """The rules for the name that precedes a value."""
    found = _ASSIGNED.search(before) if before.translate(_PLAIN)[-1:] in _ENDS_NAME else None
    return _rules_of(found[1]) if found else ()


@lru_cache(maxsize=4096)
def _rules_of(name: str) -> tuple[_ByName, ...]:
    return tuple(rule for rule in _table().by_name if rule.has(name))


def _assigned_values(text: str, rules: Sequence[_ByName], start: int) -> Iterator[Published]:
    for rule in rules:
        match = rule.value.match(text, start)
        if match and looks_drawn(match[0]) and any(letter.isdigit() for letter in match[0]):
            yield rule.kind, *match.span(1 if rule.value.groups else 0)

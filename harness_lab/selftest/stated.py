"""The exact findings in everything that the selftest judges, in a line for each rule.

That a rule finds a mistake is little if it names another place or another value, and nobody looks at its findings in
input that nobody wrote. So every finding is stated: findings in traces in ``mutants/traces/stated.json``, findings in
the requests of a wire in ``mutants/requests/stated/WIRE.json``. The line of a rule has the number of its findings, the
number of judgements that it is about, and a sum of digests of every word of each, in whatever order they were made.

Some judgements involve several rules: one finds the mutant of another, or is found before another. The line of the
newest of them states such a judgement, and a file has its rules by age. So a new rule adds a line at the end and
changes no other.

``scripts/state-findings`` writes the files anew. ``scripts/state-findings --explain RULE`` prints the judgements in the
line of a rule: to see a difference, compare its output in two checkouts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from harness.rules import RULES
from harness.rules.added import added_rules
from harness.rules.continuation import of_added_wires
from harness.wire import WireName, wire

NO_RULE: Final = "no rule"
"""The first line of a file: judgements that were made for no rule, which counts as older than all rules."""
_MOST_LINES: Final = 12
"""How many differences are printed: one mistake can change a hundred lines."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement: the ``kind`` of its change, what it is ``on``, and the rules that it was ``made_for``.

    ``words`` has a line for each finding, which begins with the rule.
    """

    kind: str
    on: str
    made_for: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule of each finding."""
        return tuple(line.split(maxsplit=1)[0] for line in self.words)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a judgement that the line of ``rule`` states: the findings of this rule and of older rules.

    Of older rules only the ids are included, unless the judgement was made for the rule.
    """

    rule: str
    of: Judgement
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n    ".join((f"{self.of.kind}, {self.of.on}:", *(self.lines or ("nothing",))))


@dataclass(slots=True)
class _Line:
    found: int = 0
    judged: int = 0
    digest: int = 0

    def add(self, share: Share) -> None:
        self.found += share.of.rules.count(share.rule)
        self.judged += 1
        digest = sha256(str(share).encode("utf-8", "backslashreplace")).hexdigest()[:12]
        self.digest = (self.digest + int(digest, 16)) % 16**12

    def __str__(self) -> str:
        return f"{self.found} in {self.judged}: {self.digest:012x}"


def own_rules() -> list[str]:
    """The rules about traces of this package, without those that other packages add."""
    added = {rule.id for rule in (*of_added_wires(), *added_rules(()))}
    return [id for id in RULES if id not in added]


def own_rules_of(name: WireName) -> list[str]:
    """The rules of one of the wires of this package."""
    return [rule.id for rule in wire(name).rules]


def by_age(file: Path, rules: Collection[str]) -> list[str]:
    """Rules in the order of a file, followed by those that it does not have yet."""
    stated = [rule for rule in lines_in(file) if rule in rules]
    return [*stated, *(rule for rule in rules if rule not in stated)]


def lines_in(file: Path) -> Mapping[str, str]:
    """The lines of a file by their rules."""
    lines: Mapping[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return lines


def text_of(lines: Mapping[str, str]) -> str:
    """The text of a file with these lines."""
    return json.dumps(lines, indent=0) + "\n"


def lines_of(judgements: Iterable[Judgement], rules: Sequence[str]) -> Mapping[str, str]:
    """The line of each rule, the oldest first; rules without any judgement are left out."""
    lines = {rule: _Line() for rule in (NO_RULE, *rules)}
    for share in shares_of(judgements, rules):
        lines[share.rule].add(share)
    return {rule: str(line) for rule, line in lines.items() if line.judged}


def shares_of(judgements: Iterable[Judgement], rules: Sequence[str]) -> Iterator[Share]:
    """The part of each judgement that each rule's line states. Findings of rules other than these are left out."""
    age = {rule: number for number, rule in enumerate((NO_RULE, *rules))}
    for each in judgements:
        made_for = max(each.made_for or (NO_RULE,), key=age.__getitem__)
        found = [(id, line) for id, line in zip(each.rules, each.words, strict=True) if id in age]
        for rule in dict.fromkeys((made_for, *(id for id, _ in found))):
            if age[rule] >= age[made_for]:
                older = [(id, line) for id, line in found if age[id] <= age[rule]]
                yield Share(rule, each, tuple(line if rule in (id, made_for) else id for id, line in older))


def unlike_stated(stated: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """How lines differ from the stated ones, a line each, and what to do."""
    rules = [rule for rule in dict.fromkeys((*stated, *found)) if stated.get(rule) != found.get(rule)]
    for rule in rules[:_MOST_LINES]:
        yield f"{rule}: stated {stated.get(rule, 'nothing')}; found {found.get(rule, 'nothing')}"
    if len(rules) > _MOST_LINES:
        yield f"and {len(rules) - _MOST_LINES} more"
    if rules:
        yield f"what is different: compare what scripts/state-findings --explain '{rules[0]}' prints before and after"
        yield "where that is meant: scripts/state-findings"

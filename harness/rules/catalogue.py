"""All rules by id, how they are selected, and the judgement of a trace.

The ids of a family begin with its name; its rules are in one module or a few. Selecting is by rule id
(``preview/prefix``), family (``preview``) or wire rule id (``ANT-01``, which is a reference in the findings of
``continuation``).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from harness.errors import BadInput
from harness.finding import Finding, conversation_name
from harness.rules import continuation
from harness.rules.added import added_rules
from harness.rules.model import ALIASES, Rule
from harness.rules.trace_view import Need, Scope, TraceView, views
from harness.trace import Trace
from harness.wire import wire_of_rule, wire_rules

FAMILIES: Final = (
    "order",
    "stream",
    "preview",
    "timing",
    "reported",
    "guardrail",
    "offered",
    "continuation",
    "history",
    "execution",
    "retry",
    "socket",
    "agui",
    "final",
    "caller",
)
"""The families of the rules that are built in, in the order in which they are shown and judged."""


_FOR_EXPLAIN: Final = frozenset({"demonstration", "example"})
"""Modules without rules that only ``harness explain`` needs; they import much."""


def _declared_rules() -> Iterator[Rule]:
    """The rules that the modules of this package declare, in the order of the modules and of each module."""
    modules = {module.name for module in iter_modules([str(Path(__file__).parent)])}
    for name in sorted(modules - _FOR_EXPLAIN):
        module = import_module(f"harness.rules.{name}")
        yield from (each for each in vars(module).values() if isinstance(each, Rule))


def _place(rule: Rule) -> tuple[int, bool]:
    """By family; in a family the rules of the module with its name come first."""
    return FAMILIES.index(rule.family), not rule.check.__module__.endswith(f".{rule.family}")


_BUILT_IN: Final = tuple(sorted((*_declared_rules(), *continuation.of_own_wires()), key=_place))


def current(id: str) -> str:
    """The present id of a rule; any other text stays unchanged."""
    return ALIASES.get(id, id)


class _Rules(Mapping[str, Rule]):
    """The built-in rules and, behind them, the rules that other packages add, with wires or by themselves.

    Added rules are loaded when the first rule is used, because their packages import this one.
    """

    @cached_property
    def _by_id(self) -> dict[str, Rule]:
        own = (*_BUILT_IN, *continuation.of_added_wires())
        return {rule.id: rule for rule in (*own, *added_rules([rule.id for rule in own]))}

    def __getitem__(self, id: str) -> Rule:
        return self._by_id[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)


RULES: Final = _Rules()
"""Every rule by its id, family by family. Using it raises ``BadInput`` if another package has a wrong rule."""


def families() -> tuple[str, ...]:
    """The families of all rules."""
    return tuple(dict.fromkeys(rule.family for rule in RULES.values()))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which findings are wanted.

    Wanted are findings of ``rules`` and findings with one of ``references`` (wire rule ids), except findings with one
    of ``ignored``. INFO findings are wanted with ``info``, or if their reference is named. ``whole``: no particular
    rule was selected.
    """

    rules: frozenset[str]
    references: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    info: bool = False
    whole: bool = False

    def wants(self, rule: Rule, finding: Finding) -> bool:
        """Whether a finding of ``rule`` is to be reported."""
        if finding.reference in self.references:
            return True
        reported = self.info or (finding.level or rule.level) != "INFO"
        return reported and rule.id in self.rules and finding.reference not in self.ignored


def rule(id: str) -> Rule:
    """The rule with this id; for a wire rule id (``ANT-01``) the rule that reports it. Raises ``BadInput``."""
    wire = wire_of_rule(id) if id in wire_rules() else None
    found = RULES.get(f"continuation/{wire}" if wire else current(id))
    if found is None:
        raise BadInput(_unknown(id))
    return found


def select(words: Iterable[str] = (), *, without: Iterable[str] = (), info: bool = False) -> Selection:
    """The selection that the words name; none means everything. ``without`` is taken out of it.

    A word is a rule id, a family or a wire rule id. Raises ``BadInput`` with a line per unknown word.
    """
    problems: list[str] = []
    rules, references = _rules_named(words, problems)
    dropped, ignored = _rules_named(without, problems)
    if problems:
        raise BadInput(*problems)
    whole = not rules and not references
    return Selection(frozenset(RULES if whole else rules) - dropped, references - ignored, ignored, info, whole)


def _rules_named(words: Iterable[str], problems: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The rules and the wire rules that words name; a line for each that names nothing goes to ``problems``."""
    rules: set[str] = set()
    references: set[str] = set()
    for word in map(current, words):
        if word in wire_rules():
            references.add(word)
        elif word in families():
            rules.update(rule.id for rule in RULES.values() if rule.family == word)
        elif word in RULES:
            rules.add(word)
        else:
            problems.append(_unknown(word))
    return frozenset(rules), frozenset(references)


def judge(subject: Trace | TraceView | Iterable[TraceView], rules: Iterable[str] | Selection = ()) -> list[Finding]:
    """All findings about ``subject``, in the order of the trace: about each conversation, or about these views.

    ``rules`` are words as for ``select``; none means every rule. Pass a ``TraceView``, or the result of ``views``, to
    share replies that are already known.
    """
    selection = rules if isinstance(rules, Selection) else select(rules)
    found = (finding for view in _views(subject) for finding in _findings(view, selection))
    return sorted(found, key=lambda finding: finding.at or 0)


def _views(subject: Trace | TraceView | Iterable[TraceView]) -> Iterable[TraceView]:
    if isinstance(subject, Trace):
        return views(subject)
    return [subject] if isinstance(subject, TraceView) else subject


def _findings(view: TraceView, selection: Selection) -> Iterator[Finding]:
    scopes = view.scopes if view.cancelled_at is None else view.scopes - {"run"}  # a cancelled run may end as it likes
    for rule in _applicable_rules(selection, view.case.profile, view.held, scopes):
        for finding in rule.check(view):
            if selection.wants(rule, finding):
                yield _complete_finding(finding, rule, view)


@lru_cache(maxsize=256)
def _applicable_rules(
    selection: Selection, profile: str, held: frozenset[Need], scopes: frozenset[Scope]
) -> tuple[Rule, ...]:
    """The selected rules that can speak: only of their profiles and scopes, and only where the trace shows what they
    are about."""
    reporters = {id for reference in selection.references for id in continuation.reporters(reference)}
    return tuple(
        rule
        for rule in RULES.values()
        if (rule.id in selection.rules or rule.id in reporters)
        and rule.scope in scopes
        and (not rule.profiles or profile in rule.profiles)
        and held.issuperset(rule.needs)
    )


def _complete_finding(finding: Finding, rule: Rule, view: TraceView) -> Finding:
    """The finding of a check, completed with its rule's texts and with lines of the whole trace."""
    return replace(
        finding,
        rule=rule.id,
        level=finding.level or rule.level,
        impact=finding.impact or rule.impact,
        at=view.line(finding.at),
        conversation=conversation_name(view.conversation),
        answer=view.line(view.answer_before(finding.at)),
    )


def _unknown(word: str) -> str:
    near = difflib.get_close_matches(word, [*RULES, *families(), *wire_rules()], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"families are {', '.join(families())}"
    return f"unknown rule {word!r}: {hint} (wire rules are named like ANT-01; docs/rules.md has all)"

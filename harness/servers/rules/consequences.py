"""Which complaints of the upstream follow from what was lost at the client: they are one cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.finding import Finding
from harness.servers.rules.table import every_rule
from harness.wire import wire_rules
from harness.wire.rule import Subject

_RANK = {"MUST": 0, "SHOULD": 1, "INFO": 2, "": 3}


@dataclass(frozen=True, slots=True)
class ServerCause:
    """One thing that is wrong: the finding that shows it first, and what else follows from it."""

    finding: Finding
    consequences: tuple[Finding, ...] = ()


def causes(client: Sequence[Finding], upstream: Sequence[Finding]) -> list[ServerCause]:
    """The causes of one case, the gravest first.

    ``client`` are what ``judge_response`` and ``compare`` have found, ``upstream`` what the upstream's rules and
    ``compare_returned`` say of the next request. A finding of the upstream is a consequence of the gravest finding at
    the client whose rule shares a subject with its own; with none of them it is a cause by itself. Of the same rule at
    several places the first is the cause, and the others follow from it.
    """
    ranked = sorted(client, key=lambda finding: _RANK[finding.level])
    heads: dict[str, Finding] = {}
    followers: dict[str, list[Finding]] = {}
    for finding in ranked:
        head = heads.setdefault(finding.id, finding)
        if head is not finding:
            followers.setdefault(finding.id, []).append(finding)
    for finding in upstream:
        head_id = _cause_of(finding, heads)
        if head_id is None:
            heads[finding.id] = finding
        elif heads[head_id] is not finding:
            followers.setdefault(head_id, []).append(finding)
    found = [ServerCause(head, tuple(followers.get(name, ()))) for name, head in heads.items()]
    return sorted(found, key=lambda cause: _RANK[cause.finding.level])


def about_thinking(finding: Finding) -> bool:
    """Whether the rule of a finding is about thinking that goes back to the model."""
    return "thinking" in _subjects(finding)


def _cause_of(finding: Finding, heads: dict[str, Finding]) -> str | None:
    if finding.id in heads:
        return finding.id
    about = _subjects(finding)
    return next((name for name, head in heads.items() if about & _subjects(head)), None)


def _subjects(finding: Finding) -> frozenset[Subject]:
    """What the rule of a finding is about, be it one about responses or one about requests."""
    if (rule := every_rule().get(finding.reference)) is not None:
        return frozenset(rule.about)
    asked = wire_rules().get(finding.reference)
    return frozenset(asked.about) if asked is not None else frozenset()

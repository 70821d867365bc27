"""Finds out which findings of a gateway state the same, or follow from each other.

What is lost at the client is missed later at the model: both are one cause if their rules are about one subject. The
same applies to a break of the grammar and a loss in one answer.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from harness.finding import Finding
from harness.servers.rules import every_rule
from harness.wire import Subject, wire_rules

SERVER: Final = "server"
"""The family of the rules about what servers and gateways send."""


def follows_loss(finding: Finding, cause: Finding) -> bool:
    """Whether ``finding`` reports no more than ``cause``, which is about an answer of a gateway."""
    if _family(cause) != SERVER or _family(finding) not in (SERVER, "continuation"):
        return False
    about, before = _about(finding.reference), _about(cause.reference)
    if finding.at == cause.at:
        return bool(about and before) and (about <= before or before <= about)
    return bool(about & before)


def mistake_of_gateway(finding: Finding) -> str:
    """A key that is equal for the same mistake of a gateway in other cases of a client's wire; empty for other
    findings.

    One mistake breaks the rules of several providers about one subject.
    """
    if _family(finding) == "continuation":
        return " ".join(sorted(_about(finding.reference))) or finding.id
    return finding.id if _family(finding) == SERVER else ""


@cache
def _about(reference: str) -> frozenset[Subject]:
    """The subjects of a rule about answers or about requests."""
    rule = every_rule().get(reference) or wire_rules().get(reference)
    return frozenset() if rule is None else frozenset(rule.about)


def _family(finding: Finding) -> str:
    return finding.rule.partition("/")[0]

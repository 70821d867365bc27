"""How certain findings are on a server: the rules of a wire come from its provider, and other servers may differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from harness.finding import Finding, Level
from harness.wire.servers.detect import KnownServer
from harness.wire.servers.model import Practice

_LOWER: Final[dict[str, Level]] = {"MUST": "SHOULD", "SHOULD": "INFO"}


def weighed(findings: Iterable[Finding], known: KnownServer | None, wire: str, model: str) -> list[Finding]:
    """The findings of a request to a server, each with its level there and, if that differs, the reason.

    What a server accepts is only information. On a server that is not the provider, a check without evidence is one
    level lower. A server that is known only by the model's name may be another one, so a lack of evidence lowers
    nothing there. What no provider refuses keeps its level.
    """
    return list(findings) if known is None else [_weighed_finding(each, known, wire, model) for each in findings]


def _weighed_finding(finding: Finding, known: KnownServer, wire: str, model: str) -> Finding:
    if finding.answered.status < 400:
        return finding
    server = known.server
    practice = server.practice(finding.reference, model)
    if practice is not None:
        if practice.does == "refuses":
            return finding
        return replace(finding, level="INFO", detail=f"{server.title} accepts it: {_seen(practice)}")
    if known.by == "model" or server.checks_as(wire) or finding.level not in _LOWER:
        return finding
    return replace(finding, level=_LOWER[finding.level], detail=f"{server.title} is not known to check it")


def _seen(practice: Practice) -> str:
    return "; ".join(filter(None, (practice.about, practice.evidence[0])))

"""How certain findings are on a server: the rules of a wire are those of its provider, and others check otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from harness.finding import Finding, Level
from harness.wire.servers.detect import KnownServer
from harness.wire.servers.model import Practice

_LOWER: Final[dict[str, Level]] = {"MUST": "SHOULD", "SHOULD": "INFO"}


def weighed(findings: Iterable[Finding], known: KnownServer | None, wire: str, model: str) -> list[Finding]:
    """The findings of a request to a server, each with the level that it has there and, where that is another, why.

    What a server accepts is information. What it is not known to check is one level lower on a server that is not the
    provider. A server that is known by the model's name only may be another one: nothing is lowered there for lack of
    evidence. What no provider refuses stays as it is.
    """
    return list(findings) if known is None else [_weighed(each, known, wire, model) for each in findings]


def _weighed(finding: Finding, known: KnownServer, wire: str, model: str) -> Finding:
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

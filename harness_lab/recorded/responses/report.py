"""The verdicts on the recorded responses, as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.imports.totals import CountedEntry, entries, table
from harness.servers.rules import every_rule
from harness.wire import OWN_NATIVE_WIRES
from harness_lab.recorded.responses.judged import JudgedResponse

_COLUMNS = ("judged", "provider's own", "MUST", "SHOULD", "of others", "MUST", "SHOULD")


def response_report(judged: Sequence[JudgedResponse]) -> Iterator[str]:
    """A table by wire, then each rule that a response breaks: first providers' own, then those of other servers.

    ``MUST`` and ``SHOULD`` count the responses with such a finding.
    """
    rows: dict[str, Sequence[int]] = {
        name: _counts([each for each in judged if each.wire == name])
        for name in OWN_NATIVE_WIRES
        if any(each.wire == name for each in judged)
    }
    yield from table("responses", _COLUMNS, rows)
    statements = {rule.id: rule.statement for rule in every_rule().values()}
    yield from entries("of providers' own", statements, _broken(judged, own=True))
    yield from entries("of other servers", statements, _broken(judged, own=False))
    wrong = sum(blamed(each) for each in judged)
    yield f"{sum(each.own for each in judged)} responses of providers' own: {wrong} break a MUST"


def blamed(judged: JudgedResponse) -> bool:
    """Whether a provider's own response breaks a MUST. Then the rule or its level is wrong."""
    return judged.own and _has(judged, "MUST")


def _has(judged: JudgedResponse, level: str) -> bool:
    return any(finding.level == level for finding in judged.findings)


def _counts(judged: Sequence[JudgedResponse]) -> tuple[int, ...]:
    own, others = [each for each in judged if each.own], [each for each in judged if not each.own]
    counts = [len(judged)]
    for those in (own, others):
        counts += [len(those), sum(_has(each, "MUST") for each in those), sum(_has(each, "SHOULD") for each in those)]
    return tuple(counts)


def _broken(judged: Sequence[JudgedResponse], *, own: bool) -> Iterator[CountedEntry]:
    """Each rule once for each response that breaks it."""
    for response in judged:
        if response.own is own:
            for finding in {finding.id: finding for finding in response.findings}.values():
                example = f"{response.name}: {finding.detail}: expected {finding.expected}; got {finding.got}"
                yield CountedEntry(finding.id, example, f"{response.wire} {finding.level}")

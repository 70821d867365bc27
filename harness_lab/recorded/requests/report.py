"""The verdicts on the recorded requests, as lines of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from harness.imports.comparison import RecordedComparison
from harness.imports.totals import CountedEntry, entries, table
from harness.wire import NATIVE_WIRES, OWN_NATIVE_WIRES
from harness_lab.recorded.requests.confusion import Refusal, cut, refusals
from harness_lab.recorded.requests.judged import REFUSAL, JudgedRequest
from harness_lab.recorded.requests.other_servers import refused_by_another

_COLUMNS = ("judged", "goes on", "accepted", "against a MUST", "SHOULD", "changed since", "refused", "right rule")

_Compared = Sequence[RecordedComparison[JudgedRequest]]


def request_report(compared: _Compared) -> Iterator[str]:
    """A table per memory and wire, changes by recorders, refusals without a rule, and every request that the rules
    judge wrongly.

    ``goes on`` counts the requests with a known reply in their conversation, ``against a MUST`` the accepted ones with
    such a finding, ``changed since`` those in which a recorder has changed what breaks a certain rule, ``refused`` the
    recorded errors about a history, and ``right rule`` those of them whose words are a rule's.
    """
    for memory in dict.fromkeys(each.happened.memory for each in compared):
        of_memory = [each for each in compared if each.happened.memory == memory]
        by_wire = {wire: [each for each in of_memory if each.happened.wire == wire] for wire in OWN_NATIVE_WIRES}
        rows: dict[str, Sequence[int]] = {wire: _counts(those) for wire, those in by_wire.items() if those}
        yield from table(f"requests {memory}", _COLUMNS, rows, NATIVE_WIRES)
    changed = {
        (place, each.happened.exchange.name): reason.why
        for each in compared
        if each.happened.accepted
        for reason, differences in each.explained
        for place in dict.fromkeys(difference.place for difference in differences)
    }
    explanations = {rule: why for (rule, _), why in changed.items()}
    yield from entries("changed since they were accepted", explanations, (CountedEntry(*each) for each in changed))
    yield from _without_rule(refusals(each.happened for each in compared))
    yield from _wrong(compared)


def unrecognised(compared: RecordedComparison[JudgedRequest]) -> bool:
    """Whether no rule explains why the endpoint refused the history."""
    return any(difference.place == REFUSAL for difference in compared.differences)


def _without_rule(refused: Iterable[Refusal]) -> Iterator[str]:
    """The refusals for which neither the request nor the text leads to a rule, by subject."""
    found = Counter(
        (each.reason or "nothing that is known", each.server or "no known server", cut(each.message))
        for each in refused
        if each.by_request == each.by_text == "none"
    )
    if found:
        yield "refused, and no rule says why"
        for (reason, server, message), count in sorted(found.items()):
            yield f"  {count:4}  {reason}, {server}: {message}"
        yield ""


def _counts(compared: _Compared) -> tuple[int, ...]:
    accepted = [each for each in compared if each.happened.accepted]
    refused = [each for each in compared if each.happened.about_history and not refused_by_another(each.happened)]
    return (
        len(compared),
        sum(each.happened.judgement.remembered > 0 for each in compared),
        len(accepted),
        sum(bool(each.differences) for each in accepted),
        sum(any(found.level == "SHOULD" for found in each.happened.judgement.violations) for each in accepted),
        sum(bool(each.explained) for each in accepted),
        len(refused),
        sum(each.happened.explanation is not None for each in refused),
    )


def _wrong(compared: _Compared) -> Iterator[str]:
    """Every request that was accepted against a certain rule, and every refusal that no rule explains."""
    lines: list[str] = []
    for each in compared:
        judged = each.happened
        place = f"{judged.wire} {judged.exchange.name} ({judged.memory})"
        for difference in each.differences:
            if difference.place == REFUSAL:
                lines += [f"NOT RECOGNISED {place}", f"  HTTP {judged.exchange.status}: {judged.message}"]
            else:
                lines += [f"ACCEPTED AGAINST {difference.place} {place}", f"  {difference.got}"]
    if lines:
        yield from (*lines, "")

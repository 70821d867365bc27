"""What became of the recorded requests under the rules, as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.wire import NATIVE_WIRES
from harness_lab.corpus.other_servers import REDACTED
from harness_lab.corpus.requests import Request

__all__ = ["request_report"]

_COLUMNS = ("judged", "goes on", "accepted", "against a MUST", "SHOULD", "changed since", "refused", "right rule")


def request_report(requests: Sequence[Request]) -> Iterator[str]:
    """A table per memory and wire, what a recorder has changed, and every request that the rules judge wrongly.

    ``goes on`` counts the requests of whose conversation a reply was known, ``against a MUST`` the accepted ones with
    such a finding, ``changed since`` those whose recorder has changed what breaks a certain rule, ``refused`` the
    recorded errors about a history, and ``right rule`` those of them whose words a rule says.
    """
    for memory in dict.fromkeys(request.memory for request in requests):
        yield from _table(f"requests {memory}", [each for each in requests if each.memory == memory])
    yield from _changed(requests)
    yield from _wrong(requests)


def _table(title: str, requests: Sequence[Request]) -> Iterator[str]:
    width = max(len(title), *map(len, NATIVE_WIRES))
    yield "  ".join([f"{title:{width}}", *_COLUMNS])
    for wire in NATIVE_WIRES:
        of_wire = [request for request in requests if request.wire == wire]
        if of_wire:
            cells = (f"{count:{len(name)}}" for name, count in zip(_COLUMNS, _counts(of_wire), strict=True))
            yield "  ".join([f"{wire:{width}}", *cells])
    yield ""


def _counts(requests: Sequence[Request]) -> tuple[int, ...]:
    accepted = [request for request in requests if request.accepted]
    refused = [request for request in requests if request.continuation_error]
    return (
        len(requests),
        sum(request.judgement.remembered > 0 for request in requests),
        len(accepted),
        sum(bool(request.wrongly_refused) for request in accepted),
        sum(any(each.level == "L" for each in request.judgement.violations) for request in accepted),
        sum(bool(request.excused) for request in accepted),
        len(refused),
        sum(request.explanation is not None for request in refused),
    )


def _changed(requests: Sequence[Request]) -> Iterator[str]:
    """The accepted requests that break a certain rule only as they were recorded."""
    names: dict[str, dict[str, None]] = {}
    for request in requests:
        for rule in request.excused:
            names.setdefault(rule, {})[request.exchange.name] = None
    if not names:
        return
    yield "changed since they were accepted"
    for rule, those in names.items():
        yield f"  {len(those):4}  {rule}: {REDACTED}"
        yield f"        for example {next(iter(those))}"
    yield ""


def _wrong(requests: Sequence[Request]) -> Iterator[str]:
    """Every request that was accepted against a certain rule, and every refusal that no rule explains."""
    lines: list[str] = []
    for request in requests:
        place = f"{request.wire} {request.exchange.name} ({request.memory})"
        for each in request.judgement.violations:
            if each.rule in request.wrongly_refused and each.level == "C":
                lines += [f"ACCEPTED AGAINST {each.rule} {place}", f"  {each.message} (got {each.got})"]
        if request.unrecognised:
            lines += [f"NOT RECOGNISED {place}", f"  HTTP {request.exchange.status}: {request.message}"]
    if lines:
        yield from (*lines, "")

"""A page of recorded refusals, by the rule that the request breaks and the rule that matches the text alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from harness.lint import rules_for
from harness.wire import WireName
from harness.wire.servers import refusal_reason
from harness_lab.recorded.requests.judged import JudgedRequest

ABOUT_REQUESTS: Final = frozenset({400, 404, 413, 422})
"""The statuses for refusals of a request's content; others are about keys, quota and faults."""

_LONGEST: Final = 110
_ADDRESS: Final = re.compile(r"https?://\S+")

_HEAD: Final = """\
# Recorded refusals and their rules

Requests that real endpoints refused for what was in them, out of two sets of recorded traffic; `scripts/refusals`
writes this page. *Request*: the rule that the recorded request breaks, with the endpoint's text word for word. *Text*:
the rule that `harness explain` finds first from the error body alone. Neither judge knows of the other. *Reason*: what
kind of refusal a text is that is no fault of the history ([servers](../servers.md)); *server*: who refused. A refusal
for more text than fits, or for a model's name, often has no request that shows it.

"""


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """One refused request: the rules by the request and by the text, ``none`` if there is none, and the message.

    ``reason`` is the kind of refusal if the text is about no rule (``ability: image input``), ``server`` the title of
    the server that refused; each is empty if it is not known.
    """

    wire: WireName
    by_request: str
    by_text: str
    message: str
    reason: str = ""
    server: str = ""


def refusals(judged: Iterable[JudgedRequest]) -> Iterator[Refusal]:
    """The refusals of a request's content, each as it was judged with memory."""
    for each in judged:
        if each.memory == "with memory" and each.exchange.status in ABOUT_REQUESTS:
            broken = each.explanation.finding.id if each.explanation is not None else "none"
            found = rules_for((each.exchange.response or b"").decode("utf-8", "replace"))
            first = found[0].rule.id if found else "none"
            message = " ".join(each.message.split())
            yield Refusal(each.wire, broken, first, message, _reason(message), _server(each))


def _reason(message: str) -> str:
    found = refusal_reason(message)
    return "" if found is None else ": ".join(filter(None, (found.kind, found.ability)))


def _server(judged: JudgedRequest) -> str:
    known = judged.judgement.server
    return known.server.title if known is not None and known.by != "model" else ""


def page(found: Iterable[Refusal]) -> str:
    """The table, and the texts that match no rule."""
    every = sorted(found)
    return "".join([_HEAD, *_table(every), *_without(every)])


def _table(every: list[Refusal]) -> Iterator[str]:
    same = sum(each.by_request == each.by_text != "none" for each in every)
    both = sum("none" not in (each.by_request, each.by_text) for each in every)
    yield f"{len(every)} refusals: both judges find a rule in {both} of them, the same in {same}.\n\n"
    yield "| format | request | text | refusals |\n|---|---|---|---|\n"
    counts = Counter((each.wire, each.by_request, each.by_text) for each in every)
    for (wire, request, text), count in sorted(counts.items()):
        if (request, text) != ("none", "none"):
            yield f"| {wire} | {request} | {text} | {count} |\n"


def _without(every: list[Refusal]) -> Iterator[str]:
    unknown = Counter(
        (each.reason, each.wire, each.server, cut(each.message))
        for each in every
        if each.by_request == each.by_text == "none"
    )
    reasons = Counter(reason.partition(":")[0] for reason, *_ in unknown.elements())
    kinds = ", ".join(f"{kind or 'none'} {count}" for kind, count in reasons.most_common())
    yield f"\n## Without a rule\n\n{unknown.total()} refusals, {len(unknown)} texts, by reason: {kinds}.\n\n"
    yield "| reason | format | server | text | refusals |\n|---|---|---|---|---|\n"
    for (reason, wire, server, message), count in sorted(unknown.items()):
        yield f"| {reason or 'none'} | {wire} | {server} | `` {message.replace('|', '&#124;')} `` | {count} |\n"


def cut(message: str) -> str:
    """A message without addresses, and no longer than a line of a table."""
    message = _ADDRESS.sub("…", message)
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"

"""Recorded refusals by the rule that the request breaks and the rule that the text alone finds, as a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from harness.lint import rules_for
from harness.wire import WireName
from harness_lab.recorded.requests.judged import JudgedRequest

__all__ = ["ABOUT_REQUESTS", "Refusal", "page", "refusals"]

ABOUT_REQUESTS: Final = frozenset({400, 404, 413, 422})
"""The statuses with which an endpoint refuses a request for what is in it; others are about keys, quota and faults."""

_LONGEST: Final = 110
_ADDRESS: Final = re.compile(r"https?://\S+")

_HEAD: Final = """\
# Recorded refusals and their rules

Requests that real endpoints refused for what was in them, out of two sets of recorded traffic; `scripts/refusals`
writes this page. *Request*: the rule that the recorded request breaks, with the endpoint's text word for word. *Text*:
the rule that `harness explain` finds first from the error body alone. Neither judge knows of the other. A refusal for
more text than fits, or for a model's name, often has no request that shows it.

"""


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """One refused request: the rules by the request and by the text, ``none`` where there is none, and the message."""

    wire: WireName
    by_request: str
    by_text: str
    message: str


def refusals(judged: Iterable[JudgedRequest]) -> Iterator[Refusal]:
    """The refusals that are about the request, each as it was judged with memory."""
    for each in judged:
        if each.memory == "with memory" and each.exchange.status in ABOUT_REQUESTS:
            broken = each.explanation.finding.id if each.explanation is not None else "none"
            found = rules_for((each.exchange.response or b"").decode("utf-8", "replace"))
            first = found[0].rule.id if found else "none"
            yield Refusal(each.wire, broken, first, " ".join(each.message.split()))


def page(found: Iterable[Refusal]) -> str:
    """The table, and the texts that no rule has."""
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
    unknown = Counter((each.wire, _cut(each.message)) for each in every if each.by_request == each.by_text == "none")
    yield f"\n## Without a rule\n\n{unknown.total()} refusals, {len(unknown)} texts: models and files that the "
    yield "endpoint\ndoes not know or take, and what compatible servers check for themselves.\n\n"
    yield "| format | text | refusals |\n|---|---|---|\n"
    for (wire, message), count in sorted(unknown.items()):
        yield f"| {wire} | `` {message.replace('|', '&#124;')} `` | {count} |\n"


def _cut(message: str) -> str:
    message = _ADDRESS.sub("…", message)
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"

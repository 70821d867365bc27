"""Pairs the requests of the new run with those of the base run, by conversation and by the place in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from harness.endpoint.likeness import Beginning, most_alike
from harness.report.diff.asked.request import AskedRequest
from harness.trace import MAIN

_Conversation = list[AskedRequest]


@dataclass(frozen=True, slots=True)
class Pair:
    """A request in both runs; None if a run has no such request. ``first``: it begins its conversation."""

    base: AskedRequest | None
    new: AskedRequest | None
    first: bool

    @property
    def request(self) -> AskedRequest:
        """The new request, or the old one if it is missing now."""
        found = self.new or self.base
        assert found is not None  # noqa: S101 - a pair has one of them
        return found


def pairs(base: Sequence[AskedRequest], new: Sequence[AskedRequest]) -> Iterator[Pair]:
    """Every request of the two runs of a case, once.

    The main conversations are paired. Of the others, those that begin most alike are paired, the earlier first. A
    request that is sent again unchanged counts once: how often that happens depends on the network.
    """
    old, now = _conversations(base), _conversations(new)
    for left, right in _partners(old, now):
        for number, (one, other) in enumerate(zip_longest(left, right)):
            yield Pair(one, other, first=number == 0)


def _conversations(asked: Sequence[AskedRequest]) -> dict[int | None, _Conversation]:
    found: dict[int | None, _Conversation] = {}
    for each in asked:
        known = found.setdefault(each.conversation, [])
        if not known or known[-1].content != each.content:
            known.append(each)
    return found


def _partners(
    base: dict[int | None, _Conversation], new: dict[int | None, _Conversation]
) -> Iterator[tuple[_Conversation, _Conversation]]:
    yield base.pop(MAIN, []), new.pop(MAIN, [])
    begun = {number: _beginning(each) for number, each in base.items()}
    for conversation in new.values():
        partner = most_alike(_beginning(conversation), begun)
        if partner in begun:
            del begun[partner]
            yield base[partner], conversation
        else:
            yield [], conversation
    yield from ((base[number], []) for number in begun)


def _beginning(conversation: _Conversation) -> Beginning:
    return Beginning(conversation[0].opening, frozenset(conversation[0].tools))

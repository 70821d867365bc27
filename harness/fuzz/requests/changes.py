"""The changes that the rules of a wire state: wrong requests, and right ones that only look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from harness.wire import WireName, wire
from harness.wire.played import BaseRequest, bases_of, right_module
from harness.wire.posted import Right, Wrong


@dataclass(frozen=True, slots=True)
class StatedChange:
    """A wrong request, which one of ``rules`` must find, or a right one, which ``rules`` allow.

    ``bases`` are the base requests that it is stated for.
    """

    stated: Wrong | Right
    rules: tuple[str, ...]
    bases: tuple[BaseRequest, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether it makes a mistake."""
        return isinstance(self.stated, Wrong)

    @property
    def is_remembered(self) -> bool:
        """Whether only who knows what was sent can know that the request is valid."""
        return isinstance(self.stated, Right) and self.stated.remembered


@cache
def changes(name: WireName) -> dict[str, StatedChange]:
    """All changes of a wire's requests by their names: the wrong ones, then the right ones."""
    return {each.stated.name: each for each in (*_wrong(name), *_right(name))}


def _wrong(name: WireName) -> Iterator[StatedChange]:
    for rule in wire(name).rules:
        yield from (StatedChange(each, (rule.id, *each.also), bases_of(name, each)) for each in rule.wrong)


def _right(name: WireName) -> Iterator[StatedChange]:
    for rule in wire(name).rules:
        yield from (StatedChange(each, (rule.id, *each.also), bases_of(name, each)) for each in rule.right)
    yield from (StatedChange(each, (), bases_of(name, each)) for each in right_module(name).HARMLESS)

"""One example: a loop with the settings of a base request, and the changes to its last request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from harness.fuzz.requests.changes import StatedChange, changes
from harness.fuzz.strategies.damage import Damage, damaged
from harness.wire import WIRES, Turn, WireName
from harness.wire.played import BaseRequest, PlayedLoop, base_requests
from harness.wire.posted import Posted


@dataclass(frozen=True, slots=True)
class RequestExample:
    """A loop with the model, the settings and the way to go on of ``base``, in which the model sends ``turns``.

    ``change`` names the change that is made in its last request, as a rule states it, and ``damage`` is done to that
    request besides. ``seed`` determines the ids and signatures that the endpoint issues.
    """

    wire: WireName
    base: str
    turns: tuple[Turn, ...]
    change: str = ""
    damage: tuple[Damage, ...] = ()
    seed: int = 0


@cache
def base_requests_by_name() -> dict[str, BaseRequest]:
    """The base requests of all wires."""
    return {each.name: each for name in WIRES for each in base_requests(name).values()}


def change_of(example: RequestExample) -> StatedChange | None:
    """The change of the last request."""
    return changes(example.wire)[example.change] if example.change else None


def fits(change: StatedChange, base: BaseRequest) -> bool:
    """Return whether a change may be made on a base request.

    A wrong one is a mistake in any request that the endpoint issued the history of, since nobody can know what was
    altered in a foreign history. A right one is valid only on the base requests that it names.
    """
    return any(each.name == base.name for each in change.bases) or (change.is_wrong and not base.foreign)


def base_of(example: RequestExample) -> BaseRequest:
    """The loop of the example. It has the ids of the base request, or others if there is a seed."""
    base = base_requests_by_name()[example.base]
    return replace(base, name=f"{base.name} {example.seed}" if example.seed else base.name, turns=example.turns)


def last_request(example: RequestExample, loop: PlayedLoop) -> Posted | None:
    """The last request with its changes; None if the change cannot be made in it."""
    posted = loop.last
    change = change_of(example)
    if change is not None and not change.stated.edit(posted):
        return None
    if example.damage:
        posted.raw = damaged(posted.body, example.damage)
    return posted

"""What the endpoint has issued in a case, found again by the keys under which a request sends it back.

A module of a wire's ``rules`` declares what its checks look for as a function of one turn, an ``IssuedKind``. Called
with the state of a case, it has all things of the case. Each turn is read once: what was found is kept with the state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from harness.wire.base import Conversation, IssuedState, Json, Reply

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


class IssuedTurn(NamedTuple):
    """A request of a case, and the reply to it; ``number`` counts them from 0."""

    number: int
    asked: Conversation
    reply: Reply


class IssuedKind(Generic[Key, Thing]):
    """One kind of things that were issued. ``read`` has those of one turn, each with a key, in order."""

    def __init__(self, read: Callable[[IssuedTurn], Iterable[tuple[Key, Thing]]]) -> None:
        self._read = read

    def __call__(self, state: IssuedState) -> Mapping[Key, list[Thing]]:
        """All things of a case by their keys, in the order in which they were issued."""
        memory = memory_of(state)
        known, things = memory.tables.get(self, (0, {}))
        if known < len(state.turns):
            turns = memory.turns
            turns += [IssuedTurn(number, *state.turns[number]) for number in range(len(turns), len(state.turns))]
            for turn in turns[known:]:
                for key, thing in self._read(turn):
                    things.setdefault(key, []).append(thing)
            memory.tables[self] = len(turns), things
        return things

    def last(self, state: IssuedState, key: Key) -> Thing | None:
        """The last thing under this key; None if nothing was issued under it."""
        found = self(state).get(key)
        return found[-1] if found else None


def items_by(key: Callable[[Json], str | None]) -> IssuedKind[str, Json]:
    """The items of replies, by a key that is made of an item; None for an item of another kind."""
    return IssuedKind(lambda turn: ((found, item) for item in turn.reply.items if (found := key(item)) is not None))


@IssuedKind
def issued_calls(turn: IssuedTurn) -> Iterator[tuple[str, IssuedTurn]]:
    """The turns that made a call, by the id of the call."""
    yield from ((call.id, turn) for call in turn.reply.turn.calls if call.id)


@dataclass(frozen=True, slots=True)
class CaseMemory:
    """What ``IssuedState.memory`` keeps of a case: what was issued, and what the wire has ``judged`` before.

    ``tables`` has the number of the turns that were read for a kind, and what was found in them.
    """

    turns: list[IssuedTurn] = field(default_factory=list)
    tables: dict[IssuedKind[Any, Any], tuple[int, dict[Any, list[Any]]]] = field(default_factory=dict)
    judged: object = None


def memory_of(state: IssuedState) -> CaseMemory:
    """The memory of a case; an empty one if the case has none."""
    if not isinstance(state.memory, CaseMemory):
        state.memory = CaseMemory()
    memory: CaseMemory = state.memory
    return memory

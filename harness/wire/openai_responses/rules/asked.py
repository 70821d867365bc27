"""The request under judgement, with the history that it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.ground.cached import cached_property
from harness.wire.base import Conversation, IssuedState, Json, Reply
from harness.wire.lenient import string
from harness.wire.openai_responses.items import conversation_id, input_items, kind_of
from harness.wire.openai_responses.rules.issued import issued_items
from harness.wire.openai_responses.rules.kinds import PAIR_KINDS, call_id_of
from harness.wire.openai_responses.schema import faults_of
from harness.wire.openai_responses.stored_items import stored_items
from harness.wire.rule import WireRule
from harness.wire.shape import Fault


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One item of the history. ``at`` is its place in the body, or the response that it comes from.

    ``raw`` is the entry of the request itself: an ``item_reference`` if it only names ``item``. ``own``: the request
    itself has the item, and not only a response that it names.
    """

    at: str
    item: Json
    raw: Json
    kind: str
    own: bool = True

    @property
    def id(self) -> str:
        """The item's id; ``""`` if it has none."""
        return string(self.item.get("id"))

    @property
    def name(self) -> str:
        """The item in a finding: its kind, its id, and its place."""
        return f"{self.kind or 'item'} {self.id or 'without id'} at {self.at}"


PairItem = tuple[HistoryItem, tuple[str, str], bool]
"""An item that makes a call (True) or answers one, with the call's kind and id."""


class Asked:
    """A request's body and its whole history.

    ``entries`` are the input items, references resolved; ``inherited`` are those that ``previous_response_id`` or
    ``conversation`` put before them. ``unknown`` says that the request names a history that this case did not issue.
    """

    def __init__(self, conversation: Conversation, state: IssuedState, turns: int | None = None) -> None:
        """``turns``: how many turns had been sent before this request; None: all of them."""
        self.conversation = conversation
        self.body = conversation.body
        self.model = conversation.model
        self.state = state
        self.entries = [self._entry(index, item) for index, item in enumerate(input_items(self.body))]
        self.previous = self.body.get("previous_response_id")
        named = conversation_id(self.body) or ""
        stored = state.stored.get(named)
        chain = [] if stored is not None else _chain(self.body, state, turns)
        self.unknown = stored is None and not chain and bool(self.previous or named)
        self.inherited = [
            entry for asked, reply in chain for entry in entries_of(reply.id, (*input_items(asked.body), *reply.items))
        ]
        if stored is not None:
            until = None if turns is None else state.turns[turns][1]
            items = stored_items(named, stored, state, until)
            listed = [(at, item) for at, item in items if not at.endswith(".input")]  # no item: an input that is a text
            self.inherited = [HistoryItem(at, item, item, kind_of(item), own=False) for at, item in listed]

    def _entry(self, index: int, item: Json) -> HistoryItem:
        named = item.get("type") == "item_reference" and issued_items.last(self.state, string(item.get("id")))
        found = named or item
        return HistoryItem(f"input[{index}]", found, item, kind_of(found))

    @cached_property
    def history(self) -> list[HistoryItem]:
        """Everything that the model would see: inherited entries, then the request's own."""
        return [*self.inherited, *self.entries]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of items in the history: most checks are about an absent kind and can be left out."""
        return frozenset([entry.kind for entry in self.history])

    @cached_property
    def pairs(self) -> list[PairItem]:
        """Every call and every output of the history, in order, with kind and id of the call; none without an id."""
        found = []
        for entry in self.history:
            if entry.kind in PAIR_KINDS:
                call, makes = PAIR_KINDS[entry.kind]
                if call_id := call_id_of(entry.item):
                    found.append((entry, (call, call_id), makes))
        return found

    @cached_property
    def made(self) -> dict[str, HistoryItem]:
        """The first call under each id, of whatever kind."""
        return {call[1]: entry for entry, call, makes in reversed(self.pairs) if makes}

    @cached_property
    def orphans(self) -> list[HistoryItem]:
        """The outputs of the request that no call of their kind has."""
        calls = {call for _, call, makes in self.pairs if makes}
        return [entry for entry, call, _ in self.pairs if entry.own and call not in calls]

    @cached_property
    def faults(self) -> dict[str, list[Fault]]:
        """What the schema forbids, by the id of the rule."""
        return faults_of(self.body)

    def forbidden(self, rule: WireRule) -> Sequence[Fault]:
        """What the schema forbids for a rule."""
        return self.faults.get(rule.id, ())


def _chain(body: Json, state: IssuedState, turns: int | None) -> list[tuple[Conversation, Reply]]:
    """The turns that a request continues, oldest first."""
    named = conversation_id(body)
    if named is not None:
        return [turn for turn in state.turns[:turns] if conversation_id(turn[0].body) == named]
    chain = []
    previous: Any = body.get("previous_response_id")
    while isinstance(previous, str) and (turn := state.find(previous)):
        chain.append(turn)
        previous = turn[0].body.get("previous_response_id")
        if len(chain) > len(state.turns):  # ids that a script repeats may name each other in a circle
            break
    return chain[::-1]


def entries_of(reply_id: str, items: Iterable[Json]) -> Iterable[HistoryItem]:
    """Items of a response that the request only names."""
    return (
        HistoryItem(f"{reply_id}[{index}]", item, item, kind_of(item), own=False) for index, item in enumerate(items)
    )

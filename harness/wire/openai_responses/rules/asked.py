"""The request under judgement, beside what the endpoint issued in the same case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness.wire.base import Conversation, Json, Reply, Sent
from harness.wire.openai_responses.read import conversation_id, input_items

__all__ = ["Asked", "Entry", "Issued", "kind_of"]


def kind_of(item: Json) -> str:
    """An item's ``type``; a message may leave it out."""
    return str(item.get("type") or ("message" if "role" in item else ""))


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the history. ``at`` is its place in the body, or the response that it comes from.

    ``raw`` is what the request itself says there: an ``item_reference`` where it only names ``item``.
    """

    at: str
    item: Json
    raw: Json

    @property
    def kind(self) -> str:
        return kind_of(self.item)


class Issued:
    """Every output item that the endpoint sent in this case, and how reasoning and its items belong together.

    ``leads`` has, for a reasoning item's id, the item that it produced (the next one that is no reasoning);
    ``led_by`` has, for an item's id, the reasoning items right before it.
    """

    def __init__(self, sent: Sent) -> None:
        self.items: dict[str, Json] = {}
        self.not_stored: set[str] = set()
        self.leads: dict[str, Json] = {}
        self.led_by: dict[str, list[Json]] = {}
        self.tokens: set[str] = set()
        for conversation, reply in sent.turns:
            self._add(reply, stored=conversation.body.get("store") is not False)
        if sent.turns:
            # A case may begin with reasoning that another endpoint issued; only later on is it a forgery.
            self._add_tokens(input_items(sent.turns[0][0].body))

    def _add(self, reply: Reply, *, stored: bool) -> None:
        self._add_tokens(reply.items)
        reasoning: list[Json] = []
        for item in reply.items:
            item_id = item.get("id")
            if not item_id:  # some servers send none; then nothing can be linked to it
                reasoning = []
                continue
            self.items[item_id] = item
            if not stored:
                self.not_stored.add(item_id)
            if item.get("type") == "reasoning":
                reasoning.append(item)
                continue
            self.leads.update((led["id"], item) for led in reasoning)
            self.led_by[item_id] = reasoning
            reasoning = []

    def _add_tokens(self, items: Iterable[Json]) -> None:
        self.tokens.update(token for item in items if isinstance(token := item.get("encrypted_content"), str))


class Asked:
    """A request's body and the history that it stands for.

    ``entries`` are the input items, references resolved; ``inherited`` are those that ``previous_response_id`` or
    ``conversation`` put before them. ``unknown`` says that the request names a history that this case did not issue.
    """

    def __init__(self, body: Json, sent: Sent) -> None:
        self.body = body
        self.sent = sent
        self.issued = Issued(sent)
        self.entries = [self._entry(index, item) for index, item in enumerate(input_items(body))]
        self.previous = body.get("previous_response_id")
        chain = self._chain()
        self.unknown = not chain and bool(self.previous or conversation_id(body))
        self.inherited = [entry for turn in chain for entry in _turn_entries(*turn)]

    def _entry(self, index: int, item: Json) -> Entry:
        named = self.issued.items.get(str(item.get("id"))) if item.get("type") == "item_reference" else None
        return Entry(f"input[{index}]", named or item, item)

    def _chain(self) -> list[tuple[Conversation, Reply]]:
        """The turns that the request continues, oldest first."""
        named = conversation_id(self.body)
        if named is not None:
            return [turn for turn in self.sent.turns if conversation_id(turn[0].body) == named]
        chain = []
        previous: Any = self.previous
        while isinstance(previous, str) and (turn := self.sent.find(previous)):
            chain.append(turn)
            previous = turn[0].body.get("previous_response_id")
            if len(chain) > len(self.sent.turns):  # ids that a script repeats may name each other in a circle
                break
        return chain[::-1]

    @property
    def history(self) -> list[Entry]:
        """Everything that the model would see: inherited entries, then the request's own."""
        return [*self.inherited, *self.entries]


def _turn_entries(asked: Conversation, reply: Reply) -> Iterable[Entry]:
    for index, item in enumerate((*input_items(asked.body), *reply.items)):
        yield Entry(f"{reply.id}[{index}]", item, item)

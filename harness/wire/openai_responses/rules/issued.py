"""What the endpoint has issued in a case: its output items, and how reasoning and its items belong together."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire.base import Json
from harness.wire.issued import IssuedKind, IssuedTurn, items_by
from harness.wire.lenient import string
from harness.wire.openai_responses.items import input_items

issued_items = items_by(lambda item: string(item.get("id")) or None)
"""The output items, by their ids; some servers send none."""


@IssuedKind
def unstored_items(turn: IssuedTurn) -> Iterator[tuple[str, Json]]:
    """The output items of responses that the provider does not store, by their ids."""
    if not _is_stored(turn):
        yield from ((id, item) for item in turn.reply.items if (id := string(item.get("id"))))


@IssuedKind
def produced_items(turn: IssuedTurn) -> Iterator[tuple[str, Json]]:
    """The item that reasoning has produced (the next one that is no reasoning), by the id of the reasoning."""
    yield from ((led["id"], item) for item, reasoning in _items_with_reasoning(turn) for led in reasoning)


@IssuedKind
def leading_reasoning(turn: IssuedTurn) -> Iterator[tuple[str, list[Json]]]:
    """The reasoning right before an item that is none, by the id of the item."""
    yield from ((item["id"], reasoning) for item, reasoning in _items_with_reasoning(turn))


def _items_with_reasoning(turn: IssuedTurn) -> Iterator[tuple[Json, list[Json]]]:
    reasoning: list[Json] = []
    for item in turn.reply.items:
        if not string(item.get("id")):  # nothing can be linked to it
            reasoning = []
        elif item.get("type") != "reasoning":
            yield item, reasoning
            reasoning = []
        elif _is_stored(turn) or item.get("encrypted_content") or item.get("content"):  # else nobody can send it back
            reasoning.append(item)


def _is_stored(turn: IssuedTurn) -> bool:
    return turn.asked.body.get("store") is not False


@IssuedKind
def issued_tokens(turn: IssuedTurn) -> Iterator[tuple[str, str]]:
    """The id of the item with each encrypted content.

    A case may begin with reasoning that another endpoint issued; only later on is it a forgery.
    """
    for item in (*(() if turn.number else input_items(turn.asked.body)), *turn.reply.items):
        token = item.get("encrypted_content")
        if isinstance(token, str):
            yield token, str(item.get("id"))

"""What the endpoint has sent in a case, found again by call id, by thinking proof or by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.wire.base import Conversation, IssuedState, Json, Reply
from harness.wire.issued import IssuedKind, IssuedTurn, items_by
from harness.wire.lenient import entries, string

THINKING = ("thinking", "redacted_thinking")

Key = tuple[str, str]

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


def proof_member(block: Json) -> str:
    """The member with the proof."""
    return "data" if block.get("type") == "redacted_thinking" else "signature"


def proof_of(block: Json) -> str:
    """What shows that the model wrote a thinking block, its ``signature`` or ``data``, in one spelling of base64."""
    proof = string(block.get(proof_member(block)))
    return proof.rstrip("=").replace("-", "+").replace("_", "/")


def show(block: Json) -> str:
    """A thinking block, shortened."""
    if block.get("type") == "redacted_thinking":
        return f"redacted_thinking {proof_of(block):.16}…"
    return f"thinking {block.get('thinking')!r:.60} signed {proof_of(block):.16}…"


def is_one_of(block: Json, issued: Sequence[Json]) -> bool:
    """Whether a thinking block says what one of the issued ones says."""
    return any(item["type"] == block.get("type") and item.get("thinking") == block.get("thinking") for item in issued)


def key_of(native: Json) -> Key | None:
    """The key by which a block may be found again."""
    kind = native.get("type")
    if kind in THINKING:
        return "proof", proof_of(native)
    member = "text" if kind == "text" else "id" if kind in _CALLS else ""
    value = native.get(member)
    return (member, value) if isinstance(value, str) else None


def _likeness(native: Json) -> tuple[Any, ...] | None:
    """A value that is equal for equal calls or texts; None for other blocks."""
    kind = native.get("type")
    if kind == "text":
        return kind, native.get("text")
    return (kind, native.get("name"), native.get("input")) if kind in _CALLS else None


@IssuedKind
def _numbers(turn: IssuedTurn) -> Iterator[tuple[Key | int | tuple[Key, int], int]]:
    """The numbers of replies: by their places, by the keys of their blocks, and by both."""
    place = _place(turn.asked)
    yield place, turn.number
    for key in _keys(turn.reply):
        yield key, turn.number
        yield (key, place), turn.number


_thinking = items_by(lambda item: proof_of(item) if item.get("type") in THINKING else None)
"""The thinking blocks by their proofs."""


def _keys(reply: Reply) -> Iterable[Key]:
    """The keys of its blocks, each once."""
    return dict.fromkeys(key for item in reply.items if (key := key_of(item)) is not None)


def _place(asked: Conversation) -> int:
    """The number of the message that a reply becomes: the one after the messages of its request."""
    return len(entries(asked.body.get("messages")))


class IssuedReplies:
    """The replies of a case. A block that several of them contain identifies a reply only by its place.

    ``missed`` are the keys of blocks that no reply had when they were judged.
    """

    def __init__(self, state: IssuedState, missed: set[Key]) -> None:
        self.turns = state.turns
        self._numbers = _numbers(state)
        self._thinking = _thinking(state)
        self._missed = missed

    def __bool__(self) -> bool:
        return bool(self.turns)

    def change_judgements(self, since: int) -> bool:
        """Whether a block might be judged differently than after the first ``since`` turns."""
        new = range(since, len(self.turns))
        return (bool(new) and not since) or any(map(self._changes, new))

    def _changes(self, number: int) -> bool:
        """Whether the reply has a block that was missed before, that one other reply has, or that one has in its place.

        Of a block that more replies have, it is known that only its place identifies one.
        """
        asked, reply = self.turns[number]
        place = _place(asked)
        return any(
            number in self._numbers[key][key not in self._missed : 2] or self._numbers[key, place][0] != number
            for key in _keys(reply)
        )

    def number(self, native: Json, place: int | None = None) -> int | None:
        """The reply that a block comes from. If several contain it, the one that belongs at this place."""
        key = key_of(native)
        if key is None:
            return None
        known = self._numbers.get(key)
        if known is None:
            self._missed.add(key)
            return None
        if len(known) > 1:
            known = [] if place is None else self._numbers.get((key, place), [])
        return known[0] if len(known) == 1 else None

    @property
    def has_thinking(self) -> bool:
        """Whether any thinking was issued."""
        return bool(self._thinking)

    def thinking(self, proof: str) -> list[Json]:
        """The thinking blocks that were issued with a proof."""
        return self._thinking.get(proof, [])

    def items(self, placed: Iterable[tuple[Json, int]]) -> list[Json]:
        """The blocks of the replies that an assistant turn repeats, in the order in which they were sent.

        Calls and text show which replies these are. Thinking counts only if there is nothing else, because it may have
        been moved here from another turn. ``placed`` are the blocks of the turn, each with the place of its message.
        """
        if not self.turns:
            return []
        thinking: list[tuple[Json, int]] = []
        others: list[tuple[Json, int]] = []
        for each in placed:
            (thinking if each[0].get("type") in THINKING else others).append(each)
        begins = min((place for _, place in (*thinking, *others)), default=0)
        numbers = self._of(others, begins) or self._of(thinking, begins)
        return [item for number in sorted(numbers) for item in self.turns[number][1].items]

    def holding(self, natives: Iterable[Json]) -> list[Sequence[Json]]:
        """The blocks of each reply that has all calls and texts of an assistant turn, whatever ids the calls have."""
        likenesses = [likeness for native in natives if (likeness := _likeness(native)) is not None]
        replies = [reply.items for _, reply in self.turns] if likenesses else []
        return [items for items in replies if all(each in map(_likeness, items) for each in likenesses)]

    def _of(self, placed: Iterable[tuple[Json, int]], begins: int) -> set[int]:
        numbers = (
            self._alike_reply(native, begins, place) if (number := self.number(native, place)) is None else number
            for native, place in placed
        )
        return {number for number in numbers if number is not None}

    def _alike_reply(self, native: Json, begins: int, place: int) -> int | None:
        """The reply of a client's call whose id was changed: the last reply in its turn with an equal call.

        Each block of a turn may be in its own message, so the reply may have begun before this ``place``.
        """
        if native.get("type") != "tool_use":
            return None
        alike = _likeness(native)
        there = [number for at in range(begins, place + 1) for number in self._numbers.get(at, ())]
        holding = [number for number in there if alike in map(_likeness, self.turns[number][1].items)]
        return max(holding, key=lambda number: _place(self.turns[number][0]), default=None)

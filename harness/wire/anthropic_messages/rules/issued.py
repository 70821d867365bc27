"""What the endpoint has sent in a case, found again by call id, by thinking proof or by text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from harness.wire.base import Conversation, Json, Reply
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


class IssuedReplies:
    """The replies of a case. A block that several of them contain identifies a reply only by its place.

    It only grows. ``generation`` changes whenever an earlier block might be judged differently now: a judgement from
    another generation no longer counts.
    """

    def __init__(self) -> None:
        self.turns: list[tuple[Conversation, Reply]] = []
        self.generation = 0
        self._numbers: dict[Key, list[int]] = {}
        self._placed: dict[tuple[Key, int], list[int]] = {}
        self._begun: dict[int, list[int]] = {}
        self._thinking: dict[str, list[Json]] = {}
        self._missed: set[Key] = set()

    def extend(self, turns: Sequence[tuple[Conversation, Reply]]) -> None:
        """Take in the turns that are new; ``turns`` are all of the case."""
        for number in range(len(self.turns), len(turns)):
            reply = turns[number][1]
            if not self.turns:
                self.generation += 1
            self.turns.append(turns[number])
            self._begun.setdefault(self._place(number), []).append(number)
            for item in reply.items:
                key = key_of(item)
                if key is not None:
                    self._note(key, number)
                if item.get("type") in THINKING:
                    self._thinking.setdefault(proof_of(item), []).append(item)

    def _note(self, key: Key, number: int) -> None:
        known = self._numbers.setdefault(key, [])
        if known and known[-1] == number:
            return
        there = self._placed.setdefault((key, self._place(number)), [])
        if key in self._missed or len(known) == 1 or there:
            self._missed.discard(key)
            self.generation += 1
        known.append(number)
        there.append(number)

    def _place(self, number: int) -> int:
        """The number of the message that a reply becomes: the one after the messages of its request."""
        return len(entries(self.turns[number][0].body.get("messages")))

    def __bool__(self) -> bool:
        return bool(self.turns)

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
            known = [] if place is None else self._placed.get((key, place), [])
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
            self._renamed(native, begins, place) if (number := self.number(native, place)) is None else number
            for native, place in placed
        )
        return {number for number in numbers if number is not None}

    def _renamed(self, native: Json, begins: int, place: int) -> int | None:
        """The reply of a client's call whose id was changed: the last reply in its turn with an equal call.

        Each block of a turn may be in its own message, so the reply may have begun before this ``place``.
        """
        if native.get("type") != "tool_use":
            return None
        alike = _likeness(native)
        there = [number for at in range(begins, place + 1) for number in self._begun.get(at, ())]
        holding = [number for number in there if alike in map(_likeness, self.turns[number][1].items)]
        return max(holding, key=self._place, default=None)

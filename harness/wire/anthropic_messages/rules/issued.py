"""What the endpoint has sent in a case, found again by call id, by thinking proof or by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.wire.base import Conversation, Json, Reply
from harness.wire.lenient import string

__all__ = ["THINKING", "Issued", "Key", "keys_of", "proof_of"]

THINKING = ("thinking", "redacted_thinking")

Key = tuple[str, str]

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_STANDARD = str.maketrans("-_", "+/")


def proof_of(block: Json) -> str:
    """What shows that the model wrote a thinking block, its ``signature`` or ``data``, in one spelling of base64."""
    proof = string(block.get("data" if block.get("type") == "redacted_thinking" else "signature")).rstrip("=")
    return proof.translate(_STANDARD) if "-" in proof or "_" in proof else proof


def keys_of(native: Json) -> Iterator[Key]:
    """By what a block may be found again."""
    kind = native.get("type")
    if kind in THINKING:
        yield "proof", proof_of(native)
    elif kind in _CALLS and isinstance(native.get("id"), str):
        yield "call", native["id"]
    elif kind == "text" and isinstance(native.get("text"), str):
        yield "text", native["text"]


class Issued:
    """The replies of a case. What was sent in several of them identifies none.

    It only grows. ``generation`` changes whenever something that could have been said of an earlier block would be said
    otherwise now: a judgement made under another generation counts no more.
    """

    def __init__(self) -> None:
        self.turns: list[tuple[Conversation, Reply]] = []
        self.generation = 0
        self._number: dict[Key, int | None] = {}
        self._thinking: dict[str, list[Json]] = {}
        self._missed: set[Key] = set()

    def extend(self, turns: Sequence[tuple[Conversation, Reply]]) -> None:
        """Take in the turns that are new; ``turns`` are all of the case."""
        for number in range(len(self.turns), len(turns)):
            reply = turns[number][1]
            if not self.turns:
                self.generation += 1
            self.turns.append(turns[number])
            for item in reply.items:
                for key in keys_of(item):
                    self._note(key, number)
                if item.get("type") in THINKING:
                    self._thinking.setdefault(proof_of(item), []).append(item)

    def _note(self, key: Key, number: int) -> None:
        known = self._number.setdefault(key, number)
        if known is not None and known != number:
            self._number[key] = None
            self.generation += 1
        elif key in self._missed:
            self._missed.discard(key)
            self.generation += 1

    def __bool__(self) -> bool:
        return bool(self.turns)

    def number(self, native: Json) -> int | None:
        """Which reply a block comes from."""
        for key in keys_of(native):
            if key in self._number:
                return self._number[key]
            self._missed.add(key)
        return None

    def thinking(self, native: Json) -> list[Json]:
        """The thinking blocks that were issued with the proof of this one."""
        return self._thinking.get(proof_of(native), [])

    def items(self, natives: Iterable[Json]) -> list[Json]:
        """The blocks of the replies that an assistant turn repeats, in the order in which they were sent.

        Calls and text say which replies those are; thinking only where there is nothing else, for it may have been
        moved here from another turn.
        """
        if not self.turns:
            return []
        blocks = list(natives)
        others = self._numbers(native for native in blocks if native.get("type") not in THINKING)
        numbers = others or self._numbers(native for native in blocks if native.get("type") in THINKING)
        return [item for number in sorted(numbers) for item in self.turns[number][1].items]

    def _numbers(self, natives: Iterable[Json]) -> set[int]:
        return {number for native in natives if (number := self.number(native)) is not None}

"""A request as the rules look at it: its messages with their places, merged into turns, and what was issued."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from operator import attrgetter

from harness.wire.anthropic_messages.read import blocks_of
from harness.wire.base import Conversation, Json, Level, Reply, Sent, Violation
from harness.wire.lenient import objects, string

__all__ = ["THINKING", "Block", "Entry", "History", "Issued", "Run", "broken", "proof_of"]

THINKING = ("thinking", "redacted_thinking")

_VERSION = re.compile(r"claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:[-@:]|$)")


def broken(
    rule: str, at: str, problem: str, *, expected: str, got: str, level: Level = "C", kind: str = ""
) -> Violation:
    """A violation whose text is ``at: problem``, as the provider writes it."""
    return Violation(rule, f"{at}: {problem}", at=at, expected=expected, got=got, level=level, kind=kind)


def proof_of(block: Json) -> str:
    """What shows that the model wrote a thinking block: its ``signature``, or the ``data`` of a redacted one."""
    return string(block.get("data" if block.get("type") == "redacted_thinking" else "signature"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the request. ``at`` is its place in the body as sent."""

    at: str
    role: str
    message: Json
    blocks: tuple[Block, ...]


class Block:
    """A content block and its place; ``message`` is the place of the message that holds it.

    ``id`` is the id of a call, or the id that a result names; ``""`` for none.
    """

    __slots__ = ("at", "id", "kind", "message", "native")

    def __init__(self, at: str, message: str, native: Json) -> None:
        self.at = at
        self.message = message
        self.native = native
        self.kind = str(native.get("type"))
        self.id = string(native.get("tool_use_id" if self.kind.endswith("_result") else "id"))


class Run:
    """Consecutive messages of one role: the provider joins them before it checks a history."""

    def __init__(self, role: str, entries: tuple[Entry, ...]) -> None:
        self.role = role
        self.entries = entries
        self.blocks = tuple([block for entry in entries for block in entry.blocks])
        self._kinds = {block.kind for block in self.blocks}

    def of(self, *kinds: str) -> tuple[Block, ...]:
        """The blocks of these types."""
        if self._kinds.isdisjoint(kinds):
            return ()
        return tuple([block for block in self.blocks if block.kind in kinds])


class Issued:
    """What the endpoint has sent in this case, found again by call id, by thinking proof or by text.

    Whatever was sent twice identifies nothing and is left out.
    """

    def __init__(self, replies: tuple[Reply, ...]) -> None:
        self.replies = replies
        keys = [(key, number) for number, reply in enumerate(replies) for item in reply.items for key in _keys(item)]
        counts = Counter(key for key, _ in keys)
        self._number = {key: number for key, number in keys if counts[key] == 1}
        self.thinking = {proof_of(item): item for reply in replies for item in reply.items if item["type"] in THINKING}

    def __bool__(self) -> bool:
        return bool(self.replies)

    def number(self, native: Json) -> int | None:
        """Which reply a block comes from."""
        numbers = (self._number.get(key) for key in _keys(native))
        return next((number for number in numbers if number is not None), None)

    def items(self, run: Run) -> list[Json]:
        """The blocks of the replies that an assistant run repeats, in the order in which they were sent.

        Calls and text say which replies those are; thinking only where there is nothing else, for it may have
        been moved here from another turn.
        """
        thinking = [block for block in run.blocks if block.kind in THINKING]
        others = [block for block in run.blocks if block.kind not in THINKING]
        numbers = self._numbers(others) or self._numbers(thinking)
        return [item for number in sorted(numbers) for item in self.replies[number].items]

    def _numbers(self, blocks: list[Block]) -> set[int]:
        return {number for block in blocks if (number := self.number(block.native)) is not None}


def _keys(native: Json) -> Iterator[tuple[str, str]]:
    kind = native.get("type")
    if kind in THINKING:
        yield "proof", proof_of(native)
    elif kind in ("tool_use", "server_tool_use") and isinstance(native.get("id"), str):
        yield "call", native["id"]
    elif kind == "text" and isinstance(native.get("text"), str):
        yield "text", native["text"]


@dataclass(frozen=True)
class History:
    """Everything that a rule may look at."""

    body: Json
    entries: tuple[Entry, ...]
    sent: Sent

    @classmethod
    def of(cls, conversation: Conversation, sent: Sent) -> History:
        natives = objects(conversation.body.get("messages"))
        places = [message.at for message in conversation.messages if message.at != "system"]
        return cls(conversation.body, tuple(map(_entry, places, natives)), sent)

    @cached_property
    def issued(self) -> Issued:
        return Issued(self.sent.replies)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The messages joined by role, without the ``system`` entries between them."""
        spoken = groupby((entry for entry in self.entries if entry.role != "system"), key=attrgetter("role"))
        return tuple([Run(role, tuple(entries)) for role, entries in spoken])

    @cached_property
    def blocks(self) -> tuple[tuple[Entry, Block], ...]:
        """Every block with the message that holds it."""
        return tuple([(entry, block) for entry in self.entries for block in entry.blocks])

    @property
    def version(self) -> tuple[str, int, int] | None:
        """The model's family and version; None for a name that says none."""
        return _version(str(self.body.get("model")))

    @property
    def thinking(self) -> str:
        """The type of thinking that the request asks for; ``""`` where it says nothing."""
        asked = self.body.get("thinking")
        return str(asked.get("type")) if isinstance(asked, dict) else ""


@lru_cache(maxsize=64)
def _version(model: str) -> tuple[str, int, int] | None:
    found = _VERSION.search(model)
    return (found[1], int(found[2]), int(found[3] or 0)) if found else None


def _entry(at: str, message: Json) -> Entry:
    blocks = blocks_of(message.get("content"))
    placed = tuple([Block(f"{at}.content.{index}", at, block) for index, block in enumerate(blocks)])
    return Entry(at, str(message.get("role")), message, placed)

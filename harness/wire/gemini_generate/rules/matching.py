"""Matches the parts of a request with the parts that the endpoint has issued.

A call is recognised by its signature, its id, or its name and arguments: if one of them was changed, the others still
show the call. At most one part of the request claims an issued part, so repeated parts are seen, and missing ones are
left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.wire.base import IssuedState, Json
from harness.wire.gemini_generate.rules.history import Placed, TurnSpan
from harness.wire.gemini_generate.rules.issued import (
    IssuedPart,
    call_of,
    is_broken,
    issued_parts,
    issued_texts,
    signature_of,
    signed_with,
)
from harness.wire.gemini_generate.rules.same import fingerprint
from harness.wire.lenient import string


@dataclass(slots=True)
class Matched:
    """A model turn of the request beside what was issued.

    ``replies`` are the replies that it is made of; none, and nobody here issued it. ``pairs`` are its parts with what
    they were, ``repeated`` calls that another part has already brought back, ``invented`` calls that were never made,
    ``lost`` parts of those replies that no part brings back, and ``others`` signed parts that call nothing.
    ``verbatim`` are the numbers of calls that are known to come back as they were made.
    """

    span: TurnSpan
    verbatim: set[tuple[int, int]]
    replies: set[int] = field(default_factory=set)
    pairs: list[tuple[Placed, IssuedPart]] = field(default_factory=list)
    repeated: list[Placed] = field(default_factory=list)
    invented: list[Placed] = field(default_factory=list)
    lost: list[IssuedPart] = field(default_factory=list)
    others: list[Placed] = field(default_factory=list)

    def add(self, placed: Placed, origin: IssuedPart) -> None:
        """Pair a part of the request with the issued part that it comes from."""
        self.replies.add(origin.reply)
        self.pairs.append((placed, origin))


Matching = tuple[Matched, ...]
"""All model turns that the endpoint has issued."""


def match(turns: Sequence[TurnSpan], issued: IssuedState, start: int) -> Matching:
    """Find what was issued in the model turns of a request; nothing was in the contents before ``start``."""
    finder = _Finder(issued, start)
    matched = [finder.turn(span) for span in turns]
    for turn in matched:
        finder.settle(turn)
    return tuple(turn for turn in matched if turn.replies)


class _Finder:
    def __init__(self, issued: IssuedState, start: int) -> None:
        self._issued = issued
        self._turns = issued.turns
        self._parts = issued_parts(issued)
        self._start = start
        self._claimed: set[tuple[int, int]] = set()
        self._verbatim: set[tuple[int, int]] = set()
        self._matched: set[int] = set()
        self._passed: dict[int, int] = {}
        """How many entries of a list of issued parts are done, by the identity of the list."""
        self._last: IssuedPart | None = None

    def turn(self, span: TurnSpan) -> Matched:
        """The parts of one turn, each by itself."""
        matched = Matched(span, self._verbatim)
        self._last = None
        for placed in span.parts:
            if placed.holder.at < self._start:
                continue
            if call_of(placed.part):
                self._call(placed, matched)
            elif placed.part.get("thoughtSignature"):
                self._other(placed, matched)
        if not matched.replies:
            self._text(matched)
        self._matched |= matched.replies
        return matched

    def settle(self, matched: Matched) -> None:
        """Match what is left of an issued turn: an unknown call was one of the missing ones."""
        left = [part for reply in sorted(matched.replies) for part in self._unclaimed_parts(reply)]
        for placed in matched.invented[:] if matched.replies else ():
            calls = [part for part in left if part.name]
            name = call_of(placed.part).get("name")
            if calls:
                origin = next((part for part in calls if part.name == name), calls[0])
                left.remove(origin)
                self._claim(origin)
                matched.invented.remove(placed)
                matched.pairs.append((placed, origin))
        for part in left:
            self._claim(part)
        matched.lost = [part for part in left if not is_broken(self._turns[part.reply][1])]

    def _call(self, placed: Placed, matched: Matched) -> None:
        origin = self._found(placed.part)
        if origin is None:
            matched.invented.append(placed)
        elif origin.number in self._claimed:
            matched.replies.add(origin.reply)
            matched.repeated.append(placed)
        else:
            self._claim(origin)
            matched.add(placed, origin)

    def _other(self, placed: Placed, matched: Matched) -> None:
        owner = self._owner(placed.part)
        if owner is None or owner.name or owner.number in self._claimed:
            matched.others.append(placed)
        else:
            self._claim(owner)
            matched.add(placed, owner)

    def _text(self, matched: Matched) -> None:
        """A turn with only its text unchanged. A reply without calls is preferred to one that lost its calls."""
        texts = issued_texts(self._issued)
        for calling in (False, True):
            replies = texts.get((matched.span.text, calling), [])
            at = self._passed.get(id(replies), 0)
            while at < len(replies) and replies[at] in self._matched:
                at += 1
            self._passed[id(replies)] = at
            if at < len(replies):
                matched.replies.add(replies[at])
                return

    def _found(self, part: Json) -> IssuedPart | None:
        """The issued call that this part means; a claimed one if another part already has it."""
        owner = self._free_owner(part)
        for made in (owner, self._following()):
            if made is not None and made.made(part):
                self._verbatim.add(made.number)
                return made
        return self._by_id(part) or owner or self._by_content(part)

    def _by_id(self, part: Json) -> IssuedPart | None:
        """By its id: of several with that id the one with the same arguments."""
        call_id = string(call_of(part).get("id"))
        made = self._parts.get(call_id, [])
        if not made:
            return None
        same = self._parts.get(("id and content", call_id, *_content(part)), [])
        return self._first(same) or self._first(made) or made[-1]

    def _by_content(self, part: Json) -> IssuedPart | None:
        """By name and arguments. One that was issued with another id is another call."""
        content = _content(part)
        if call_of(part).get("id"):
            made = self._parts.get(("id and content", "", *content), [])
        else:
            made = self._parts.get(("content", *content), [])
        return self._first(made) or (made[-1] if made else None)

    def _first(self, made: list[IssuedPart]) -> IssuedPart | None:
        """The first unclaimed one. Claimed ones are passed for good, so that the time stays linear."""
        at = self._passed.get(id(made), 0)
        while at < len(made) and made[at].number in self._claimed:
            at += 1
        self._passed[id(made)] = at
        return made[at] if at < len(made) else None

    def _following(self) -> IssuedPart | None:
        """The next call of the reply with the last match."""
        reply = self._last.reply if self._last else None
        return None if reply is None else self._first(self._parts.get(("calls of reply", reply), []))

    def _free_owner(self, part: Json) -> IssuedPart | None:
        """The call that the part's signature belongs to, if no part has claimed it."""
        owner = self._owner(part)
        return owner if owner is not None and owner.name and owner.number not in self._claimed else None

    def _owner(self, part: Json) -> IssuedPart | None:
        return signed_with(signature_of(part), self._parts)

    def _claim(self, part: IssuedPart) -> None:
        self._claimed.add(part.number)
        self._last = part

    def _unclaimed_parts(self, reply: int) -> list[IssuedPart]:
        return [part for part in self._parts.get(reply, ()) if part.number not in self._claimed]


def _content(part: Json) -> tuple[str, int]:
    call = call_of(part)
    return str(call.get("name") or ""), fingerprint(call.get("args") or {})

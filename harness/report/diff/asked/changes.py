"""The differences between two requests, part by part: the same change in two requests is an equal value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Final

from harness.cassette.match_key import canonical_text
from harness.cassette.misses.diff_text import unified
from harness.cassette.misses.differences import differences, place
from harness.report.diff.asked.pairing import Pair
from harness.report.diff.asked.request import AskedRequest, AskedTool, HistoryBlock
from harness.report.diff.model import RequestPart
from harness.trace import MAIN
from harness.wire.same_beginning import same_beginning

_LONG: Final = 160
"""Longer lines are shown only in the part that differs."""

_BEFORE: Final = 40
"""Characters that are shown before the first difference."""

_ALIKE: Final = 0.8
"""Two lines at least this similar, from 0 to 1, count as one line that was changed."""

_NONE: Final = object()


@dataclass(frozen=True, slots=True)
class PartChange:
    """One change of a part of a request: ``what`` names it, ``lines`` show it with ``-``, ``+`` or a space in front.

    Two changes are the same if their ``key`` is equal, or without keys, if ``what`` and ``lines`` are.
    """

    part: RequestPart
    what: str
    lines: tuple[str, ...] = ()
    key: tuple[str, ...] | None = None

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for the same change in another request."""
        return self.part, self.key or (self.what, *self.lines)


def changes_of(pair: Pair) -> Iterator[PartChange]:
    """All differences between the two requests of a pair."""
    if pair.base is None or pair.new is None:
        yield _alone(pair)
        return
    old, new = pair.base, pair.new
    if old.content == new.content and old.headers == new.headers and old.endpoint == new.endpoint:
        return
    yield from _system(old.system, new.system)
    yield from _tools(old.tools, new.tools)
    yield from _history(old, new)
    yield from _marks(old.marks, new.marks)
    yield from _values("member", old.others, new.others)
    yield from _values("header", _in_items(old.headers), _in_items(new.headers))
    if old.endpoint != new.endpoint:
        yield PartChange("member", "endpoint", (f"- {old.endpoint}", f"+ {new.endpoint}"))


# --- requests that one of the runs does not have --------------------------------------------------------------


def _alone(pair: Pair) -> PartChange:
    request, (sign, became) = pair.request, ("+", "new") if pair.base is None else ("-", "missing")
    if request.conversation == MAIN:
        return PartChange("request", f"one more request of the main conversation is {became}", (), (became, "main"))
    if not pair.first:
        what = f"one more request of a conversation beside the main one is {became}"
        return PartChange("request", what, (), (became, "beside"))
    begins = next(filter(None, request.opening), "")
    with_tools = "with tools" if request.tools else "without tools"
    what = f"a conversation beside the main one is {became}, {with_tools}"
    return PartChange("request", what, (f"{sign} {_cut(begins)}",), (became, request.opening[0], with_tools))


# --- system prompt --------------------------------------------------------------------------------------------


def _system(old: str, new: str) -> Iterator[PartChange]:
    for lines in _hunks(old, new):
        count = {sign: sum(line.startswith(sign) for line in lines) for sign in "-+"}
        words = {"-": "taken out", "+": "added"}
        if all(count.values()):
            what = f"{_number(max(count.values()), 'line')} changed"
        else:
            what = ", ".join(f"{_number(count[sign], 'line')} {words[sign]}" for sign in "-+" if count[sign])
        yield PartChange("system", what, lines)


@lru_cache(maxsize=64)
def _hunks(old: str, new: str) -> tuple[tuple[str, ...], ...]:
    """The places in which two texts differ, line by line."""
    if old == new:
        return ()
    before, after = old.split("\n"), new.split("\n")
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        tuple(_signed_lines(before[a:b], after[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    )


def _signed_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Lines with their signs. Of two long lines that are almost equal, only the part that differs is shown."""
    before, after = list(old), list(new)
    begin = 0
    for number, line in enumerate(before):
        partner = next((at for at in range(begin, len(after)) if _are_alike(line, after[at])), None)
        if partner is not None:
            before[number], after[partner] = _excerpts(line, after[partner])
            begin = partner + 1
    yield from (f"- {line}" for line in before)
    yield from (f"+ {line}" for line in after)


def _are_alike(old: str, new: str) -> bool:
    return max(len(old), len(new)) > _LONG and SequenceMatcher(None, old, new, autojunk=False).quick_ratio() > _ALIKE


def _excerpts(old: str, new: str) -> tuple[str, str]:
    if max(len(old), len(new)) <= _LONG:
        return old, new
    start = max(0, same_beginning(old, new) - _BEFORE)
    return _cut(old, start), _cut(new, start)


def _cut(text: str, start: int = 0) -> str:
    end = start + _LONG
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


# --- tools ----------------------------------------------------------------------------------------------------


def _tools(old: Mapping[str, AskedTool], new: Mapping[str, AskedTool]) -> Iterator[PartChange]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if before is None and after is not None:
            yield PartChange("tools", f"{name} is new", tuple(_of_tool("+", after)))
        elif after is None and before is not None:
            yield PartChange("tools", f"{name} is taken out", tuple(_of_tool("-", before)))
        elif before is not None and after is not None:
            yield from _tool(name, before, after)
    if old.keys() == new.keys() and list(old) != list(new):
        yield PartChange("tools", "the order is another one", (f"- {', '.join(old)}", f"+ {', '.join(new)}"))


def _of_tool(sign: str, tool: AskedTool) -> Iterator[str]:
    yield from (f"{sign} {_cut(line)}" for line in tool.description.split("\n")[:4] if line)
    arguments = tool.schema.get("properties")
    if isinstance(arguments, dict):
        yield f"{sign} arguments: {', '.join(arguments) or 'none'}"


def _tool(name: str, old: AskedTool, new: AskedTool) -> Iterator[PartChange]:
    if old.description != new.description:
        sizes = f"{len(old.description):,} -> {len(new.description):,} characters"
        lines = (line for hunk in _hunks(old.description, new.description) for line in hunk)
        yield PartChange("tools", f"{name}: description, {sizes}", tuple(lines))
    if canonical_text(old.schema) != canonical_text(new.schema):
        yield PartChange("tools", f"{name}: schema", _between(old.schema, new.schema))
    if canonical_text(old.others) != canonical_text(new.others):
        members = ", ".join(dict.fromkeys(place(each.at) for each in differences(old.others, new.others)))
        yield PartChange("tools", f"{name}: {members}", _between(old.others, new.others))


def _between(old: Any, new: Any) -> tuple[str, ...]:
    lines = unified(list(differences(old, new)), new, ("", "")).split("\n")[2:]
    return tuple(line for line in lines if line != "@@ body @@")


# --- history --------------------------------------------------------------------------------------------------


def _history(old: AskedRequest, new: AskedRequest) -> Iterator[PartChange]:
    """Blocks that are new, gone or changed. All texts of one kind are one change, whatever their scenarios contain."""
    if old.blocks == new.blocks:
        if old.entries != new.entries:
            shapes = (f"- {_shape(old.entries)}", f"+ {_shape(new.entries)}")
            yield PartChange("history", "the same blocks are in other messages", shapes, ("messages",))
        return
    matcher = SequenceMatcher(None, old.blocks, new.blocks, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield from _blocks(old.blocks[a:b], new.blocks[c:d])


def _shape(entries: Sequence[int]) -> str:
    return f"{_number(len(entries), 'message')} with {', '.join(map(str, entries))} blocks"


def _blocks(old: Sequence[HistoryBlock], new: Sequence[HistoryBlock]) -> Iterator[PartChange]:
    """The changes in one place of two histories. Two blocks of the same kind are the same block, changed."""
    left = list(new)
    for block in old:
        partner = next((each for each in left if each.kind == block.kind), None)
        if partner is None:
            yield _in_history(block.kind, "is missing", [f"- {_cut(line)}" for line in block.text.split("\n")])
        else:
            left.remove(partner)
            lines = [line for hunk in _hunks(block.text, partner.text) for line in hunk]
            yield _in_history(block.kind, "changed", lines)
    for block in left:
        yield _in_history(block.kind, "is new", [f"+ {_cut(line)}" for line in block.text.split("\n")])


def _in_history(kind: str, became: str, lines: Sequence[str]) -> PartChange:
    return PartChange("history", f"{kind} {became}", tuple(lines), (kind, became))


# --- cache marks, members, headers ----------------------------------------------------------------------------


def _marks(old: Sequence[str], new: Sequence[str]) -> Iterator[PartChange]:
    gone, come = [each for each in old if each not in new], [each for each in new if each not in old]
    if gone or come:
        what = "moved" if gone and come else "added" if come else "taken out"
        yield PartChange("cache", what, (*(f"- {each}" for each in gone), *(f"+ {each}" for each in come)))


def _in_items(headers: Mapping[str, str]) -> dict[str, Any]:
    """The headers, with lists of names (``anthropic-beta``) split into items: their order means nothing."""
    return {
        name: sorted(value.split(",")) if "," in value and " " not in value else value
        for name, value in headers.items()
    }


def _values(part: RequestPart, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[PartChange]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name, _NONE), new.get(name, _NONE)
        if before is _NONE or after is _NONE or canonical_text(before) != canonical_text(after):
            became = " is new" if before is _NONE else " is missing" if after is _NONE else ""
            yield PartChange(part, f"{name}{became}", tuple(_value_lines(before, after)))


def _value_lines(old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, list) and isinstance(new, list):
        yield from (f"- {_shown(each)}" for each in old if each not in new)
        yield from (f"+ {_shown(each)}" for each in new if each not in old)
        return
    before, after = ("" if each is _NONE else _shown(each) for each in (old, new))
    before, after = _excerpts(before, after)
    yield from [f"- {before}"] * (old is not _NONE)
    yield from [f"+ {after}"] * (new is not _NONE)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else canonical_text(value)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"

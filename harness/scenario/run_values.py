"""Values that are made while a case runs: what a tool returns for one call, and how it came back in a request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from harness.ground.bounded_json import SHALLOW, is_deeper, loads
from harness.scenario.model import Tool
from harness.scenario.placeholders import (
    FRESH,
    MISSING,
    Fill,
    Missing,
    ResultMember,
    filled_text,
    filled_value,
    member_at,
)
from harness.scenario.words import shown
from harness.trace import JsonValue
from harness.wire import Call, Message, Reply, Result, Text, ThinkingPart, Turn
from harness.wire.carried import python_value
from harness.wire.results import answered
from harness.wire.turn import Part, Refusal

_LETTERS: Final = "bcdfghjklmnpqrstvwxz"
"""Without vowels, so that a word never happens to say something."""

_LENGTH: Final = 12
_MOST_NESTED: Final = 6
_MOST_VALUES: Final = 10_000
"""Values of a result among which a member is looked for."""


_MOST_FILLED: Final = 1_000_000
"""Characters that results may bring into one answer: a short text may name a long result ten thousand times."""


class _Filling:
    """Gives values for names, each looked up once, until together they are too long."""

    def __init__(self, look_up: Fill) -> None:
        self._look_up = look_up
        self._known: dict[ResultMember, tuple[JsonValue | Missing, int]] = {}
        self._left = _MOST_FILLED

    @property
    def is_spent(self) -> bool:
        return self._left < 0

    def __call__(self, member: ResultMember) -> JsonValue | Missing:
        if member not in self._known:
            value = self._look_up(member)
            size = 0 if isinstance(value, Missing) else len(value if isinstance(value, str) else json.dumps(value))
            self._known[member] = value, size
        value, size = self._known[member]
        self._left -= size
        return MISSING if self._left < 0 else value


# --- what a tool returns --------------------------------------------------------------------------------------


def is_fresh(value: JsonValue) -> bool:
    """Whether a value contains a text with ``{{fresh}}``."""
    if isinstance(value, dict):
        return any(map(is_fresh, value.values()))
    return any(map(is_fresh, value)) if isinstance(value, list) else isinstance(value, str) and FRESH in value


def returned(tool: Tool, arguments: JsonValue) -> JsonValue:
    """What ``tool`` returns for a call with these arguments: the same in every run, and another for any other call."""
    if not is_fresh(tool.returns):
        return tool.returns
    call = json.dumps([tool.fresh, tool.declaration.name, _normal(arguments)], sort_keys=True)
    digest = hashlib.shake_128(call.encode("utf-8", "surrogatepass")).digest(_LENGTH)
    return _with_word(tool.returns, "".join(_LETTERS[each % len(_LETTERS)] for each in digest))


def _with_word(value: JsonValue, word: str) -> JsonValue:
    if isinstance(value, str):
        return value.replace(FRESH, word)
    if isinstance(value, dict):
        return {name: _with_word(each, word) for name, each in value.items()}
    return [_with_word(each, word) for each in value] if isinstance(value, list) else value


def _normal(value: JsonValue) -> JsonValue:
    """The value with whole numbers in one spelling: JSON does not distinguish 1 and 1.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _normal(each) for name, each in value.items()}
    return [_normal(each) for each in value] if isinstance(value, list) else value


def values_returned(made: Sequence[Call], tools: Iterable[Tool]) -> Fill:
    """What gives members of the results of ``made`` calls, as the tools of the file return them."""
    by_name = {tool.declaration.name: tool for tool in tools if not tool.canonical and tool.raises is None}

    def value(member: ResultMember) -> JsonValue | Missing:
        call = made[member.call - 1] if member.call <= len(made) else None
        if call is None or call.name not in by_name:
            return MISSING
        return member_at(returned(by_name[call.name], _arguments(call)), member.path)

    return _Filling(value)


def _arguments(call: Call) -> JsonValue:
    try:
        value: JsonValue = loads(call.arguments.strip() or "{}", SHALLOW)
    except ValueError:
        return call.arguments
    return value


# --- results in requests --------------------------------------------------------------------------------------


def made_calls(replies: Iterable[Reply]) -> tuple[Call, ...]:
    """The calls of a conversation, in the order in which the model made them. Calls of turns that broke off are left
    out."""
    return tuple(
        [call for reply in replies if reply.complete and reply.turn.error is None for call in reply.turn.calls]
    )


def result_of(made: Sequence[Call], number: int, messages: Sequence[Message]) -> Result | None:
    """The result of call ``number`` (from 1) of those that were ``made``, in a history; None where it has none.

    It has the id of the call. If the call has no id, or the loop gave it another, it is the result of the same call in
    the history: as many equal calls are before it here as there.
    """
    if number > len(made):
        return None
    call = made[number - 1]
    if call.id and sum(each.id == call.id for each in made) == 1:
        results = (result for message in messages for result in message.results)
        by_id = next((result for result in results if result.id == call.id), None)
        if by_id is not None:
            return by_id
    before = sum(_are_same(each, call) for each in made[: number - 1])
    equal = [result for sent, result in answered(messages) if _are_same(sent, call)]
    return equal[before] if before < len(equal) else None


def _are_same(one: Call, other: Call) -> bool:
    return one.name == other.name and _normal(_arguments(one)) == _normal(_arguments(other))


def _member_in(output: str, path: tuple[str, ...]) -> JsonValue | Missing:
    """A member of a result as a loop has sent it, in whatever it has wrapped it."""
    found = (member_at(value, path) for value in _values_in(output))
    return next((value for value in found if value is not MISSING), MISSING)


def _values_in(output: str) -> Iterator[JsonValue]:
    """The objects and lists of a result, the outer ones first; JSON in a text counts as what it means."""
    level: list[JsonValue] = [output]
    left = _MOST_VALUES
    for _ in range(_MOST_NESTED):
        level = [_read(each) if isinstance(each, str) else each for each in level[:left]]
        holders = [each for each in level if isinstance(each, dict | list)]
        yield from holders
        left -= len(level)
        level = [each for held in holders for each in (held.values() if isinstance(held, dict) else held)]
        if left <= 0:
            return


def _read(text: str) -> JsonValue:
    """The JSON that a text is, or that begins at its first bracket; the text where it has none.

    What Python prints of a value counts, too: a model understands it, and that it is no JSON is for a rule to say.
    """
    if text.startswith('"'):
        text = _unquoted_text(text)
    for start in sorted(at for at in (text.find("{"), text.find("[")) if at >= 0):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not is_deeper(value, SHALLOW):
            read: JsonValue = value
            return read
    printed: JsonValue = python_value(text)
    return text if printed is None or is_deeper(printed, SHALLOW) else printed


def _unquoted_text(text: str) -> str:
    """The text that a JSON text means, and what that means where it is one itself."""
    for _ in range(_MOST_NESTED):
        try:
            value = loads(text)
        except ValueError:
            return text
        if not isinstance(value, str):
            return text
        text = value
    return text


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A placeholder without a value in the answered request. ``got`` is what the request has, in words."""

    member: ResultMember
    tool: str
    got: str


def with_results(turn: Turn, made: Sequence[Call], messages: Sequence[Message]) -> tuple[Turn, tuple[Unresolved, ...]]:
    """The turn with members of results in the place of their names, as the request that it answers has them.

    Placeholders without a value stay in the turn, and are returned, each name once.
    """
    unresolved: dict[ResultMember, Unresolved] = {}
    results: dict[int, Result | None] = {}

    def value(member: ResultMember) -> JsonValue | Missing:
        if member.call not in results:
            results[member.call] = result_of(made, member.call, messages)
        result = results[member.call]
        found = MISSING if result is None else _member_in(result.output, member.path)
        if found is MISSING:
            tool = made[member.call - 1].name if member.call <= len(made) else ""
            got = "no result of that call" if result is None else shown(result.output)
            unresolved[member] = Unresolved(member, tool, got)
        return found

    filling = _Filling(value)

    def within_bounds(member: ResultMember) -> JsonValue | Missing:
        found = filling(member)
        if found is MISSING and filling.is_spent:
            got = f"more than {_MOST_FILLED:,} characters of results in one answer"
            unresolved.setdefault(member, Unresolved(member, made[member.call - 1].name, got))
        return found

    parts = tuple([_filled_part(part, within_bounds) for part in turn.parts])
    return replace(turn, parts=parts), tuple(unresolved.values())


def _filled_part(part: Part, fill: Fill) -> Part:
    match part:
        case Text(text) | Refusal(text) | ThinkingPart(text=text):
            return replace(part, text=filled_text(text, fill))
        case Call(arguments=arguments):
            values = _arguments(part)
            if not isinstance(values, Mapping):
                return part
            filled = json.dumps(filled_value(dict(values), fill), ensure_ascii=False)
            return part if filled == arguments else replace(part, arguments=filled)

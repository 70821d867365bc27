"""The checks of a parser of calls in text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from harness.fuzz.campaign import Falsified
from harness.fuzz.text_tags.example import ArrivingText
from harness.fuzz.text_tags.grammar import TAG, Called, ParsedText, parsed
from harness.fuzz.text_tags.parser import ParserOutcome, TagParser
from harness.wire.characters import is_sendable, sendable, sendable_value
from harness.wire.text_tags.tags import ENDS, Tag

ORACLES: Final[Mapping[str, str]] = {
    "raises": "Whatever the text is, it is read without an exception, and the answer has the documented form.",
    "cut": "However the text is cut into deltas, the result is the same as in one piece.",
    "lost-call": "No well-formed call is lost, whatever precedes it: an open string, half a tag, other tags.",
    "thinking": "A call inside <think>...</think>, or behind a <think> that never ends, does not run.",
    "invented-call": "Nothing runs that is no call: no string, no text, and no block that is never closed.",
    "arguments": "The arguments of a well-formed call are what json.loads makes of them.",
    "shown": "The user is shown no more than the text around calls and thinking: no tag of a call, whole or half.",
    "lost-text": "All text that is neither thinking nor a call is shown, but for white space around the whole.",
    "unreadable": "A block that is no call is reported with a problem, and with arguments that no runtime can take for "
    "an object. (Where a parser reports such blocks, as ours does.)",
    "linear": "A text of four times the length takes about four times the steps.",
}

Pair = tuple[str, Any]
"""The name of a call and its arguments."""

Plain = Callable[[Any], Any]
"""Makes values equal that differ only in how halves of characters are replaced."""

LONG: Final = 32
"""A text with so many repetitions, or more, has its work counted."""

_SLACK: Final = 2.0
"""How many times the linear work is allowed: a quadratic reader takes four times as much."""


def judge(example: ArrivingText, parser: TagParser) -> None:
    """Raises ``Falsified`` for the first mistake. The text is read in its deltas, and before that in one piece, unless
    that was just found right."""
    if example.times >= LONG and parser.countable:
        _is_linear(example, parser)
    if parser.right is None or parser.right[0] != example.text:
        outcome = parser.outcome([example.text])
        _is_right(example.text, outcome)
        parser.right = example.text, outcome
    if len(example.deltas) > 1 or example.times > 1:
        _, whole = parser.right
        outcome = parser.outcome(example.repeated(example.times))
        if whole != outcome and repr(whole) != repr(outcome):  # NaN, if a parser makes one, is no mistake of its own
            raise Falsified("cut", f"what comes of the text in one piece: {_short(whole)}", _short(outcome))


# --- what is said -------------------------------------------------------------------------------------------


def _is_right(text: str, outcome: ParserOutcome) -> None:
    """Check the result for the text in one piece."""
    plain = sendable_value if is_sendable(text) else _blurred_value
    text = sendable(text)
    expected = parsed(text)
    calls = [(plain(name), plain(arguments)) for name, arguments in outcome.calls]
    _calls_are_right(expected, calls, plain)
    if expected.doubt is not None:
        _none_is_half(text, expected, calls)
    _text_is_right(expected, plain(outcome.text), plain, may_join="<" in TAG.sub("", text))
    _no_block_is_lost(expected, outcome)


def _calls_are_right(expected: ParsedText, found: Sequence[Pair], plain: Plain) -> None:
    wanted = [(plain(call.name), plain(call.arguments)) for call in expected.calls]
    compared = found if expected.doubt is None else found[: len(wanted)]
    if not _same(compared, wanted):
        raise _wrong_calls(expected.thought, wanted, compared, plain)
    if expected.last is None:
        return
    last = plain(expected.last.name), plain(expected.last.arguments)
    if not (len(found) > len(wanted) and _same(found[-1], last)):
        raise Falsified("lost-call", f"{_short(last)} as the last call", _calls_text(found))


def _none_is_half(text: str, expected: ParsedText, found: Sequence[Pair]) -> None:
    """After the doubt there must not be more calls than tags that end one."""
    ends = sum(tag in ENDS for tag in TAG.findall(text, expected.doubt or 0))
    surplus = found[len(expected.calls) :]
    if len(surplus) > ends:
        raise Falsified("invented-call", f"at most {ends} where {ends} end", _calls_text(surplus))


def _wrong_calls(thought: Iterable[Called], wanted: Sequence[Pair], found: Sequence[Pair], plain: Plain) -> Falsified:
    """The mistake in the calls, with the oracle that finds it."""
    expected, got = _calls_text(wanted), _calls_text(found)
    surplus = _surplus(found, wanted)
    if any(_same(call, (plain(each.name), plain(each.arguments))) for call in surplus for each in thought):
        return Falsified("thinking", expected, got)
    names, wanted_names = [name for name, _ in found], [name for name, _ in wanted]
    if names == wanted_names:
        return Falsified("arguments", expected, got)
    return Falsified("lost-call" if not _is_within(wanted_names, names) else "invented-call", expected, got)


def _surplus(found: Sequence[Pair], wanted: Sequence[Pair]) -> list[Pair]:
    """The members of ``found`` without a counterpart in ``wanted``."""
    left, surplus = list(wanted), []
    for call in found:
        place = next((place for place, each in enumerate(left) if _same(call, each)), None)
        if place is None:
            surplus.append(call)
        else:
            del left[place]
    return surplus


def _text_is_right(expected: ParsedText, shown: str, plain: Plain, *, may_join: bool) -> None:
    """Check the text. ``may_join``: there is a single ``<`` in the text, so that a tag may be shown that nobody has
    written, if a call between ``<tool_`` and ``call>`` is removed."""
    wanted, shown = plain(expected.text).strip(), shown.strip()
    compared = shown if expected.text_is_whole else shown[: len(wanted)]
    if compared != wanted:
        oracle = "shown" if _is_within(wanted, shown) else "lost-text"
        raise Falsified(oracle, _short(wanted), _short(shown))
    tags = [tag for tag in TAG.findall(shown) if tag != Tag.THINK_END]
    if tags and not may_join:
        raise Falsified("shown", f"no {tags[0]}", _short(shown))


def _no_block_is_lost(expected: ParsedText, outcome: ParserOutcome) -> None:
    if outcome.unreadable is None:
        return
    if expected.doubt is not None and not outcome.unreadable and len(outcome.calls) <= len(expected.calls):
        raise Falsified("unreadable", "a call or a problem for every block", "neither")
    for arguments, problem in outcome.unreadable:
        if not problem or not arguments.strip() or _is_object(arguments):
            raise Falsified("unreadable", "a problem, and arguments that are no object", f"{problem!r}, {arguments!r}")


# --- how much work it is ------------------------------------------------------------------------------------


def _is_linear(example: ArrivingText, parser: TagParser) -> None:
    few, many = example.repeated(example.times // 4), example.repeated(example.times)
    length = sum(map(len, few))
    if not length:
        return
    parser.steps(few)  # what is done once, as compiling a pattern, is done now
    taken, more = parser.steps(few), parser.steps(many)
    bound = round(_SLACK * taken * len(example.text) / length)
    if more > bound:
        raise Falsified(
            "linear",
            f"at most {bound} steps for {len(example.text)} characters, since {length} took {taken}",
            str(more),
        )


# --- values -------------------------------------------------------------------------------------------------


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, ``1`` and ``true`` being two."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_within(few: Sequence[Any], many: Sequence[Any]) -> bool:
    """Whether ``few`` is ``many`` with something left out."""
    rest = iter(many)
    return all(any(each == other for other in rest) for each in few)


def _blurred_value(value: Any) -> Any:
    """The value with all forms of half a pair made equal: unchanged, joined to another half, or as U+FFFD."""
    if isinstance(value, str):
        return "".join(["\ufffd" * (2 if mark > "\uffff" else 1) if mark > "\ud7ff" else mark for mark in value])
    if isinstance(value, Mapping):
        return {_blurred_value(key): _blurred_value(each) for key, each in value.items()}
    return [_blurred_value(each) for each in value] if isinstance(value, list | tuple) else value


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _calls_text(calls: Sequence[Pair]) -> str:
    return ", ".join([_short(call) for call in calls]) or "no call"


def _short(value: Any, most: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."

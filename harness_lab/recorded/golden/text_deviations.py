"""Where our text protocol differs from the measured program, and why (``docs/deviations.md``)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from harness.imports.comparison import Reason

DIFFERS = "differs"
"""The one place at which a case can differ: the whole case."""


@dataclass(frozen=True, slots=True)
class TextCase:
    """A function of the program, its input and its result, as JSON values."""

    id: str
    fn: str
    input: Any
    expected: Any


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case, and our answer to its input."""

    case: TextCase
    ours: Any

    @property
    def name(self) -> str:
        """The id of the case."""
        return self.case.id

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that ours finds."""
        return _calls(self.ours)

    @property
    def run(self) -> list[Any]:
        """The names of the calls that the program runs."""
        return [call.get("name") for call in _calls(self.case.expected) if "args" in call]

    @property
    def problems(self) -> list[Any]:
        """The names of the calls that ours does not run."""
        return [call.get("name") for call in self.calls if "problem" in call]


def _calls(answer: Any) -> list[dict[str, Any]]:
    found = answer.get("calls") if isinstance(answer, dict) else answer
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _reason(why: str, applies: Callable[[AnsweredCase], bool]) -> Reason[AnsweredCase]:
    return Reason(why, lambda answered: (DIFFERS,) if applies(answered) else ())


def _is_no_call(answered: AnsweredCase) -> bool:
    """Whether ours finds a call with a problem, and the program runs no call of that name."""
    return bool(answered.problems) and not {*answered.problems} & {*answered.run}


def _is_lost(answered: AnsweredCase) -> bool:
    """Whether ours runs more calls than the program, which runs some."""
    return bool(answered.run) and not answered.problems and len(answered.calls) > len(answered.run)


def _has_tag_in_string(answered: AnsweredCase) -> bool:
    return any("</tool_call>" in text for call in answered.calls for text in _leaves(call.get("args"), str))


def _runs_unwritten_arguments(answered: AnsweredCase) -> bool:
    """Whether the program runs a call without arguments, while ours reports broken arguments."""
    return bool({*answered.problems} & {*answered.run})


def _breaks_line_before_colon(answered: AnsweredCase) -> bool:
    return answered.case.fn == "parse_tool_calls" and bool(re.search(r"\w\s*\n\s*:", answered.case.input))


def _keeps_the_value(answered: AnsweredCase) -> bool:
    """Whether a value is half a character, or has more digits than the program's numbers."""
    values = [call.get("args") for call in answered.calls]
    halves = any("\ufffd" in text for text in _leaves(values, str))
    return halves or any(abs(number) > 2**53 and not math.isinf(number) for number in _leaves(values, int))


def _leaves(value: Any, kind: type) -> Iterator[Any]:
    """The values of a type in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _leaves(each, kind)
    if isinstance(value, kind):
        yield value


def _shows_tags(answered: AnsweredCase) -> bool:
    """Whether the program leaves a tag in the text for the user."""
    shown = answered.case.expected
    return answered.case.fn == "strip_tool_calls" and isinstance(shown, str) and "tool_call" in shown


def _is_repaired_to_no_json(answered: AnsweredCase) -> bool:
    return answered.case.fn == "fix_unquoted_keys" and not _is_json(answered.case.expected)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _input_has(*members: str) -> Callable[[AnsweredCase], bool]:
    """Whether the loop's input has one of ``members``."""
    return lambda answered: answered.case.fn == "loop" and bool({*_names(answered.case.input)} & {*members})


def _names(value: Any) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _never_ends(answered: AnsweredCase) -> bool:
    return answered.case.fn == "loop" and "never settles" in str(dict.get(answered.case.input, "tool", ""))


def _request_failed(answered: AnsweredCase) -> bool:
    """Whether ours fails the turn."""
    return answered.case.fn == "loop" and isinstance(answered.ours, dict) and "error" in answered.ours


TEXT_DEVIATIONS: tuple[Reason[AnsweredCase], ...] = (
    _reason(
        "A block that is no call is a call with invalid arguments: the model gets an error, the loop does not end.",
        _is_no_call,
    ),
    _reason("No call is lost because of the text before or around it.", _is_lost),
    _reason("A tag inside a string is the string's.", _has_tag_in_string),
    _reason("Nothing runs on arguments that the model did not write.", _runs_unwritten_arguments),
    _reason(
        "White space means nothing in JSON, a line break too: the key is repaired.",
        _breaks_line_before_colon,
    ),
    _reason(
        "The value is unambiguous and reaches the tool as every other session gives it: half a character as U+FFFD, "
        "and no digit is lost.",
        _keeps_the_value,
    ),
    _reason("What is no text for the user is not shown as text, whatever its tags.", _shows_tags),
    _reason("Text that cannot become JSON is read up to the fault; neither form runs.", _is_repaired_to_no_json),
    _reason("A tool that never ends is never reported to have gone well.", _never_ends),
    _reason(
        "A failed request fails the turn as on every wire; the engine reports it, in its own words, and may try again.",
        _request_failed,
    ),
    _reason("The prompt is the caller's; there is no command line to join.", _input_has("cli_args")),
)

"""Calls whose arguments are streamed (``partialArgs``, Vertex only): joins the pieces of each call.

The first piece names the call. The others bring values, each with its place in the arguments (a JSON path); a text may
come in several. The piece without ``willContinue`` is the last: as documented an empty ``functionCall``, in some
recordings the one with the last value.

A client sends the whole call back: the official SDK refuses to send pieces to the Gemini API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise, takewhile
from typing import Any, Final

from harness.ground.bounded_json import MOST_LEVELS
from harness.wire.characters import joined
from harness.wire.gemini_generate.parts import camel_keys
from harness.wire.lenient import Json, members, objects, string

Step = str | int
"""The name of a member, or an index."""

Steps = tuple[Step, ...]
"""The path from the arguments to a value in them."""

_STEP: Final = re.compile(
    r"""\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]|\['(?P<single>(?:[^'\\]|\\.)*)'\]|\["(?P<double>(?:[^"\\]|\\.)*)"\]"""
)
_EXACT: Final = 2**53
"""Up to here a double represents every integer."""


class StreamedCall:
    """One call while its pieces come, with the members of the first one. Each is a ``functionCall`` with keys in
    camelCase; ``add`` takes all of them."""

    def __init__(self, first: Json) -> None:
        self.ended = False
        self._members = {name: member for name, member in first.items() if name not in ("partialArgs", "willContinue")}
        self._values: dict[Steps, Any] = {}
        """Values by their places, in the order in which they began; a text as the list of its pieces."""
        self._text = _GrowingText()
        self._unreadable = False

    def add(self, piece: Json) -> str:
        """Take a piece. Return what it adds to the text of the arguments, if values come in the order of the text."""
        added: list[str] = []
        try:
            for steps, value in _values_of(piece):
                self._take(steps, value)
                added.append(self._text.add(steps, value))
        except ValueError:
            self._unreadable = True
        self.ended = not piece.get("willContinue")
        return "".join(added)

    @property
    def call(self) -> Json:
        """The whole call. With ``willContinue`` its end has not come, or a part of it could not be read."""
        arguments: Json = deepcopy(members(self._members.get("args")))
        is_whole = self.ended and not self._unreadable
        for steps, value in self._values.items():
            try:
                _put(arguments, steps, joined("".join(value)) if isinstance(value, list) else value)
            except ValueError:
                is_whole = False
        call = {**self._members, "args": arguments}
        return call if is_whole else {**call, "willContinue": True}

    def _take(self, steps: Steps, value: Any) -> None:
        begun = self._values.get(steps)
        if not isinstance(value, str):
            self._values[steps] = value
        elif isinstance(begun, list):
            begun.append(value)
        else:
            self._values[steps] = [value]


class _GrowingText:
    """The growing JSON text of a call's arguments; brackets and quotes close when the next value comes."""

    def __init__(self) -> None:
        self._steps: Steps = ()
        self._in_text = False

    def add(self, steps: Steps, value: Any) -> str:
        """The text that a value adds."""
        is_text = isinstance(value, str)
        written = _json(value)[:-1] if is_text else _json(value)
        if steps == self._steps:  # the text goes on; any other value that came again is in no order
            return written[1:]
        quote = '"' if self._in_text else ""
        between = _between(self._steps, steps)
        self._steps, self._in_text = steps, is_text
        return f"{quote}{between}{written}"


def _between(before: Steps, steps: Steps) -> str:
    """The text between the values in two places; ``before`` is empty for the first value."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, steps, strict=False)))
    closed = ["]" if isinstance(step, int) else "}" for step in reversed(before[shared + 1 :])]
    comma = "," if before else ""
    named = map(_key_of, steps[shared : shared + 1])  # what holds it is open already
    return "".join([*closed, comma, *named, *map(_opening, steps[shared + 1 :])])


def _opening(step: Step) -> str:
    return ("[" if isinstance(step, int) else "{") + _key_of(step)


def _key_of(step: Step) -> str:
    return "" if isinstance(step, int) else f"{_json(step)}:"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _values_of(piece: Json) -> Iterator[tuple[Steps, Any]]:
    """The values of a piece (of a text, the part that came) and their places. Raises ``ValueError`` for a bad one."""
    for partial in map(camel_keys, objects(piece.get("partialArgs"))):
        steps = _steps(string(partial.get("jsonPath")))
        if isinstance(text := partial.get("stringValue"), str):
            yield steps, text
        elif (number := partial.get("numberValue")) is not None:
            yield steps, _number(number)
        elif isinstance(truth := partial.get("boolValue"), bool):
            yield steps, truth
        elif "nullValue" in partial:
            yield steps, None


def _number(number: Any) -> int | float:
    """A double, which protobuf JSON may write as text. A whole number becomes an integer, as tools may declare."""
    try:
        double = float(number)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"not a number: {error}") from error
    return int(double) if double.is_integer() and abs(double) <= _EXACT else double


def _steps(path: str) -> Steps:
    """A JSON path (RFC 9535) to one value. Raises ``ValueError`` for any other text."""
    steps: list[Step] = []
    at = 1
    while step := _STEP.match(path, at):
        steps.append(_step(step))
        at = step.end()
    if not steps or not path.startswith("$") or at < len(path) or len(steps) > MOST_LEVELS:
        raise ValueError(f"not the path of an argument: {path[:80]!r}")
    return tuple(steps)


def _step(step: re.Match[str]) -> Step:
    if step["index"] is not None:
        return int(step["index"])
    if step["name"] is not None:
        return step["name"]
    quoted = step["double"] if step["single"] is None else step["single"].replace("\\'", "'").replace('"', '\\"')
    name: str = json.loads(f'"{quoted}"')
    return name


def _put(holder: Any, steps: Steps, value: Any) -> None:
    """Set the value at its place. Raises ``ValueError`` if an earlier value leaves no room for it."""
    for step, following in pairwise(steps):
        holder = _member(holder, step, [] if isinstance(following, int) else {})
    _member(holder, steps[-1], None)
    holder[steps[-1]] = value


def _member(holder: Any, step: Step, otherwise: Any) -> Any:
    """The member at ``step``; if there is none, ``otherwise`` is put there. A list grows by one at its end."""
    if isinstance(holder, list) and isinstance(step, int) and step <= len(holder):
        if step == len(holder):
            holder.append(otherwise)
    elif isinstance(holder, dict) and isinstance(step, str):
        holder.setdefault(step, otherwise)
    else:
        raise ValueError(f"no place for {step!r}")
    return holder[step]

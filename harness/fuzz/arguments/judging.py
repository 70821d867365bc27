"""Judges what a parser has shown of a text, delta by delta."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from harness.fuzz.arguments.document import ObjectMember, ReadObject, bare, is_loose, whole_characters
from harness.fuzz.campaign import Falsified
from harness.wire.characters import is_sendable

ORACLES: Final[Mapping[str, str]] = {
    "raises": "Whatever text comes in whatever deltas, the parser does not raise.",
    "answers": "After every delta the parser shows a mapping from keys to values, and nothing more often than that.",
    "final": (
        "Of a text that json.loads reads as an object, the values that are shown in the end are those of json.loads, "
        "with the strings under 'content' and 'path' among them. A string that has once been shown stays, and half a "
        "character may be shown as U+FFFD or left out."
    ),
    "prefix": (
        "A string that is shown is the beginning of what the text says under its key: nothing of another member, and "
        "nothing of an escape that is not whole. Of a key that comes twice it is one of the values, in their order."
    ),
    "key": "No key is shown that is not one of the outer object: none of a nested one, and no value taken for a key.",
    "grows": "While the text is the beginning of JSON, what is shown only grows, unless its key has come again.",
    "half": "No half of a surrogate pair is shown, since nothing could send it; a pair is shown as one character.",
    "cuts": (
        "In the end the same is shown however the text was cut. Of a text that is no whole object less may be shown in "
        "one way than in another."
    ),
    "linear": "Twice the text is at most about twice the work: calls, lines and the characters that are read again.",
}
"""The demand of each oracle, by name."""

WATCHED: Final = ("content", "path")
"""The keys that a parser must watch if it watches only some keys."""


def evidently_right(document: ReadObject, shown: Sequence[Any]) -> bool:
    """A quick check: every mapping continues in the next, and the last one has exactly the strings of the text.

    That is enough because a beginning of a beginning is one. What fails here may still be right, and is ``judge``d.
    """
    if not (shown and document.plain and shown[-1] == document.strings):
        return False
    later = shown[-1]
    try:
        for earlier in shown[-2::-1]:
            if earlier != later:
                for key, value in earlier.items():
                    if not later[key].startswith(value):
                        return False
                later = earlier
    except (AttributeError, KeyError, TypeError):
        return False
    return True


def judge(document: ReadObject, deltas: Sequence[str], shown: Sequence[Any]) -> None:
    """Raise ``Falsified`` for the first mistake in what is ``shown`` of the document in ``deltas``."""
    _answers(deltas, shown)
    values: dict[str, _Value] = {}
    for arrived, arguments in zip(accumulate(map(len, deltas)), shown, strict=True):
        _whole_characters(arguments)
        if arrived > document.judged:
            continue
        present = _by_key(document, arguments)
        for key, value in present.items():
            if key not in values:
                values[key] = _Value(key, document.by_key[key])
            values[key].shows(value)
        if arrived <= document.sound:
            for key in values.keys() - present.keys():
                values[key].shows_nothing()
    if document.is_object and shown:
        _final(document, _by_key(document, shown[-1]), values.keys())


def judge_cut(document: ReadObject, deltas: Sequence[str], cut: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
    """Raise ``Falsified`` if the final result differs between the text in ``deltas`` and the whole text."""
    if cut != whole and not (same(cut, whole) or (not document.is_object and _compatible(cut, whole))):
        raise Falsified("cuts", f"what is shown of the whole text, {_excerpt(whole)}", f"{_excerpt(cut)} of {deltas!a}")


def _compatible(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether each string of one is the beginning of the other's, or the other way round."""
    both = [(shown, other[key]) for key, shown in one.items() if key in other]
    texts = [sorted(pair, key=len) for pair in both if all(isinstance(shown, str) for shown in pair)]
    return all(longer.startswith(shorter) for shorter, longer in texts)


def _answers(deltas: Sequence[str], shown: Sequence[Any]) -> None:
    if len(shown) != len(deltas):
        more = "more" if len(shown) > len(deltas) else str(len(shown))
        raise Falsified("answers", f"{len(deltas)} mappings for {len(deltas)} deltas", more)
    for arguments in shown:
        if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
            raise Falsified("answers", "a mapping from keys to values", _excerpt(arguments))


def _whole_characters(arguments: Mapping[str, Any]) -> None:
    for key, shown in arguments.items():
        if isinstance(shown, str) and not is_sendable(shown):
            raise Falsified("half", f"whole characters under {key!a}", _excerpt(shown))


def _by_key(document: ReadObject, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are shown under the keys of the document. An ambiguous key is ignored."""
    present = {}
    for key, shown in arguments.items():
        meant = document.keys_spelt(key)
        if not meant:
            known = ", ".join(map(ascii, document.by_key)) or "none"
            raise Falsified("key", f"only keys of the outer object, {known}", ascii(key))
        if len(meant) == 1:
            present[meant[0]] = shown
    return present


class _Value:
    """The value that has been shown under one key, and the members whose beginning it is."""

    def __init__(self, key: str, members: Sequence[ObjectMember]) -> None:
        self._key = key
        self._members = members
        self._at = 0  # of the member that is shown
        self._shown = ""

    def shows(self, shown: object) -> None:
        """A value that is no string is judged at the end only, and ignored until then."""
        if not isinstance(shown, str):
            self.shows_nothing()
            return
        fitting = [at for at in range(self._at, len(self._members)) if _begins(shown, self._members[at])]
        for at in fitting:
            if at > self._at or shown.startswith(self._shown):
                self._at, self._shown = at, shown
                return
        if fitting:
            raise Falsified("grows", f"{self._shown!a} or more under {self._key!a}", ascii(shown))
        texts = [ascii(member.text) for member in self._members if member.text is not None]
        expected = f"the beginning of {' or '.join(texts)}" if texts else "no string"
        raise Falsified("prefix", f"{expected} under {self._key!a}", ascii(shown))

    def shows_nothing(self) -> None:
        """To show nothing is right if the key comes again, since its old value is void."""
        if self._shown and self._at == len(self._members) - 1:
            raise Falsified("grows", f"{self._shown!a} or more under {self._key!a}", "nothing")


def _begins(shown: str, member: ObjectMember) -> bool:
    """Whether ``shown`` is the beginning of the member's string."""
    text = member.text
    if text is None:
        return False
    return text.startswith(shown) or (is_loose(member.value) and bare(text).startswith(bare(shown)))


def _final(document: ReadObject, shown: Mapping[str, Any], known: Collection[str]) -> None:
    """Judge the final result. ``known`` are the keys under which something was shown: a parser may watch only some
    keys."""
    for key, members in document.by_key.items():
        value = members[-1].value
        if key in shown and not same(shown[key], value):
            raise Falsified("final", f"{_excerpt(value)} under {key!a}", _excerpt(shown[key]))
        if key not in shown and isinstance(value, str) and (key in WATCHED or key in known):
            raise Falsified("final", f"{_excerpt(value)} under {key!a}", "nothing")


def same(shown: Any, value: Any) -> bool:
    """Whether ``shown`` is a valid reading of ``value``: halves of characters replaced, numbers as doubles."""
    match value:
        case str():
            return isinstance(shown, str) and (shown == whole_characters(value) or _loosely(shown, value))
        case bool() | None:
            return shown is value
        case int() | float():
            return _same_number(shown, value)
        case list():
            return isinstance(shown, list) and len(shown) == len(value) and all(map(same, shown, value))
        case dict():
            if not isinstance(shown, Mapping):
                return False
            ones, others = ({bare(key): member for key, member in one.items()} for one in (shown, value))
            return ones.keys() == others.keys() and all(same(ones[key], others[key]) for key in ones)
    return bool(shown == value)


def _loosely(shown: str, value: str) -> bool:
    return bare(shown) == bare(value) if is_loose(value) else whole_characters(shown) == whole_characters(value)


def _same_number(shown: Any, value: float) -> bool:
    """JavaScript has doubles only, and writes one that is too large for them as null."""
    if isinstance(shown, bool) or not isinstance(shown, int | float | None):
        return False
    double = _double(value)
    return (shown is None and math.isinf(double)) or (
        shown is not None and (shown == value or _double(shown) == double)
    )


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _excerpt(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 200 else f"{text[:200]}..."

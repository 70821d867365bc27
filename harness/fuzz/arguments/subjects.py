"""Parsers of arguments that are fuzzed: ours, a user's function, and a user's command, behind one signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from harness.fuzz.subject import CommandSubject, Crashed, function
from harness.loop.partial_arguments import PartialArguments

SIGNATURE: Final = (
    "show(deltas: Iterable[str]) -> Iterable[Mapping[str, object]]: after every delta, the arguments as far as they "
    "would be shown, of all keys or at least of 'content' and 'path'; a command is asked "
    '{"deltas": ["..."]} and answers {"shown": [{...}]}, with one object for each delta'
)

Parser = Callable[[Sequence[str], Sequence[str]], Sequence[object]]
"""Takes deltas, and the keys that could be in them. It returns what is shown after each delta.

Only ours needs the keys, because it watches for them; they include every other string of the text, so that it could
take one of those for a key.
"""


def by_name(target: str | None) -> Parser:
    """Ours if ``target`` is None. Raises ``BadInput`` if the parser cannot be found or started."""
    if target is None:
        return ours
    if target.startswith("cmd:"):
        return _Asked(CommandSubject(target.removeprefix("cmd:"), SIGNATURE))
    return _CalledFunction(function(target, SIGNATURE))


def ours(deltas: Sequence[str], keys: Sequence[str]) -> list[Mapping[str, str]]:
    """The parser of the reference loop."""
    partial = PartialArguments(watch=keys)
    begun: dict[str, None] = {}
    shown: list[Mapping[str, str]] = []
    for delta in deltas:
        for key, _ in partial.feed(delta):
            begun[key] = None
        shown.append({key: text_read for key in begun if (text_read := partial.value(key)) is not None})
    return shown


def is_python(parser: Parser) -> bool:
    """Whether the steps of the parser can be counted here."""
    return not isinstance(parser, _Asked)


class _CalledFunction:
    """A user's function. It may show the same mapping each time, so the content is copied at once."""

    def __init__(self, show: Callable[[Iterable[str]], Iterable[object]]) -> None:
        self._show = show

    def __call__(self, deltas: Sequence[str], _: Sequence[str]) -> list[object]:
        shown = islice(self._show(iter(deltas)), len(deltas) + 1)
        return [dict(arguments) if isinstance(arguments, Mapping) else arguments for arguments in shown]


class _Asked:
    """A user's command."""

    def __init__(self, command: CommandSubject) -> None:
        self._command = command

    def __call__(self, deltas: Sequence[str], _: Sequence[str]) -> list[Any]:
        shown = self._command.ask({"deltas": list(deltas)}).get("shown")
        if not isinstance(shown, list):
            raise Crashed(f"it answered without a list under 'shown': {shown!r}")
        return shown

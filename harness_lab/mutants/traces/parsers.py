r"""How loops read arguments that are still arriving: the mistakes that are made everywhere, and two ways without.

Each takes the arguments as far as they have come and says what it shows of ``content``, None for nothing. All of them
look at all of it again with every delta, as nearly every loop does; ``harness.loop.partial_arguments`` does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from harness.loop import PartialArguments
from harness.rules.content import content_of
from harness.wire.characters import is_sendable

Parser = Callable[[str], str | None]

_RAW = re.compile(r'"content"\s*:\s*"((?:[^"\\]|\\.)*)(\\?)', re.DOTALL)
_ANYWHERE = re.compile(r'content.*?"[^"]*"((?:[^"\\]|\\.)*)', re.DOTALL)
_STEP = 40
_LONGEST_ESCAPE = 6
_HALF = "\ufffd"
"""What stands for half a character at the end of what has come."""


def parsed_anew(arguments: str) -> str | None:
    """The whole of what has come, decoded: slow, and right. A half character waits for its other half."""
    content = content_of(arguments)
    if content is None or content.finished:
        return content.text if content is not None else None
    return content.text.removesuffix(_HALF)


def pushed(arguments: str) -> str | None:
    """What the parser of the reference loop makes of it."""
    partial = PartialArguments(watch=("content",))
    partial.feed(arguments)
    return partial.value("content")


def not_decoded(arguments: str) -> str | None:
    r"""The text between the quotes without decoding it, ``\n`` and all."""
    found = _RAW.search(arguments)
    return found[1] if found else None


def with_half_an_escape(arguments: str) -> str | None:
    r"""Decoded up to the last character, be it the backslash of an escape whose rest has not come."""
    found, right = _RAW.search(arguments), parsed_anew(arguments)
    return right + found[2] if found and right is not None else right


def found_anywhere(arguments: str) -> str | None:
    """The string behind the first ``content``, be that a key or the value of another key."""
    found = _ANYWHERE.search(arguments)
    return found[1] if found else None


def salvaged(arguments: str) -> str | None:
    r"""As much of it as a JSON parser takes once it is closed: ``\uD83D`` alone decodes to half a character."""
    for end in range(len(arguments), max(0, len(arguments) - _LONGEST_ESCAPE - 1), -1):
        content = _content(arguments[:end])
        if content is not None:
            return content
    return None


def blank_meanwhile(arguments: str) -> str | None:
    """What a JSON parser takes once it is closed, and an empty text wherever it does not."""
    content = _content(arguments)
    return content if content is not None and is_sendable(content) else ""


def _content(arguments: str) -> str | None:
    for end in ("", '"}', "}"):
        try:
            value = json.loads(arguments + end)
        except ValueError:
            continue
        content = value.get("content") if isinstance(value, dict) else None
        return content if isinstance(content, str) else None
    return None


def shown_in_steps(arguments: str) -> str | None:
    """Right, but only at every fortieth character: the end is never shown."""
    right = parsed_anew(arguments)
    return right[: len(right) - len(right) % _STEP] or None if right is not None else None

"""Whether the result of a tool call shows that the tool was run.

Only Anthropic has a flag for a failure, and Gemini a member. On other wires, or if a loop does not set the flag, only
the text can show it. So the text is read with care: a single word that could belong to a refusal to run the call leaves
the question open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Message, Result
from harness.wire.turn import Call

_OF_A_FAILURE = re.compile(
    r"""error|fail|fault|invalid|illegal|malform|corrupt|broke|pars|json|argument|parameter|schema
    |\b(no|not|nor|none|never|nothing|without|cannot|unable|only)\b|n[’']t\b|\bun\w|\bin(comp|corr|suff|valid)
    |miss|expect|require|must|should|please|sorry|warn|again|retry|repeat|instead|before
    |den(y|ied)|refus|reject|declin|forbid|allow|permi|approv|confirm|block|filter|disab
    |cancel|abort|interrupt|stop|skip|ignor|drop|discard|halt|terminat|killed|end(ed|s)\b
    |bypass|withh[eo]ld|suspend|defer|pending|later|prevent|avoid|lost|lack|bad\b|wrong|problem|issue|send|split|smaller
    |truncat|partial|cut\b|\bmax|reach|limit|token|too\b|exceed|exhaust|time[d]?[ ]?out|exception|traceback|panic
    |false|null|undefined""",
    re.IGNORECASE | re.VERBOSE,
)
"""A refusal to run a call, or a report of a failed run, uses at least one of these words. Many other texts use them,
too: for those the question stays open."""


def answered(messages: Sequence[Message]) -> Iterator[tuple[Call, Result]]:
    """Each result of a history with its call: the first open call with the result's id, else the first open call
    without an id whose name does not contradict. A result without a call is left out."""
    waiting: list[Call] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Call):
            waiting.append(part)
        elif isinstance(part, Result):
            named = [call for call in waiting if part.id and call.id == part.id]
            unnamed = [call for call in waiting if not (part.id and call.id) and part.name in ("", call.name)]
            call = next(iter(named or unnamed), None)
            if call is not None:
                waiting = [each for each in waiting if each is not call]
                yield call, part


def may_report_failure(result: Result) -> bool:
    """Whether the result is marked as an error, or contains a word that may report that the call was not run."""
    return result.is_error or _OF_A_FAILURE.search(result.output) is not None


def reports_success(result: Result) -> bool:
    """Whether the result can only be the output of a tool that was run.

    Texts with letters beyond ASCII are not judged, since this module knows no words of other languages. Results without
    any word are not judged either.
    """
    text = "".join(texts_of(_value(result.output)))
    return text.isascii() and any(map(str.isalpha, text)) and not may_report_failure(result)


def is_distinct(value: Any) -> bool:
    """Whether only the tool would send this: a text with a word in it, or an object or array that is not empty."""
    if isinstance(value, str):
        return len(value.strip()) > 1
    return isinstance(value, dict | list) and bool(value)


def says(result: Result, value: Any) -> bool:
    """Whether the result is ``value``, however a loop has written it: as text, as JSON, in its own object or content
    part. JSON texts are compared by their values."""
    if result.is_error:
        return False
    return _same(result.output, value) or any(_same(each, value) for each in _unwrapped_values(_value(result.output)))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def _value(output: str) -> Any:
    try:
        return loads(output)
    except ValueError:
        return output


def _unwrapped_values(value: Any, depth: int = 4) -> list[Any]:
    """The value, and the values inside a pure wrapper: ``{"output": X}``, ``[X]``, ``{"type": "text", "text": X}``."""
    inner: list[Any] = []
    if isinstance(value, dict):
        members = {key: each for key, each in value.items() if key != "type"}
        inner = list(members.values()) if len(members) == 1 and "error" not in members else []
    elif isinstance(value, list) and len(value) == 1:
        inner = value
    elif isinstance(value, str):
        inner = [read] if (read := _value(value)) != value else []
    return [value, *(found for each in inner for found in (_unwrapped_values(each, depth - 1) if depth else []))]


def texts_of(value: Any) -> list[str]:
    """The texts of a JSON value without the names of its members."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts_of(each)]

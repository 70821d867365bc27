"""What the result of a tool call shows of whether the tool was run.

Only Anthropic has a flag for a failure, and Gemini a member. Elsewhere, and where a loop does not set it, the text is
all that there is. So the text is read with care: a single word that could belong to a refusal to run the call is enough
to leave the question open.
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
"""Words of which a refusal to run a call, or a failed run, uses at least one. That many other texts use them, too, is
the price: of those nothing is said."""


def answered(messages: Sequence[Message]) -> Iterator[tuple[Call, Result]]:
    """Each result of a history with its call: the first open one with its id, else the first without one of its own
    that a name does not speak against. A result of no call is left out."""
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
    """Whether the result is marked as an error, or has a word by which it could say that the call was not run."""
    return result.is_error or _OF_A_FAILURE.search(result.output) is not None


def reports_success(result: Result) -> bool:
    """Whether the result cannot be read in another way than as the output of a tool that was run.

    Texts with letters beyond ASCII are not judged, since the words of other languages are not known here; nor are
    results that hold no word at all.
    """
    text = "".join(texts_of(_value(result.output)))
    return text.isascii() and any(map(str.isalpha, text)) and not may_report_failure(result)


def is_distinct(value: Any) -> bool:
    """Whether nothing but the tool would say this: a text with a word in it, or an object or array with something."""
    if isinstance(value, str):
        return len(value.strip()) > 1
    return isinstance(value, dict | list) and bool(value)


def says(result: Result, value: Any) -> bool:
    """Whether the result is ``value``, however a loop has written it: as text, as JSON, in an object or a content part
    of its own. JSON texts are compared by what they mean."""
    if result.is_error:
        return False
    return _same(result.output, value) or any(_same(each, value) for each in _unwrapped(_value(result.output)))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def _value(output: str) -> Any:
    try:
        return loads(output)
    except ValueError:
        return output


def _unwrapped(value: Any, depth: int = 4) -> list[Any]:
    """The value, and what it is wrapped in nothing but: ``{"output": X}``, ``[X]``, ``{"type": "text", "text": X}``."""
    inner: list[Any] = []
    if isinstance(value, dict):
        members = {key: each for key, each in value.items() if key != "type"}
        inner = list(members.values()) if len(members) == 1 and "error" not in members else []
    elif isinstance(value, list) and len(value) == 1:
        inner = value
    elif isinstance(value, str):
        inner = [read] if (read := _value(value)) != value else []
    return [value, *(found for each in inner for found in (_unwrapped(each, depth - 1) if depth else []))]


def texts_of(value: Any) -> list[str]:
    """The texts of a JSON value without the names of its members."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts_of(each)]

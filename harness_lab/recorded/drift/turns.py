"""Turns that no shipped scenario has, so that the sample covers all that a renderer can render."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from harness.wire import Call, FinishReason, Part, Refusal, StreamError, Text, ThinkingPart, Turn, Usage
from harness.wire.turn import ErrorKind

_TEXT: Final = Text("It prints a greeting.")
_THINKING: Final = ThinkingPart("**Reading**\n\nI need the file.\n\n**Answering**\n\nIt is short.")
_CALL: Final = Call("read_file", '{"path": "src/app.py"}')
_FREE: Final = Call("create_file", '{"path": "index.html", "content": "<p>Hello.</p>"}')
_LONG: Final = Call("create_file", '{"content": "' + "<p>Hello.</p>" * 200 + '"}')
_EMPTY: Final = Call("list_files", "")
_SPENT: Final = Usage(input=900, output=400, reasoning=256, cached=512)

_PARTS: Mapping[str, tuple[Part, ...]] = {
    "text": (_TEXT,),
    "two texts": (_TEXT, Text("And nothing else.")),
    "thinking": (_THINKING, _TEXT),
    "thinking without its text": (ThinkingPart(form="omitted"), _TEXT),
    "redacted thinking": (ThinkingPart(form="redacted"), _TEXT),
    "thinking twice": (_THINKING, _TEXT, ThinkingPart("Is that all?"), _TEXT),
    "a call": (_CALL,),
    "a call without arguments": (_EMPTY,),
    "a long call": (_LONG,),
    "two calls": (_CALL, _FREE),
    "text and a call": (_TEXT, _CALL),
    "text and two calls": (_TEXT, _CALL, _EMPTY),
    "thinking and a call": (_THINKING, _CALL),
    "thinking and two calls": (_THINKING, _CALL, _FREE),
    "thinking, text and a call": (_THINKING, _TEXT, _CALL),
    "redacted thinking and a call": (ThinkingPart(form="redacted"), _CALL),
    "thinking without its text and a call": (ThinkingPart(form="omitted"), _CALL),
    "nothing": (),
}
_ENDS: Mapping[str, tuple[Part, ...]] = {"text": (_TEXT,), "a call": (_CALL,), "thinking": (_THINKING,), "nothing": ()}


def _finish_reason(parts: tuple[Part, ...]) -> FinishReason:
    return FinishReason.TOOL_CALLS if any(isinstance(part, Call) for part in parts) else FinishReason.END


TURNS: Mapping[str, Turn] = {
    **{name: Turn(parts, _finish_reason(parts)) for name, parts in _PARTS.items()},
    **{f"{name}, in one piece": Turn(parts, _finish_reason(parts), deltas="whole") for name, parts in _PARTS.items()},
    **{f"{name}, billed in full": Turn(parts, _finish_reason(parts), _SPENT) for name, parts in _PARTS.items()},
    **{
        f"{name} cut off by {finish_reason.value}": Turn(parts, finish_reason)
        for name, parts in _ENDS.items()
        for finish_reason in (FinishReason.MAX_TOKENS, FinishReason.CONTENT_FILTER)
    },
    "a refusal": Turn((Refusal("I cannot help with that."),), FinishReason.REFUSAL),
    "text and a refusal": Turn((_TEXT, Refusal("I cannot go on.")), FinishReason.REFUSAL),
    "a pause": Turn((_TEXT,), FinishReason.PAUSE),
    **{
        f"{kind} after {name}": Turn(parts, error=StreamError(kind))
        for kind in get_args(ErrorKind)
        for name, parts in _ENDS.items()
    },
}
"""The turns by their content."""

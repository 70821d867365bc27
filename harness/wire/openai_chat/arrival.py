"""Where the arguments of a call stand in a stream: in the fragments of ``tool_calls``, or in ``function_call``.

The fold that reads the message determines the call that a fragment belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from harness.wire.arrival import STRING, Arrival, Piece, at_once, streamed
from harness.wire.base import Json
from harness.wire.lenient import string
from harness.wire.openai_chat.message import CallDraft, MessageFold, arguments_text
from harness.wire.sse import SSE

_PATTERN = re.compile(rb'"arguments":\s*' + STRING)


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    return streamed(body, arguments, _pieces, _PATTERN) if SSE.is_stream(content_type) else at_once(body, arguments)


def _pieces(events: Iterable[tuple[int, Json]]) -> Iterator[Piece]:
    fold = MessageFold()
    for offset, chunk in events:
        for choice in chunk.get("choices") or ():
            if choice.get("index"):
                continue
            for draft, text in _fragments(fold, choice.get("delta") or {}):
                yield Piece(draft.position, offset, text)
            if choice.get("finish_reason") is not None:
                yield from [Piece(draft.position, offset, done=True) for draft in fold.calls]


def _fragments(fold: MessageFold, delta: Json) -> Iterator[tuple[CallDraft, str]]:
    function_call = delta.get("function_call") or {}
    if draft := fold.function_call(function_call):
        yield draft, function_call.get("arguments") or ""
    for fragment in delta.get("tool_calls") or ():
        function = fragment.get("function") or {}
        name, text = function.get("name") or "", arguments_text(function.get("arguments"))
        yield fold.fragment(fragment.get("index"), string(fragment.get("id")), name, text), text

"""The parts of a model's answer: thinking, text, calls with difficult arguments, refusals, and the reason to stop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, get_args

from hypothesis import strategies as st

from harness.wire.characters import joined
from harness.wire.turn import (
    Call,
    Deltas,
    ErrorKind,
    FinishReason,
    Part,
    Refusal,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)

TOKENS: Final = (
    "a", " ", "\n", "é", "😀", '"', "\\", "\u2028", "\x85", "\ud83d", "\ude00", "\r", "\t", "\x00", "data: ", "\n\n",
    "{", "}", "<", "/", "[DONE]", "event: x", "\\u00e9", "\u00a0", "0", "  ", "word",
)  # fmt: skip
"""Pieces of text that readers of streams stumble over, the simplest first: line ends that are none (U+2028, U+0085),
halves of surrogate pairs, what looks like a field of an event or the end of a stream, quotes, escapes, and blanks."""

BAD_ARGUMENTS: Final = ("", "{}", '{"a', "[1]", "null", '{"a": NaN}', '{"a": "\\ud83d"}', '{"a": 1e999}', "{} {}")
"""Arguments from models that are no JSON object, or that readers understand differently."""

_KEYS: Final = ("path", "content", "é", "", "a b")
_NUMBERS: Final = (0, -1, 1.5, 1e300, 2**53 + 1, True, None)


def texts(tokens: Sequence[str] = TOKENS, *, max_tokens: int = 8) -> st.SearchStrategy[str]:
    """Texts put together from ``tokens``; halves of a surrogate pair that meet are a character.

    Drawn as bytes and not as a list of choices, which makes examples faster; it shrinks to fewer and to earlier tokens.

    >>> from hypothesis import given
    >>> @given(texts())
    ... def test_my_reader_keeps_every_text(text): ...
    """
    few = tuple(tokens)
    return st.binary(max_size=max_tokens).map(lambda drawn: joined("".join([few[byte % len(few)] for byte in drawn])))


def argument_texts() -> st.SearchStrategy[str]:
    """The JSON text of a call's arguments, compact, spaced or escaped; sometimes one of ``BAD_ARGUMENTS``."""
    values = st.one_of(texts(max_tokens=6), st.sampled_from(_NUMBERS), st.lists(texts(max_tokens=2), max_size=2))
    members = st.dictionaries(st.sampled_from(_KEYS), values, max_size=2)
    return st.one_of(
        members.map(lambda value: json.dumps(value, ensure_ascii=False)),
        members.map(json.dumps),
        members.map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
        st.sampled_from(BAD_ARGUMENTS),
    )


def parts(ids: Sequence[str | None] = (None,)) -> st.SearchStrategy[Part]:
    """One part of an answer. ``ids`` are what calls may be sent with (``Call.id``)."""
    return st.one_of(
        st.builds(Text, texts()),
        st.builds(Call, st.sampled_from(["read_file", "f"]), argument_texts(), st.sampled_from(tuple(ids))),
        st.builds(ThinkingPart, texts(max_tokens=4), st.sampled_from(["plain", "redacted", "omitted"])),
        st.builds(Refusal, texts(max_tokens=4)),
    )


def turns(*, max_parts: int = 4, ids: Sequence[str | None] = (None,), broken: bool = False) -> st.SearchStrategy[Turn]:
    """Answers of a model, sensible or not: any parts in any order, any reason to stop.

    With ``broken`` some end in an error, or without their end.

    >>> from hypothesis import given
    >>> from harness.wire import Identity, wire
    >>> @given(turns())
    ... def test_my_reader_reads_any_turn(turn):
    ...     body = wire("openai-chat").render(turn, Identity("test"), asked).body
    """
    count = st.integers(0, 9999)
    errors = st.none() | st.builds(StreamError, st.sampled_from(get_args(ErrorKind)), texts(max_tokens=3))
    return st.builds(
        Turn,
        parts=st.lists(parts(ids), max_size=max_parts).map(tuple),
        stop=st.sampled_from(FinishReason),
        usage=st.just(Usage()) | st.builds(Usage, count, count, count, count),
        error=errors if broken else st.none(),
        ending=st.sampled_from(["complete", "eof"]) if broken else st.just("complete"),
        deltas=st.sampled_from(get_args(Deltas)),
    )

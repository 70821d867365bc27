"""Turns of every kind that all wires can say, and how a wire renders one."""

from __future__ import annotations

import json
from typing import Any, get_args

from hypothesis import strategies as st

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Refusal,
    Rendered,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
    wire,
)
from harness.wire.turn import Deltas

DELTAS = get_args(Deltas)

CALL = Call("read_file", '{"path": "src/ä \U0001f600.py"}')
TURNS = {
    "text": Turn((Text("It prints a line \U0001f600."),)),
    "calls": Turn((Text("I look."), CALL, Call("list_files", "")), FinishReason.TOOL_CALLS),
    "thinking": Turn((ThinkingPart("A file."), CALL), FinishReason.TOOL_CALLS, Usage(90, 40, 10, cached=30)),
    "silent": Turn((ThinkingPart(form="redacted"), ThinkingPart(form="omitted"), Text("Well."))),
    "cut": Turn((Text("I look"),), FinishReason.MAX_TOKENS),
    "refused": Turn((Text("I cannot."),), FinishReason.REFUSAL),
    "filtered": Turn((Text("It"),), FinishReason.CONTENT_FILTER),
    "nothing": Turn(()),
    "an empty text": Turn((Text(""),)),
}


def asked(name: str, *, stream: bool, **members: Any) -> Conversation:
    """A request that has nothing but these members."""
    if name in ("openai-chat", "text-tags"):
        members.setdefault("stream_options", {"include_usage": True})
    return Conversation(name, wire(name).default_model, stream, (), body=members)


def rendered(name: str, turn: Turn, *, stream: bool, **members: Any) -> Rendered:
    """The answer of a wire that says the turn."""
    return wire(name).render(turn, Identity("a case"), asked(name, stream=stream, **members))


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_arguments = st.one_of(
    st.dictionaries(_texts, st.one_of(_texts, st.integers(-9, 9), st.none(), st.lists(st.booleans(), max_size=2))).map(
        json.dumps
    ),
    st.sampled_from(["", "{", "[]", "null", '{"a": NaN}', '{"a": "\\ud83d"}', '{"a": 1.5e300}']),
)
_parts = st.one_of(
    st.builds(Text, _texts, st.sampled_from(["", "c2ln"])),
    st.builds(Refusal, _texts),
    st.builds(ThinkingPart, _texts, st.sampled_from(["plain", "redacted", "omitted"])),
    st.builds(Call, _texts, _arguments, st.sampled_from([None, "", "call_1"])),
)
any_turn = st.builds(
    Turn,
    parts=st.lists(_parts, max_size=5).map(tuple),
    stop=st.sampled_from(FinishReason),
    usage=st.builds(Usage, st.integers(0, 9), st.integers(5, 9), st.integers(0, 5), st.integers(0, 3)),
    error=st.sampled_from([None, None, StreamError("overloaded"), StreamError("context_length", "token count")]),
    ending=st.sampled_from(["complete", "complete", "eof"]),
    deltas=st.sampled_from(DELTAS),
)

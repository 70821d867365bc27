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


_text = st.text(st.sampled_from('aZ é😀\ud83d\ude00\u2028\n"\\<{') | st.characters(), max_size=12)
_arguments = (
    st.dictionaries(_text, st.none() | st.integers() | _text | st.lists(_text, max_size=2), max_size=3).map(json.dumps)
    | st.sampled_from(["", "{}", '{"a', "[1]", "null", '{"a": NaN}', '{"a": "\\ud83d"}', '{"a": 1e999}'])
    | _text
)
_ids = st.sampled_from([None, "", "dup", "call_x"])
_part = (
    st.builds(Text, _text)
    | st.builds(Refusal, _text)
    | st.builds(ThinkingPart, _text, st.sampled_from(["plain", "redacted", "omitted"]), st.sampled_from(["", "c2ln"]))
    | st.builds(Call, st.sampled_from(["f", "read_file", "patch"]) | _text, _arguments, _ids)
)
_count = st.integers(0, 10**6)
_errors = st.sampled_from(["overloaded", "server_error", "rate_limit", "context_length"])

any_turn = st.builds(
    Turn,
    parts=st.lists(_part, max_size=5).map(tuple),
    stop=st.sampled_from(FinishReason),
    usage=st.builds(Usage, _count, _count, _count, _count),
    error=st.none() | st.builds(StreamError, _errors, _text),
    ending=st.sampled_from(["complete", "eof"]),
    deltas=st.sampled_from(DELTAS),
)
"""Any turn, sensible or not."""

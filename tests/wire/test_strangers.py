"""Bodies that no provider and no SDK sends: they are refused in words, by every wire."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ground.bounded_json import MOST_LEVELS, loads
from harness.wire import IssuedState, UnreadableRequest, wire
from harness.wire.names import OWN_WIRES

_NAMES = (
    *("model", "messages", "input", "output", "contents", "role", "content", "parts", "text", "type", "id", "name"),
    *("choices", "delta", "message", "tool_calls", "function", "arguments", "index", "finish_reason", "usage", "error"),
    *("candidates", "functionCall", "args", "item", "response", "call_id", "tool_use_id", "tools", "parameters"),
    *("toolUse", "toolResult", "toolUseId", "reasoningContent", "reasoningText", "toolConfig", "toolSpec", "tools"),
    *("json", "document", "name", "source", "video", "image", "cachePoint", "toolChoice", "output", "messageStart"),
    *("steps", "step", "interaction", "previous_interaction_id", "event_type", "summary", "result", "is_error"),
    *("content_block", "stop_reason", "partial_json", "thinking", "signature", "item_id", "output_index", "status"),
)
_WORDS = (
    *("user", "assistant", "tool", "function", "text", "tool_use", "tool_result", "message", "function_call", "m"),
    *("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "reasoning"),
    *("toolUse", "toolResult", "reasoningContent", "reasoningText", "toolConfig", "document", "messageStart", "error"),
    *("interaction.created", "step.start", "step.delta", "step.stop", "interaction.completed", "function_result"),
    *("user_input", "model_output", "thought", "thought_signature", "arguments_delta", "thought_summary"),
    *("response.created", "response.output_item.added", "response.completed", "function_call_output", "thinking"),
)
_LEAVES = st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | st.sampled_from(_WORDS) | st.text(max_size=3)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(_NAMES), inner | st.sampled_from(_WORDS), max_size=6)
    ),
    max_leaves=25,
)
_CHAT = "/v1/chat/completions"
_PATHS = {
    "openai-responses": "/v1/responses",
    "openai-chat": _CHAT,
    "text-tags": _CHAT,
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-flash:generateContent",
    "bedrock-converse": "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    "gemini-interactions": "/v1/interactions",
}
_TYPES = ("text/event-stream", "application/json", "")


def _stream(values: list[object]) -> bytes:
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values).encode()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OWN_WIRES)
@given(values=st.lists(_VALUES, min_size=1, max_size=4), content_type=st.sampled_from(_TYPES))
def test_a_response_is_read_or_refused(name: str, values: list[object], content_type: str) -> None:
    for body in (_stream(values), json.dumps(values[0]).encode(), json.dumps(values).encode()):
        with suppress(ValueError):
            assert wire(name).parse(content_type, body).wire == name


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OWN_WIRES)
@given(value=_VALUES)
def test_a_request_is_judged_or_refused(name: str, value: object) -> None:
    speaker = wire(name)
    route = speaker.route("POST", _PATHS[name])
    assert route is not None
    with suppress(UnreadableRequest):
        conversation = speaker.read(route, json.dumps(value).encode(), {})
        assert isinstance(speaker.violations(conversation, IssuedState()), list)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("form", [str, str.encode])
def test_json_is_read_up_to_a_depth(opening: str, form: type[str]) -> None:
    closing = "]" if opening == "[" else "}"
    for levels in (1, MOST_LEVELS):
        text = opening * levels + "1" + closing * levels
        assert loads(form(text)) == json.loads(text)
    for levels in (MOST_LEVELS + 1, 900, 100_000):
        with pytest.raises(ValueError, match=f"nested more than {MOST_LEVELS} deep"):
            loads(form(opening * levels + "1" + closing * levels))
    flat = json.dumps([{"a": [number]} for number in range(2 * MOST_LEVELS)])
    assert loads(form(flat), 3) == json.loads(flat)
    with pytest.raises(ValueError, match="nested more than 2 deep"):
        loads(form(flat), 2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("value", [{}, [], 1, "é", {"a": "é", "b": "\ud800"}, ["日本"]])
def test_json_is_read_in_every_encoding(encoding: str, value: object) -> None:
    body = json.dumps(value, ensure_ascii=False).encode(encoding, "surrogatepass")
    assert loads(body) == value == json.loads(body)


@pytest.mark.parametrize("body", [b"", b"{", b"[\x00", b'{"a": "\xff"}', b"\xff{}", b"[\x00]\x00"])
def test_bytes_that_are_no_json_are_a_value_error_as_for_python(body: bytes) -> None:
    try:
        expected: object = json.loads(body)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            loads(body)
    else:
        assert loads(body) == expected

"""The renderer against the official SDK's models, the examples, and the parser."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.wire import Call, FinishReason, Identity, Rendered, StreamError, Text, ThinkingPart, Turn, Usage
from harness.wire.base import Json
from harness.wire.openai_chat import WIRE
from harness.wire.sse import parse_events
from tests.sdks import openai
from tests.wire.openai_chat.chat_support import TURNS, conversation, render


def chunks_of(body: bytes) -> list[Json]:
    return [json.loads(event.data) for event in parse_events(body) if event.data != "[DONE]"]


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("include_usage", [True, False])
def test_every_chunk_is_one_of_the_sdk(name: str, include_usage: bool) -> None:
    for chunk in chunks_of(render(TURNS[name], include_usage=include_usage).body):
        known = openai.types.chat.ChatCompletionChunk.model_validate(_without_lone_surrogates(chunk), strict=True)
        assert known.object == "chat.completion.chunk"
        assert set(known.model_extra or ()) <= {"obfuscation"}
        for choice in known.choices:
            assert not choice.model_extra
            assert set(choice.delta.model_extra or ()) <= {"reasoning_content"}
    whole = render(TURNS[name], stream=False)
    assert not openai.types.chat.ChatCompletion.model_validate_json(whole.body, strict=True).model_extra


def _without_lone_surrogates(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


# --- against the examples ----------------------------------------------------------------------------------

EXAMPLES = {
    "text": "text",
    "call": "tool",
    "parallel": "parallel",
    "thinking": "reasoning-text",
    "thinking-and-call": "reasoning-tool",
    "refusal": "refusal",
    "max-tokens": "max-tokens",
    "content-filter": "content-filter",
}


def kinds(chunks: Iterable[Json]) -> dict[str, set[tuple[str, ...]]]:
    """The key sets of each kind of chunk, at every level."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for chunk in chunks:
        if "error" in chunk:
            found["error"].add(tuple(chunk["error"]))
            continue
        choice = chunk["choices"][0] if chunk["choices"] else None
        kind = "usage" if choice is None else "finish" if choice["finish_reason"] else "delta"
        found[kind].add(tuple(chunk))
        if choice:
            found[f"{kind}.choice"].add(tuple(choice))
            found[f"{kind}.delta"].add(tuple(sorted(choice["delta"])))
            for call in choice["delta"].get("tool_calls", ()):
                found["call"].add((*call, *call["function"]))
        if chunk["usage"]:
            found["usage object"].add((*chunk["usage"], *chunk["usage"]["completion_tokens_details"]))
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_chunks_have_the_keys_of_the_example(name: str, shared: Path) -> None:
    example = (shared / "wire/examples" / f"oai-chat-{EXAMPLES[name]}.sse").read_bytes()
    ours, theirs = kinds(chunks_of(render(TURNS[name]).body)), kinds(chunks_of(example))
    if name == "thinking-and-call":
        # The recorded servers differ in whether a reasoning delta also says that the content is null.
        theirs["delta.delta"].add(("content", "reasoning_content"))
        theirs["delta.delta"].discard(("reasoning_content",))
    if name.startswith("thinking"):
        # These examples have DeepSeek's choices in OpenAI's envelope; tests/recorded/drift compares ours.
        for kinds_found in (ours, theirs):
            for kind in ("delta", "finish", "usage object"):
                del kinds_found[kind]
    assert ours == theirs


def test_a_turn_that_thinks_has_the_envelope_of_deepseek() -> None:
    """No service tier and no padding, and its own words for what the cache held."""
    *_, finish = chunks_of(render(TURNS["thinking"]).body)
    assert list(finish) == ["id", "object", "created", "model", "system_fingerprint", "choices", "usage"]
    assert finish["usage"]["prompt_cache_hit_tokens"] + finish["usage"]["prompt_cache_miss_tokens"] == 64
    whole = json.loads(render(TURNS["thinking-and-call"], stream=False).body)
    assert whole["choices"][0]["message"]["content"] == ""
    assert not whole.keys() & {"service_tier"}


def test_text_before_a_call_has_the_keys_of_the_example(shared: Path) -> None:
    example = (shared / "wire/examples/oai-chat-text-tool.sse").read_bytes()
    turn = Turn((Text("Let me look."), Call("read_file", '{"path":"src/app.py"}')), FinishReason.TOOL_CALLS)
    assert kinds(chunks_of(render(turn).body)) == kinds(chunks_of(example))


def test_an_error_in_the_stream_has_the_keys_of_the_example(shared: Path) -> None:
    example = (shared / "wire/examples/oai-chat-error.sse").read_bytes()
    rendered = render(Turn((Text("Par"),), error=StreamError("server_error")))
    assert chunks_of(rendered.body)[-1] == chunks_of(example)[-1]
    assert kinds(chunks_of(rendered.body)) == kinds(chunks_of(example))
    assert b"[DONE]" not in rendered.body


@pytest.mark.parametrize("name", ["text", "tool", "parallel", "text-tool", "reasoning-tool", "refusal", "max-tokens"])
def test_an_example_read_and_written_again_says_the_same(name: str, shared: Path) -> None:
    reply = WIRE.parse("text/event-stream", (shared / "wire/examples" / f"oai-chat-{name}.sse").read_bytes())
    again = render(reply.turn).reply
    assert reply.complete
    assert again.turn == reply.turn
    assert again.items == reply.items


# --- what the turn asks for --------------------------------------------------------------------------------


def test_what_chat_cannot_say_is_left_out() -> None:
    turn = Turn((ThinkingPart("secret", "redacted"), Text("a", signature="s"), ThinkingPart("", "omitted"), Text("b")))
    rendered = render(turn)
    assert rendered.reply.turn.parts == (Text("ab"),)
    assert rendered.reply.items == ({"role": "assistant", "content": "ab"},)
    assert b"reasoning" not in rendered.frames[0]


def test_ids_are_issued_kept_or_left_out() -> None:
    turn = Turn((Call("f", "{}"), Call("f", "{}", id="dup"), Call("f", "{}", id="dup"), Call("f", "{}", id="")))
    rendered = render(turn)
    issued, *given_ids = (call.id for call in rendered.reply.turn.calls)
    assert given_ids == ["dup", "dup", ""]
    assert issued is not None
    assert len(issued) == 29
    assert issued.startswith("call_")
    assert "id" not in rendered.reply.items[0]["tool_calls"][3]
    assert rendered.body.count(b'"id":"dup"') == 2


def test_ids_are_fresh_in_a_case_and_the_same_on_every_run() -> None:
    identity = Identity("case")
    first = WIRE.render(TURNS["call"], identity, conversation())
    second = WIRE.render(TURNS["call"], identity, conversation())
    assert first.reply.id != second.reply.id
    assert first.reply.turn.calls[0].id != second.reply.turn.calls[0].id
    assert first.body == render(TURNS["call"]).body
    assert first.body != render(TURNS["call"], seed="other").body


def test_usage_comes_only_when_asked_for() -> None:
    turn = Turn((Text("a"),), usage=Usage(10, 7, 3, 4))
    assert render(turn).reply.turn.usage == Usage(10, 7, 3, 4)
    assert render(turn, stream=False, include_usage=False).reply.turn.usage == Usage(10, 7, 3, 4)
    silent = render(turn, include_usage=False)
    assert silent.reply.turn.usage == Usage(0, 0)
    assert b"usage" not in silent.body


def test_padding_can_be_declined() -> None:
    asked = conversation()
    asked.body["stream_options"] = {"include_obfuscation": False}
    assert b"obfuscation" in render(TURNS["text"]).body
    assert b"obfuscation" not in WIRE.render(TURNS["text"], Identity("case"), asked).body


def test_halves_of_a_pair_go_out_as_escapes() -> None:
    body = render(Turn((Text("\U0001f600"),), deltas="utf16")).body
    assert b'{"content":"\\ud83d"}' in body
    assert b'{"content":"\\ude00"}' in body


@pytest.mark.parametrize(
    "name",
    ["text", "thinking-and-call", "call", "parallel", "text-between-calls", "refusal", "max-tokens-in-call", "utf16"],
)
def test_frames_stay_as_they_are(name: str, snapshot: SnapshotAssertion) -> None:
    rendered: Rendered = render(TURNS[name])
    assert rendered.body.decode() == snapshot


def test_whole_responses_stay_as_they_are(snapshot: SnapshotAssertion) -> None:
    assert json.loads(render(TURNS["thinking-and-call"], stream=False).body) == snapshot

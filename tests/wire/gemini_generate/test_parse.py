"""Reading responses: recorded shapes, streams that break anywhere, and bodies that are no response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.wire import Call, FinishReason, Identity, Rendered, StreamError, Text, ThinkingPart, Turn, Usage
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import CALL, STREAM_PATH, TURNS, conversation

STREAM = "text/event-stream"
JSON = "application/json; charset=UTF-8"
SIGNATURE = "EpIDCo8DAQw51scL+dHffCC+bznOIyXjDPleN5yQL1zqs+4M/VtZCHcJrN8gAA=="
LIST = Call("list_files", '{"path":"src"}', "96c1su3s", SIGNATURE)
READ = Call("read_file", '{"path":"src/app.py"}', "96c1su3s", SIGNATURE)
OVERLOADED = StreamError("overloaded", "The model is overloaded. Please try again later.")
MALFORMED = StreamError("server_error", "Malformed function call: print(default_api.read_file(path='src/app.py'")


def rendered(turn: Turn, path: str = STREAM_PATH) -> Rendered:
    return WIRE.render(turn, Identity("case"), conversation(path=path))


def event(chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n"


def answer(*parts: Any, **members: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "finishReason": "STOP", **members}
    return {"candidates": [candidate], "responseId": "r", "modelVersion": "m"}


EXAMPLES: dict[str, tuple[tuple[Any, ...], FinishReason, StreamError | None, bool]] = {
    "gem-text.sse": ((Text("The capital is Paris.", SIGNATURE),), FinishReason.END, None, True),
    "gem-thought-text.sse": (
        (ThinkingPart("**Considering**\n\nThe user asks a capital.\n\n\n"), Text("Paris.", SIGNATURE)),
        FinishReason.END,
        None,
        True,
    ),
    "gem-tool.sse": ((READ,), FinishReason.TOOL_CALLS, None, True),
    "gem-parallel.sse": ((LIST, Call(READ.name, READ.arguments, "k2m9x0aa")), FinishReason.TOOL_CALLS, None, True),
    "gem-parallel-split.sse": (
        (LIST, Call(READ.name, READ.arguments, "k2m9x0aa")),
        FinishReason.TOOL_CALLS,
        None,
        True,
    ),
    "gem-text-tool.sse": ((Text("Let me look."), READ), FinishReason.TOOL_CALLS, None, True),
    "gem-max-tokens.sse": ((Text("Once upon a"),), FinishReason.MAX_TOKENS, None, True),
    "gem-max-tokens-empty.sse": ((), FinishReason.MAX_TOKENS, None, True),
    "gem-safety.sse": ((), FinishReason.CONTENT_FILTER, None, True),
    "gem-prompt-blocked.sse": ((), FinishReason.CONTENT_FILTER, None, True),
    "gem-malformed-function-call.sse": ((), FinishReason.END, MALFORMED, True),
    "gem-unexpected-tool-call.sse": ((Call("list_dirs", "{}", "", SIGNATURE),), FinishReason.TOOL_CALLS, None, True),
    "gem-error-midstream.sse": ((Text("The"),), FinishReason.END, OVERLOADED, False),
    "gem-error-midstream-data.sse": ((Text("The"),), FinishReason.END, OVERLOADED, False),
    "gem-truncated.sse": ((Text("The cap"),), FinishReason.END, None, False),
    "gem-vertex-partial-args.sse": (
        (Call("read_file", READ.arguments, "", SIGNATURE),),
        FinishReason.TOOL_CALLS,
        None,
        True,
    ),
    "gem-continuation-hop1.sse": ((Text("Part one "),), FinishReason.END, None, False),
    "gem-continuation-hop2.sse": ((Text("part two."),), FinishReason.END, None, True),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_examples(name: str, line_end: bytes, shared: Path) -> None:
    body = (shared / "wire/examples" / name).read_bytes().replace(b"\r\n", b"\n").replace(b"\n", line_end)
    reply = WIRE.parse(STREAM, body)
    assert (reply.turn.parts, reply.turn.stop, reply.turn.error, reply.complete) == EXAMPLES[name]


def test_a_stream_without_alt_sse_is_an_array() -> None:
    chunks = [json.loads(frame.removeprefix(b"data: ")) for frame in rendered(TURNS["mixed"]).frames]
    assert WIRE.parse(JSON, json.dumps(chunks).encode()) == rendered(TURNS["mixed"]).reply


def test_of_several_candidates_the_first_is_read() -> None:
    chunk = answer({"text": "one"})
    chunk["candidates"].append({"content": {"parts": [{"text": "two"}]}, "finishReason": "SAFETY", "index": 1})
    reply = WIRE.parse(STREAM, event(chunk))
    assert (reply.turn.text, reply.turn.stop) == ("one", FinishReason.END)


def test_parts_without_a_neutral_word_are_kept_as_items() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "c2ln"}
    reply = WIRE.parse(STREAM, event(answer({"text": "a"}, code, {"text": "b"}, {"text": ""})))
    assert reply.items == ({"text": "a"}, code, {"text": "b"})
    assert reply.turn.parts == (Text("a"), Text("b"))


def test_snake_case_is_the_same_and_urlsafe_signatures_are_too() -> None:
    signed = {"function_call": {"name": "f", "args": {}}, "thought_signature": "-_-_"}
    reply = WIRE.parse(JSON, json.dumps(answer(signed)).encode())
    assert reply.turn.parts == (Call("f", "{}", "", "+/+/"),)
    assert reply.items == ({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "-_-_"},)


def test_usage_counts_thoughts_as_output_and_tool_prompts_as_input() -> None:
    counts = {
        "promptTokenCount": 10,
        "toolUsePromptTokenCount": 4,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "cachedContentTokenCount": 1,
    }
    reply = WIRE.parse(STREAM, event({**answer({"text": "a"}), "usageMetadata": counts}))
    assert reply.turn.usage == Usage(14, 5, 2, 1)
    assert WIRE.parse(STREAM, event(answer({"text": "a"}))).turn.usage == Usage(0, 0)


@pytest.mark.parametrize(
    ("reason", "stop", "failed"),
    [
        ("STOP", FinishReason.END, False),
        (1, FinishReason.END, False),
        (2, FinishReason.MAX_TOKENS, False),
        ("MAX_TOKENS", FinishReason.MAX_TOKENS, False),
        ("SAFETY", FinishReason.CONTENT_FILTER, False),
        ("RECITATION", FinishReason.CONTENT_FILTER, False),
        ("MODEL_ARMOR", FinishReason.CONTENT_FILTER, False),
        ("PROHIBITED_CONTENT", FinishReason.REFUSAL, False),
        ("MALFORMED_FUNCTION_CALL", FinishReason.END, True),
        ("UNEXPECTED_TOOL_CALL", FinishReason.END, True),
        ("MISSING_THOUGHT_SIGNATURE", FinishReason.END, True),
        ("NEVER_SEEN", FinishReason.END, True),
    ],
)
def test_finish_reasons(reason: Any, stop: FinishReason, failed: bool) -> None:
    turn = WIRE.parse(STREAM, event(answer({"text": "a"}, finishReason=reason))).turn
    assert (turn.stop, turn.error is not None) == (stop, failed)


@pytest.mark.parametrize("reason", ["STOP", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])
def test_calls_that_came_are_to_be_answered(reason: str) -> None:
    turn = WIRE.parse(STREAM, event(answer({"functionCall": {"name": "f"}}, finishReason=reason))).turn
    assert (turn.stop, turn.error, turn.calls) == (FinishReason.TOOL_CALLS, None, (Call("f", "{}", ""),))


def test_an_error_without_a_code_is_still_an_error() -> None:
    assert WIRE.parse(STREAM, event({"error": "boom"})).turn.error == StreamError("server_error", "boom")
    assert WIRE.parse(JSON, b'{"error": {"message": "m"}}').turn.error == StreamError("server_error", "m")


def test_calls_without_arguments() -> None:
    parts = [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "g", "args": None}}]
    assert [call.arguments for call in WIRE.parse(STREAM, event(answer(*parts))).turn.calls] == ["{}", "{}"]
    assert CALL.arguments != "{}"

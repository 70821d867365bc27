"""The renderer against the official SDK's models, and against the recorded shapes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from syrupy.assertion import SnapshotAssertion

from harness.wire import (
    Call,
    FinishReason,
    Identity,
    IssuedState,
    Rendered,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness.wire.gemini_generate import WIRE
from tests.sdks import genai
from tests.wire.gemini_generate.samples import (
    BROKEN,
    CALL,
    STREAM_PATH,
    TURNS,
    WHOLE_PATH,
    conversation,
    user,
)
from tests.wire.gemini_generate.sdk import responses_of
from tests.wire.spoken import any_turn

pytestmark = pytest.mark.anyio


def rendered(turn: Turn, *, path: str = STREAM_PATH, seed: str = "case") -> Rendered:
    return WIRE.render(turn, Identity(seed), conversation(path=path))


@pytest.mark.parametrize(
    ("kind", "code", "status"),
    [
        ("overloaded", 503, "UNAVAILABLE"),
        ("server_error", 500, "INTERNAL"),
        ("rate_limit", 429, "RESOURCE_EXHAUSTED"),
        ("context_length", 400, "INVALID_ARGUMENT"),
    ],
)
async def test_the_sdk_raises_an_error_in_the_stream(kind: Any, code: int, status: str) -> None:
    answer = rendered(Turn((Text("The"),), error=StreamError(kind)))
    with pytest.raises(genai.errors.APIError) as raised:
        await responses_of(answer.frames)
    assert (raised.value.code, raised.value.status) == (code, status)
    assert answer.reply.turn.error is not None
    assert answer.reply.turn.error.message == raised.value.message


# --- every event by itself ---------------------------------------------------------------------------------


def chunks(answer: Rendered) -> list[Any]:
    return [json.loads(frame.removeprefix(b"data: ")) for frame in answer.frames]


@pytest.mark.parametrize("name", TURNS)
def test_every_event_is_valid_by_itself(name: str) -> None:
    """``serviceTier`` is sent by the API and unknown to the SDK's model, which forbids what it does not know."""
    for chunk in chunks(rendered(TURNS[name])):
        if "error" not in chunk:
            assert chunk["usageMetadata"].pop("serviceTier") == "standard"
            genai.types.GenerateContentResponse.model_validate(chunk)


def test_an_invalid_event_would_be_seen() -> None:
    chunk = chunks(rendered(TURNS["call"]))[0]
    del chunk["usageMetadata"]["serviceTier"]
    chunk["candidates"][0]["content"]["parts"][0]["functionCall"]["arguments"] = "{}"
    with pytest.raises(ValueError, match="arguments"):
        genai.types.GenerateContentResponse.model_validate(chunk)


def test_the_framing_is_the_servers() -> None:
    answer = rendered(TURNS["mixed"])
    assert answer.content_type == "text/event-stream"
    for frame in answer.frames:
        assert frame.startswith(b"data: {")
        assert frame.endswith(b"}\r\n\r\n")
        assert frame.count(b"\n") == 2
    assert [bool(chunk["candidates"][0].get("finishReason")) for chunk in chunks(answer)] == [
        *[False] * (len(answer.frames) - 1),
        True,
    ]
    assert len({chunk["responseId"] for chunk in chunks(answer)}) == 1


def test_markup_is_escaped_as_the_server_does_and_surrogates_stay_escapes() -> None:
    body = rendered(Turn((Text("<b>😀"),), deltas="utf16")).body
    assert b"\\u003cb" not in body
    assert b"\\u003c" in body
    assert b"\\u003e" in body
    assert b"\\ud83d" in body
    assert b"\\ude00" in body


EXAMPLES = {
    "gem-text.sse": Turn((Text("The capital is Paris."),), usage=Usage(29, 81, 69)),
    "gem-thought-text.sse": Turn((ThinkingPart("Consider."), Text("Paris.")), usage=Usage(29, 81, 69)),
    "gem-tool.sse": Turn((CALL,), usage=Usage(29, 81, 69)),
    "gem-parallel.sse": Turn((CALL, CALL), usage=Usage(29, 81, 69), deltas="whole"),
    "gem-parallel-split.sse": Turn((CALL, CALL), usage=Usage(29, 81, 69)),
    "gem-text-tool.sse": Turn((Text("Let me look."), CALL), usage=Usage(29, 81, 69)),
    "gem-max-tokens.sse": Turn((Text("Once upon a"),), stop=FinishReason.MAX_TOKENS, usage=Usage(29, 81, 69)),
    "gem-error-midstream-data.sse": Turn((Text("The"),), error=StreamError(), usage=Usage(29, 81, 69)),
}


def shape(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all keys; list indices do not count, and arguments are the tool's own."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield f"{path}.{key}"
            if key != "args":
                yield from shape(member, f"{path}.{key}")
    elif isinstance(value, list):
        for member in value:
            yield from shape(member, path)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_keys_are_those_of_the_example(name: str, shared: Path) -> None:
    body = (shared / "wire/examples" / name).read_bytes()
    example = {key for line in body.splitlines() if line for key in shape(json.loads(line.removeprefix(b"data: ")))}
    ours = {key for chunk in chunks(rendered(EXAMPLES[name])) for key in shape(chunk)}
    # Some examples leave out the message that a call turn ends with; the recordings have it.
    assert ours - {".candidates.finishMessage"} == example - {".candidates.finishMessage"}


# --- ids and signatures ------------------------------------------------------------------------------------


def test_ids_are_fresh_given_or_left_out() -> None:
    turn = Turn(
        (Call("f", "{}"), Call("f", "{}"), Call("f", "{}", id=""), Call("f", "{}", id="x"), Call("f", "{}", "x"))
    )
    answer = rendered(turn)
    natives = [part["functionCall"] for part in answer.reply.items]
    first, second = natives[0]["id"], natives[1]["id"]
    assert first != second
    assert all(len(one) == 8 and one.isalnum() and one == one.lower() for one in (first, second))
    assert "id" not in natives[2]
    assert [native["id"] for native in natives[3:]] == ["x", "x"]
    assert [call.id for call in answer.reply.turn.calls] == [first, second, "", "x", "x"]


@pytest.mark.parametrize("path", [STREAM_PATH, WHOLE_PATH])
def test_arguments_without_a_text_are_left_out_and_read_as_an_empty_object(path: str) -> None:
    """So did Google answer for a function without parameters: recording google-stream-no-args-tool-call."""
    for arguments, said in (("", False), ("{}", True)):
        answer = rendered(Turn((Call("now", arguments),), stop=FinishReason.TOOL_CALLS), path=path)
        assert (b'"args"' in answer.body) is said
        assert [call.arguments for call in answer.reply.turn.calls] == ["{}"]


def test_only_the_first_call_is_signed_and_a_text_answer_at_its_end() -> None:
    calls = rendered(TURNS["parallel"]).reply.items
    assert ["thoughtSignature" in part for part in calls] == [True, False]
    text = rendered(TURNS["text"]).reply.items
    assert text[-1].keys() == {"text", "thoughtSignature"}
    assert text[-1]["text"] == ""
    assert not any("thoughtSignature" in part for part in text[:-1])
    document = rendered(TURNS["text"], path=WHOLE_PATH).reply.items
    assert [part.keys() for part in document] == [{"text", "thoughtSignature"}]


def test_two_cases_share_nothing_and_one_case_repeats_itself() -> None:
    assert rendered(TURNS["parallel"]).frames == rendered(TURNS["parallel"]).frames
    one, other = rendered(TURNS["parallel"]).reply, rendered(TURNS["parallel"], seed="other").reply
    assert one.id != other.id
    assert one.items[0]["thoughtSignature"] != other.items[0]["thoughtSignature"]
    assert not {call.id for call in one.turn.calls} & {call.id for call in other.turn.calls}


# --- the reply is what the bytes say -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_arguments_that_this_wire_cannot_say_are_an_error(name: str) -> None:
    assert rendered(TURNS[name]).reply.turn.error is not None


_WITHOUT_END = ["eof", "eof-in-calls", "eof-at-once"]


@pytest.mark.parametrize("name", _WITHOUT_END)
def test_a_document_has_no_end_that_could_be_missing(name: str) -> None:
    answer = rendered(TURNS[name], path=WHOLE_PATH)
    assert answer.reply.complete
    assert json.loads(answer.body)["candidates"][0]["finishReason"] == "STOP"


@settings(max_examples=40, deadline=None)
@given(any_turn)
def test_what_is_sent_back_breaks_no_rule(turn: Turn) -> None:
    """A loop that gives every item back, and answers every call, is accepted."""
    sent, asked = IssuedState(), conversation()
    reply = rendered(turn).reply
    sent.add(asked, reply)
    if any("functionCall" in part and not part["functionCall"]["name"] for part in reply.items):
        return
    history = (
        [user("hi"), {"role": "model", "parts": copy.deepcopy(list(reply.items))}] if reply.items else [user("hi")]
    )
    answers = [_answer(part["functionCall"]) for part in reply.items if "functionCall" in part]
    contents = [*history, {"role": "user", "parts": answers or [{"text": "go on"}]}]
    assert WIRE.violations(conversation(contents), sent) == []


def _answer(call: Any) -> Any:
    named = {"name": call["name"], "response": {"output": 1}}
    return {"functionResponse": {**named, "id": call["id"]} if "id" in call else named}


@pytest.mark.parametrize(
    "name",
    ["text", "thinking", "parallel", "parallel-whole", "max-tokens", "content-filter-empty", "overloaded", "eof"],
)
def test_frames(name: str, snapshot: SnapshotAssertion) -> None:
    assert [repr(frame) for frame in rendered(TURNS[name]).frames] == snapshot

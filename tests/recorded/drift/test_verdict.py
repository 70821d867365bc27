"""A renderer that is broken on purpose is found, a recording with something new is told, no reason goes stale."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest

from harness.cassette.forms import Response
from harness.imports.comparison import Reason
from harness.wire import NativeWireName
from harness.wire.aws_events import frames, in_frame
from harness.wire.bedrock_converse.stream import event
from harness_lab.recorded.drift import (
    ServedShapes,
    Server,
    Shapes,
    feature,
    judge,
    known,
    of_recordings,
    of_sample,
    report,
    sample,
    served_shapes,
)
from harness_lab.recorded.reading.servers import MAKERS
from tests.recorded.drift.responses import Change, against_itself, recorded, small


def in_streams(change: Callable[[bytes], bytes]) -> Change:
    def changed(response: Response) -> Response:
        return replace(response, body=change(response.body)) if response.streamed else response

    return changed


def in_events(change: Callable[[bytes], bytes]) -> Change:
    """A change of what events say; a frame of AWS says its length in front and has a checksum behind."""

    def changed(body: bytes) -> bytes:
        if not body.startswith(b"\x00"):
            return change(body)
        return b"".join(in_frame(each.headers, change(each.payload)) for each in frames(body))

    return in_streams(changed)


def replacing(old: bytes, new: bytes) -> Change:
    return in_events(lambda body: re.sub(old, new, body))


def with_frame_first(frame: bytes) -> Change:
    return in_streams(lambda body: frame + body)


def with_frames_swapped(body: bytes) -> bytes:
    whole = re.findall(rb".+?(?:\r\n\r\n|\n\n)", body, re.DOTALL)
    if body.startswith(b"\x00"):
        whole = [in_frame(each.headers, each.payload) for each in frames(body)]
    return b"".join([*whole[1:2], *whole[:1], *whole[2:]])


def unreal(wire: NativeWireName, rendering: Change) -> list[str]:
    """What is found in the name of the wire's maker."""
    first = against_itself(wire, rendering=rendering)[0]
    return [each.place for each in judge(first, known=()).unreal.differences]


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_what_is_rendered_as_it_was_recorded_has_no_drift(wire: NativeWireName) -> None:
    for comparison in against_itself(wire):
        verdict = judge(comparison, known=())
        assert verdict.sound
        assert verdict.unrendered.verdict == "agrees"


RENAMED: dict[NativeWireName, tuple[bytes, bytes, str]] = {
    "openai-responses": (b'"output_index"', b'"place"', "stream | response.output_text.delta/place: number"),
    "openai-chat": (b'"finish_reason"', b'"end"', "stream | content/choices[].end: null"),
    "anthropic-messages": (b'"stop_reason"', b'"why"', "stream | message_delta/delta.why: text"),
    "gemini-generate": (b'"finishReason"', b'"end"', "stream | response/candidates[].end: text"),
    "bedrock-converse": (b'"stopReason"', b'"why"', "stream | messageStop/messageStop.why: text"),
    "gemini-interactions": (b'"signature"', b'"proof"', "stream | step.delta/delta<thought_signature>.proof: text"),
}


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_a_renamed_member_is_found(wire: NativeWireName) -> None:
    old, new, shape = RENAMED[wire]
    assert shape in unreal(wire, replacing(old, new))


RETYPED: dict[NativeWireName, tuple[bytes, str]] = {
    "openai-responses": (rb'"sequence_number":(\d+)', "stream | response.created/sequence_number: text"),
    "openai-chat": (rb'"created":(\d+)', "stream | role/created: text"),
    "anthropic-messages": (rb'"index":(\d+)', "stream | content_block_stop/index: text"),
    "gemini-generate": (rb'"index": (\d+)', "stream | response/candidates[].index: text"),
    "bedrock-converse": (
        rb'"contentBlockIndex":(\d+)',
        "stream | contentBlockStop/contentBlockStop.contentBlockIndex: text",
    ),
    "gemini-interactions": (rb'"index":(\d+)', "stream | step.stop/index: text"),
}


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_a_changed_type_is_found(wire: NativeWireName) -> None:
    pattern, shape = RETYPED[wire]
    found = unreal(wire, in_events(lambda body: re.sub(pattern, _as_text, body)))
    assert shape in found
    assert all(": text" in each for each in found)


def _as_text(match: re.Match[bytes]) -> bytes:
    name, _, number = match[0].partition(b":")
    return name + b':"' + number.strip() + b'"'


EXTRA: dict[NativeWireName, tuple[bytes, str]] = {
    "openai-responses": (b'data: {"type":"hello"}\n\n', "stream | hello -> response.created"),
    "openai-chat": (b'data: {"choices":[{"delta":{"hello":"x"}}]}\n\n', "stream | (start) -> hello"),
    "anthropic-messages": (b'event: hello\ndata: {"type":"hello"}\n\n', "stream | event: hello"),
    "gemini-generate": (
        b'data: {"candidates":[{"content":{"parts":[{"hello":"x"}]}}]}\r\n\r\n',
        "stream | response/candidates[].content.parts[]<hello>.hello: text",
    ),
    "bedrock-converse": (event("hello", {}), "stream | hello -> messageStart"),
    "gemini-interactions": (
        b'event: hello\ndata: {"event_type":"hello"}\n\n',
        "stream | hello -> interaction.created",
    ),
}


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_an_event_too_many_is_found(wire: NativeWireName) -> None:
    frame, shape = EXTRA[wire]
    assert shape in unreal(wire, with_frame_first(frame))


SWAPPED: dict[NativeWireName, str] = {
    "openai-responses": "stream | (start) -> response.in_progress",
    "openai-chat": "stream | (start) -> content",
    "anthropic-messages": "stream | content_block_start text -> message_start",
    "gemini-generate": "stream | functionCall -> (end)",
    "bedrock-converse": "stream | (start) -> contentBlockDelta",
    "gemini-interactions": "stream | (start) -> interaction.status_update",
}


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_events_in_the_wrong_order_are_found(wire: NativeWireName) -> None:
    found = unreal(wire, in_streams(with_frames_swapped))
    assert SWAPPED[wire] in found
    assert all(" -> " in each for each in found)


@pytest.mark.parametrize("wire", tuple(MAKERS))
def test_a_header_of_its_own_is_found(wire: NativeWireName) -> None:
    found = unreal(wire, lambda response: replace(response, headers={**response.headers, "x-harness": "1"}))
    assert found == ["document headers | x-harness", "error headers | x-harness", "stream headers | x-harness"]


@pytest.mark.exhaustive
def test_the_renderers_themselves_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = import_module("harness.wire.anthropic_messages.render")
    before = _unreal_in_the_sample()
    monkeypatch.setattr(renderer, "_MESSAGE_STOP", b'event: message_stop\ndata: {"type":"message_stop","why":null}\n\n')
    assert _unreal_in_the_sample() - before == {"stream | message_stop/why: null"}


def _unreal_in_the_sample() -> set[str]:
    """What the whole sample has and the small one, taken for recordings, has not: the tools of the provider."""
    recordings = of_recordings(recorded(small("anthropic-messages")))
    ours = of_sample(each for each in sample("anthropic-messages") if each.whole)
    (comparison,) = served_shapes("anthropic-messages", ours, recordings)
    return {each.place for each in judge(comparison, known=()).unreal.differences}


# --- recordings ---------------------------------------------------------------------------------------------


def test_a_recording_with_something_new_is_told() -> None:
    news = with_frame_first(b'event: hello\ndata: {"type":"hello"}\n\n')
    (comparison,) = against_itself("anthropic-messages", recording=news)
    verdict = judge(comparison)
    assert [each.place for each in verdict.unrendered.differences] == [
        "stream | (start) -> hello",
        "stream | event: hello",
        "stream | hello -> message_start",
        "stream | hello/type: text",
    ]
    assert any("not explained  stream | event: hello" in line for line in report([verdict]))


def test_a_feature_explains_what_is_not_rendered() -> None:
    (comparison,) = against_itself(
        "anthropic-messages", recording=with_frame_first(b'event: hello\ndata: {"type":"hello"}\n\n')
    )
    greetings = ("greetings", "Nobody waits for one.", ("stream | *hello*",))
    verdict = judge(comparison, features=[feature(*greetings)])
    assert [(each.name, len(shapes)) for each, shapes in verdict.unrendered.explained] == [("greetings", 4)]
    assert not verdict.unrendered.differences
    assert judge(comparison, features=[feature(*greetings, server="openai")]).unrendered.differences


def test_a_form_of_which_little_was_recorded_is_not_judged() -> None:
    spoilt = with_frame_first(b"data: {}\n\n")
    ours = of_sample(replace(each, response=spoilt(each.response)) for each in small("gemini-generate"))
    few = recorded([each for each in small("gemini-generate") if each.response.streamed][:9])
    (comparison,) = served_shapes("gemini-generate", ours, of_recordings(few))
    verdict = judge(comparison)
    assert comparison.judged == ()
    assert verdict.sound
    assert any("not judged, for want of 10 recordings: stream, document, error" in line for line in report([verdict]))


def test_what_only_other_servers_send_is_unreal_and_told_so() -> None:
    chat = [each for each in small("openai-chat") if each.server == "openai"]
    others = [replace(each, server="another") for each in recorded(chat)]
    mine = [each for each in recorded(chat) if b"tool_calls" not in each.response.body]
    (comparison,) = served_shapes("openai-chat", of_sample(chat), of_recordings([*mine, *others]))
    lines = list(report([judge(comparison, known=())]))
    at = next(
        number for number, line in enumerate(lines) if "NEVER REAL  document | choices[].message.tool_calls" in line
    )
    assert re.search(r"times, first for: a call, whole; \d+ recordings of other servers have it", lines[at + 1])


# --- reasons ------------------------------------------------------------------------------------------------


def signing(
    *patterns: str, wire: NativeWireName = "gemini-generate", server: Server = "gemini"
) -> Reason[ServedShapes]:
    return known(wire, server, patterns, "We sign our answers.", "this test")


def signed(response: Response) -> Response:
    return replace(response, headers={**response.headers, "x-harness": "1"})


def judged(served: ServedShapes, *reasons: Reason[ServedShapes]) -> tuple[int, int, list[str], bool]:
    unreal = judge(served, reasons).unreal
    excused = sum(len(shapes) for _, shapes in unreal.explained)
    return len(unreal.differences), excused, [pattern for _, pattern in unreal.stale], unreal.sound


def test_a_known_shape_is_no_drift() -> None:
    (comparison,) = against_itself("gemini-generate", rendering=signed)
    assert judged(comparison) == (3, 0, [], False)
    assert judged(comparison, signing("stream headers | x-harness")) == (2, 1, [], False)
    three = tuple(f"{form} headers | x-harness" for form in ("stream", "document", "error"))
    assert judged(comparison, signing(*three)) == (0, 3, [], True)


@pytest.mark.parametrize(
    "other",
    [
        signing("stream headers | x-harness", wire="openai-chat"),
        signing("stream headers | x-harness", server="deepseek"),
    ],
)
def test_a_reason_is_one_servers_alone(other: Reason[ServedShapes]) -> None:
    (comparison,) = against_itself("gemini-generate", rendering=signed)
    assert judged(comparison, other) == (3, 0, [], False)


def test_a_reason_that_nothing_needs_is_an_error() -> None:
    (comparison,) = against_itself("gemini-generate")
    stale = signing("stream headers | x-harness")
    assert judged(comparison, stale) == (0, 0, ["stream headers | x-harness"], False)
    lines = "\n".join(report([judge(comparison, [stale])]))
    assert "NO LONGER NEEDED  stream headers | x-harness" in lines
    assert "We sign our answers." in lines


def test_a_reason_is_not_stale_where_nothing_could_be_judged() -> None:
    (comparison,) = served_shapes("gemini-generate", of_sample(small("gemini-generate")), {})
    assert comparison.recorded == Shapes()
    assert judged(comparison, signing("stream headers | x-harness")) == (0, 0, [], True)

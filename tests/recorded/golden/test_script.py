"""A script as frames: the recorded chunks and no others, and what our parsers read back from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.wire import Call, FinishReason, Identity, Reply, Text, ThinkingPart, WireName, wire
from harness.wire.sse import parse_events
from harness_lab.recorded.golden.script import as_streamed, turn_of
from harness_lab.recorded.reading.golden import read_runs
from harness_lab.recorded.run import ModelAnswer
from tests.recorded.golden.recordings import ARGUMENTS, call, read, run_of, text

Json = dict[str, Any]

PROVIDERS: dict[WireName, str] = {
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
}


def streamed(tmp_path: Path, wire_name: WireName, *parts: Json, **members: Any) -> tuple[list[Json], Reply]:
    """The documents of the frames, and the reply that they say."""
    recording = read(tmp_path, run_of([{"parts": list(parts), **members}], provider=PROVIDERS[wire_name]))
    answer = recording.script[0]
    assert isinstance(answer, ModelAnswer)
    speaker = wire(wire_name)
    route = speaker.route("POST", recording.exchanges[0].url)
    assert route is not None
    body = b'{"stream": true, "messages": [], "input": [], "contents": []}'
    rendered = speaker.render(turn_of(answer, wire_name), Identity("test"), speaker.read(route, body))
    frames = as_streamed(rendered.frames, answer, wire_name)
    documents = [json.loads(event.data) for frame in frames for event in parse_events(frame)]
    assert len(documents) == len(frames)
    return documents, speaker.parse(rendered.content_type, b"".join(frames))


def pieces(documents: list[Json]) -> list[str]:
    """The pieces of text and arguments that are not empty, in order."""
    found: list[str] = []
    for document in documents:
        delta = document.get("delta")
        if isinstance(delta, str):
            found.append(delta)
        elif isinstance(delta, dict):
            found.append(delta.get("text") or delta.get("thinking") or delta.get("partial_json") or "")
        for candidate in document.get("candidates", ()):
            found += [part.get("text", "") for part in candidate["content"].get("parts", ())]
    return [piece for piece in found if piece]


THOUGHT = {"kind": "thinking", "chunks": ["Let ", "me ", "see."]}


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_chunks_are_those_of_the_recording(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, THOUGHT, text("A ", "page."), call(*ARGUMENTS))
    arguments = [] if name == "gemini-generate" else ARGUMENTS
    assert pieces(documents) == ["Let ", "me ", "see.", "A ", "page.", *arguments]
    assert reply.complete
    assert [type(part) for part in reply.turn.parts] == [ThinkingPart, Text, Call]
    assert reply.turn.text == "A page."
    assert [(each.name, each.id, json.loads(each.arguments)) for each in reply.turn.calls] == [
        ("create_file", "call_1", {"content": "<html><p>Hi</p></html>"})
    ]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(("finish", "stop"), [("length", FinishReason.MAX_TOKENS), ("stop", FinishReason.END)])
def test_why_the_turn_ended(name: WireName, finish: str, stop: FinishReason, tmp_path: Path) -> None:
    _, reply = streamed(tmp_path, name, text("A ", "page."), finish=finish)
    assert (reply.turn.stop, reply.turn.text, reply.complete) == (stop, "A page.", True)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_turn_that_says_nothing(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name)
    assert documents
    assert (reply.turn.parts, reply.complete) == ((), True)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_text_that_is_empty(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, text(""), text("A ", "page."), call(*ARGUMENTS))
    assert pieces(documents)[:2] == ["A ", "page."]
    assert [each.name for each in reply.turn.calls] == ["create_file"]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("id", [None, "", "dup"])
def test_ids_as_the_model_sent_them(name: WireName, id: str | None, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, call("{}", id=id), call("{}", id=id, name="edit_file"))
    assert [each.id or "" for each in reply.turn.calls] == [id or ""] * 2
    sent = json.dumps(documents)
    assert ('"id": ""' in sent or '"call_id": ""' in sent) is (id == "")


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_call_without_a_name(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, call("{}", name=None))
    assert len(reply.turn.calls) == 1
    assert not reply.turn.calls[0].name
    assert '"name": ""' not in json.dumps(documents)


@pytest.mark.parametrize("name", PROVIDERS)
def test_arguments_that_arrive_in_one_piece(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, text("A ", "page."), call(*ARGUMENTS), no_deltas=True)
    assert pieces(documents) == ["A ", "page."]
    assert json.loads(reply.turn.calls[0].arguments) == {"content": "<html><p>Hi</p></html>"}


def test_several_events_are_left_out_on_openai(tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, "openai-responses", call(*ARGUMENTS), no_added=True)
    kinds = [document["type"] for document in documents]
    assert "response.output_item.added" not in kinds
    assert "response.output_item.done" in kinds
    assert [document["sequence_number"] for document in documents] == list(range(len(documents)))
    assert len(reply.turn.calls) == 1
    documents, _ = streamed(tmp_path, "openai-responses", call(*ARGUMENTS, unfinished=True), finish="length")
    kinds = [document["type"] for document in documents]
    assert "response.function_call_arguments.delta" in kinds
    assert "response.function_call_arguments.done" not in kinds
    assert "response.output_item.done" not in kinds
    documents, _ = streamed(tmp_path, "openai-responses", call(*ARGUMENTS, unfinished="item_done"), finish="length")
    assert "response.output_item.done" in [document["type"] for document in documents]


def test_how_a_response_ends_on_openai(tmp_path: Path) -> None:
    _, reply = streamed(tmp_path, "openai-responses", text("x"), openai_terminal="none")
    assert (reply.complete, reply.turn.error) == (False, None)
    _, reply = streamed(tmp_path, "openai-responses", text("x"), openai_terminal="failed")
    assert reply.turn.error is not None


def test_a_pause_is_the_recorded_text_and_nothing_more(tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, "anthropic-messages", text("half"), finish="pause")
    assert (reply.turn.stop, reply.turn.parts) == (FinishReason.PAUSE, (Text("half"),))
    assert "server_tool_use" not in json.dumps(documents)[: json.dumps(documents).index("message_delta")]


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_connection_that_breaks(name: WireName, tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, name, text("A ", "page."), cut_after=1)
    assert len(documents) == 1
    assert not reply.complete


def test_arguments_that_gemini_would_not_send(tmp_path: Path) -> None:
    documents, reply = streamed(tmp_path, "gemini-generate", call("[1, ", "2]", args_obj=[1, 2]))
    (native,) = [part for part in documents[0]["candidates"][0]["content"]["parts"] if "functionCall" in part]
    assert native["functionCall"]["args"] == [1, 2]
    assert reply.complete


def test_a_signature_of_the_script(tmp_path: Path) -> None:
    _, reply = streamed(tmp_path, "gemini-generate", call("{}", signature="++//+/8="))
    assert reply.turn.calls[0].signature == "++//+/8="


def test_every_shared_script_is_read_back_as_it_was_written(shared: Path) -> None:
    """Parsers that know nothing of scripts find the same parts; what is never closed they find as far as it came."""
    for recording in read_runs(shared / "golden" / "screenshot-to-code"):
        speaker = wire(recording.wire)
        route = speaker.route("POST", recording.exchanges[0].url)
        assert route is not None
        conversation = speaker.read(route, b'{"stream": true, "messages": [], "input": [], "contents": []}')
        for answer in recording.script:
            if not isinstance(answer, ModelAnswer) or answer.cut_after is not None:
                continue
            rendered = speaker.render(turn_of(answer, recording.wire), Identity("test"), conversation)
            body = b"".join(as_streamed(rendered.frames, answer, recording.wire))
            reply = speaker.parse(rendered.content_type, body)
            scripted = [part.text for part in answer.parts if part.kind != "tool"]
            assert [part.text for part in reply.turn.parts if not isinstance(part, Call)] == scripted, recording.name
            assert [_arguments(each.arguments) for each in reply.turn.calls] == [
                _arguments(part.text) for part in answer.parts if part.kind == "tool"
            ], recording.name


def _arguments(text: str) -> Any:
    """JSON, for Gemini sends no text; and null is what is left of a call without arguments."""
    try:
        return json.loads(text) or {}
    except ValueError:
        return text

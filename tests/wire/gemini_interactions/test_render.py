"""Answers in both forms: the bytes of the proven bodies; the wire and the SDK read back what the wire writes."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.wire import Call, FinishReason, Identity, StreamError, Text, ThinkingPart, Turn, Usage, wire
from harness.wire.sse import parse_events
from harness.wire.turn import Deltas, NativePiece
from tests.wire.gemini_interactions.sdk import assembled, client, ok, streamed, whole
from tests.wire.spoken import CALL, DELTAS
from tests.wire.spoken import TURNS as COMMON
from tests.wire.spoken import asked as asked_of

WIRE = wire("gemini-interactions")
EXAMPLES = Path("wire") / "examples" / "interactions"

_SEARCH = {"id": "7xveqyd2", "signature": "EpwC", "type": "google_search_call", "arguments": {"queries": ["tides"]}}
_FOUND = {"call_id": "7xveqyd2", "signature": "CqQB", "type": "google_search_result", "result": [], "is_error": False}
_CITED = {"annotations": [{"type": "url_citation", "url": "https://tides.example", "title": "Tides"}]}
_PICTURE = {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="}
TURNS = {
    **COMMON,
    "a search": Turn(
        (Text("It is the harbour.", members=_CITED), CALL),
        FinishReason.TOOL_CALLS,
        natives=(NativePiece(0, _SEARCH), NativePiece(0, _FOUND)),
    ),
    "a search alone": Turn((), natives=(NativePiece(0, _SEARCH), NativePiece(0, _FOUND))),
    "a picture": Turn(
        (Text("Here it is."),),
        natives=(NativePiece(1, {"type": "model_output", "content": [_PICTURE]}),),
    ),
    "a piece": Turn((Text("The tables begin"),), FinishReason.PAUSE),
}


asked = partial(asked_of, WIRE.name)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("deltas", DELTAS)
@pytest.mark.parametrize("name", TURNS)
def test_what_is_written_has_all_that_the_turn_has(name: str, deltas: Deltas, stream: bool) -> None:
    turn = replace(TURNS[name], deltas=deltas)
    answer = WIRE.render(turn, Identity("a case"), asked(stream=stream))
    read = WIRE.parse(answer.content_type, answer.body)
    assert read == answer.reply
    assert (read.turn.text, read.turn.stop, len(read.turn.calls)) == (turn.text, turn.stop, len(turn.calls))
    assert bool(read.continuation) is (turn.stop is FinishReason.PAUSE)
    natives = [dict(piece.native) for piece in turn.natives]
    assert [item for item in read.items if item in natives] == natives
    thoughts = [part for part in read.turn.parts if isinstance(part, ThinkingPart)]
    assert len(thoughts) == min(1, len(turn.pieces)) if name != "silent" else 2
    assert all(part.signature for part in thoughts)


def test_a_model_that_is_not_known_to_sign_has_no_thought_of_its_own() -> None:
    older = replace(asked(stream=True), model="gemini-2.5-flash")
    assert WIRE.render(TURNS["text"], Identity("a"), older).reply.turn.parts == TURNS["text"].parts


# --- the bytes of the wire document -----------------------------------------------------------------------------

SIGNATURE = "EpwCCpkCAQw51sdT0aLk3Hq7uX2bW8yJ+Zr1pQ/4mN6v0c9dSgHk5Ff2xB7tYw=="
SPENT = Usage(29, 81, 69)
THOUGHT = ThinkingPart(form="omitted", signature=SIGNATURE)
PROVEN = {
    "int-01-text": Turn((THOUGHT, Text("The capital is Paris.")), usage=SPENT),
    "int-02-thought-summary": Turn(
        (ThinkingPart("**Considering**\n\nThe user asks for a capital.\n\n\n", signature=SIGNATURE), Text("Paris.")),
        usage=SPENT,
        deltas="whole",
    ),
    "int-03-tool": Turn(
        (THOUGHT, Call("read_file", '{"path":"src/app.py"}', "61nzpsv4")), FinishReason.TOOL_CALLS, SPENT
    ),
    "int-05-search-then-tool": Turn(
        (
            ThinkingPart(form="omitted", signature="CqQBAQw51sfZ8kQm1vN0+yT3pLr6sXw/7dGhJb2cEoIu5aKf9zVq4MtRnHxW=="),
            Call("get_weather", '{"city":"Utqiagvik"}', "q8r1t5zz"),
        ),
        FinishReason.TOOL_CALLS,
        Usage(29, 81, 69),
        natives=(
            NativePiece(
                0,
                {
                    "id": "7xveqyd2",
                    "signature": SIGNATURE,
                    "type": "google_search_call",
                    "arguments": {"queries": ["northernmost US city"]},
                },
            ),
            NativePiece(
                0,
                {
                    "call_id": "7xveqyd2",
                    "signature": "",
                    "type": "google_search_result",
                    "result": [{"search_suggestions": "<div></div>"}],
                },
            ),
        ),
    ),
    "int-06-error-midstream": Turn((Text("The capital"),), error=StreamError("overloaded"), deltas="whole"),
    "int-08-continuation-hop1": Turn((THOUGHT, Text("Part one, ")), FinishReason.PAUSE, SPENT, deltas="whole"),
    "int-07-incomplete": Turn((THOUGHT, Text("The capital")), FinishReason.MAX_TOKENS, SPENT, deltas="whole"),
}


_MADE_UP = ("id", "interaction_id", "created", "updated", "continuation_token")


def _without_what_is_made_up(body: bytes) -> list[Any]:
    """The frames with ids and times blank, and the pieces of one step joined: how it is cut is free."""
    frames: list[Any] = []
    for event in parse_events(body):
        if event.data == "[DONE]":
            frames.append((event.event, event.data))
            continue
        data = json.loads(event.data)
        for holder in (data, data.get("interaction", {})):
            holder.update({name: "" for name in _MADE_UP if name in holder})
        previous = frames[-1][1] if frames and isinstance(frames[-1][1], dict) else {}
        delta = data.get("delta", {})
        member = "text" if "text" in delta else "arguments"
        if member in delta and previous.get("delta", {}).get("type") == delta["type"]:
            previous["delta"][member] += delta[member]
        else:
            frames.append((event.event, data))
    return [(name, json.dumps(data)) for name, data in frames]


@pytest.mark.parametrize("name", PROVEN)
def test_a_stream_is_written_as_the_proven_one(shared: Path, name: str) -> None:
    """Byte by byte, the order of the keys too, but for ids, times, and where texts are cut."""
    proven = (shared / EXAMPLES / f"{name}.sse").read_bytes()
    turn = PROVEN[name]
    speaks = asked(stream=True)
    if turn.error is not None:
        speaks = replace(speaks, model="gemini-2.5-flash")  # the proven one has no thought
    written = WIRE.render(turn, Identity("a case"), speaks).body.replace(b"gemini-2.5-flash", b"gemini-3.8-flash")
    assert _without_what_is_made_up(written) == _without_what_is_made_up(proven)
    assert b"\r" not in written


def test_a_document_is_written_as_the_proven_one(shared: Path) -> None:
    proven = json.loads((shared / EXAMPLES / "int-10-parallel.json").read_bytes())
    calls = Call("list_files", '{"path":"src"}', "61nzpsv4"), Call("read_file", '{"path":"src/app.py"}', "k2m9x0aa")
    turn = Turn((THOUGHT, *calls), FinishReason.TOOL_CALLS, SPENT)
    written = json.loads(WIRE.render(turn, Identity("a case"), asked(stream=False)).body)
    made_up = {"id": "", "created": "", "updated": ""}
    assert json.dumps(written | made_up) == json.dumps(proven | made_up)


# --- ids --------------------------------------------------------------------------------------------------------


def _ids(of: str) -> tuple[bytes, bytes]:
    text = of.removeprefix("v1_")
    message = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return message[2:25], message[27:]


def test_an_id_has_that_of_the_first_interaction_and_its_own() -> None:
    identity = Identity("a case")
    first = WIRE.render(TURNS["text"], identity, asked(stream=False)).reply.id
    second = WIRE.render(TURNS["text"], identity, replace(asked(stream=True), continues=first)).reply.id
    third = WIRE.render(TURNS["text"], identity, replace(asked(stream=True), continues=second)).reply.id
    assert first.startswith("v1_Ch")
    assert _ids(first)[0] == _ids(first)[1] == _ids(second)[0] == _ids(third)[0]
    assert len({_ids(each)[1] for each in (first, second, third)}) == 3
    foreign = WIRE.render(TURNS["text"], identity, replace(asked(stream=True), continues="v1_é")).reply.id
    assert _ids(foreign)[0] == _ids(foreign)[1]


@pytest.mark.parametrize("stream", [True, False])
def test_what_is_not_stored_has_no_id(stream: bool) -> None:
    answer = WIRE.render(TURNS["text"], Identity("a case"), asked(stream=stream, store=False))
    assert answer.reply.id == ""
    assert (b'"id":""' in answer.body, b'"interaction_id":""' in answer.body) == (stream, stream)
    assert b'"id"' not in answer.body or stream


# --- ends that are none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b'{"id": "v1_', b'{"status": "in_progress", "object": "interaction"}'])
def test_a_document_that_is_none_yet_is_not_complete(body: bytes) -> None:
    assert not WIRE.parse("application/json", body).complete


def test_an_event_that_is_no_json_is_refused() -> None:
    frames = WIRE.render(Turn((Text("It prints."),), deltas="whole"), Identity("cut"), asked(stream=True)).frames
    (at,) = [number for number, frame in enumerate(frames) if b'"text":"It prints."' in frame]
    broken = b"".join([*frames[:at], frames[at].replace(b"}\n", b"\n"), *frames[at + 1 :]])
    with pytest.raises(ValueError, match="is not JSON"):
        WIRE.parse("text/event-stream", broken)
    assert WIRE.parse("text/event-stream", b"".join(frames)).complete


def test_a_failure_that_is_no_filter_is_an_error() -> None:
    body = {"status": "failed", "steps": [], "errors": [{"code": "malformed_function_call", "message": "No."}]}
    reply = WIRE.parse("application/json", json.dumps(body).encode())
    assert reply.turn.error == StreamError("server_error", "No.")


@pytest.mark.parametrize("body", [b"[]", b"<html>", b'{"candidates": []}'])
def test_what_is_no_interaction_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"no interaction|neither"):
        WIRE.parse("application/json", body)


# --- read by the SDK --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deltas", ["whole", "token"])
@pytest.mark.parametrize("name", [name for name in TURNS if name != "nothing"])
@pytest.mark.anyio
async def test_the_sdk_reads_a_stream_as_the_wire_does(name: str, deltas: Deltas) -> None:
    answer = WIRE.render(replace(TURNS[name], deltas=deltas), Identity("a case"), asked(stream=True))
    events = await streamed(answer.body)
    read = [{name: value for name, value in step.items() if value} for step in assembled(events)]
    assert read == [{name: value for name, value in step.items() if value} for step in answer.reply.items]
    end = next(event for event in events if event.event_type == "interaction.completed")
    assert end.interaction.usage.total_tokens == TURNS[name].usage.input + TURNS[name].usage.output


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.anyio
async def test_the_sdk_reads_a_document_as_the_wire_does(name: str) -> None:
    answer = WIRE.render(TURNS[name], Identity("a case"), asked(stream=False))
    read = await whole(answer.body)
    assert (read.id, read.status) == (answer.reply.id, json.loads(answer.body)["status"])
    steps = [each.model_dump(mode="json", exclude_none=True) for each in read.steps or ()]
    assert steps == [dict(item) for item in answer.reply.items]


@pytest.mark.anyio
async def test_the_sdk_raises_what_was_answered() -> None:
    import httpx2

    refused = WIRE.error(429, Identity("a case"))
    answer = lambda _: httpx2.Response(refused.status, headers=dict(refused.headers), content=refused.body)  # noqa: E731
    with pytest.raises(Exception, match="Resource exhausted") as raised:
        await client(answer).aio.interactions.create(model="gemini-3.8-flash", input="Hello.")
    assert raised.value.status_code == 429  # type: ignore[attr-defined]
    assert ok is not None

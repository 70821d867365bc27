"""Recorded traffic of Interactions, and the proven bodies of the wire document: read, judged, read by the SDK alike."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import Call, Conversation, IssuedState, Reply, ThinkingPart, route_of, wire
from harness.wire.gemini_interactions.steps import kind_of
from tests.recorded.corpus.shared_exchanges import all_exchanges
from tests.wire.gemini_interactions.sdk import assembled, streamed, whole

WIRE = wire("gemini-interactions")
EXAMPLES = Path("wire") / "examples" / "interactions"
SSE = "text/event-stream"


@cache
def recorded(shared: Path) -> list[RecordedExchange]:
    return [each for each in all_exchanges(shared, "corpus2") if each.api == "gemini-interactions"]


def asked(exchange: RecordedExchange) -> Conversation:
    route = route_of("POST", exchange.url)
    assert route is not None
    assert route.wire == WIRE.name
    return WIRE.read(route, exchange.request or b"", {})


def reply_to(exchange: RecordedExchange) -> Reply:
    return WIRE.parse(exchange.headers.get("content-type", ""), exchange.response or b"")


def test_no_accepted_request_is_blamed(shared: Path) -> None:
    """By itself; and in its file, where the endpoint has issued what came before."""
    assert len(recorded(shared)) == 19
    found, files = [], {each.file for each in recorded(shared)}
    for file in files:
        issued = IssuedState()
        for exchange in (each for each in recorded(shared) if each.file == file):
            conversation = WIRE.resolve(asked(exchange), issued)
            found += [(file, each.id) for each in WIRE.violations(conversation, IssuedState())]
            found += [(file, each.id) for each in WIRE.violations(conversation, issued)]
            issued.add(conversation, reply_to(exchange))
    assert {id_ for _, id_ in found} == {"INT-21"}, "two continuations without tools, one without instructions: 200"
    assert len(found) == 3


def test_a_wrapped_continuation_is_the_history_of_its_interactions(shared: Path) -> None:
    first, second = [each for each in recorded(shared) if each.file.endswith("tool_result_roundtrip.yaml")]
    issued = IssuedState()
    issued.add(asked(first), reply_to(first))
    resolved = WIRE.resolve(asked(second), issued)
    assert [message.role for message in resolved.messages] == ["user", "assistant", "assistant", "tool"]
    (call,), (result,) = resolved.messages[2].calls, resolved.messages[3].results
    assert (result.id, result.name, json.loads(result.output)) == (call.id, "add", {"sum": 18.0})
    assert resolved.messages[3].at == "input[0].content[0]"


def test_every_answer_is_read(shared: Path) -> None:
    replies = [reply_to(each) for each in recorded(shared)]
    assert all(reply.complete and reply.id for reply in replies)
    assert sum(bool(reply.turn.calls) for reply in replies) == 3
    assert all(bool(reply.turn.calls) is (reply.turn.stop.value == "tool_calls") for reply in replies)
    assert all(any(isinstance(part, ThinkingPart) and part.signature for part in reply.turn.parts) for reply in replies)


def test_a_request_is_written_as_it_was_read(shared: Path) -> None:
    for exchange in recorded(shared):
        read = asked(exchange)
        written = WIRE.write(read)
        route = route_of("POST", written.path)
        assert route is not None
        again = WIRE.read(route, written.body, {})
        assert [(each.role, each.parts) for each in again.messages] == [
            (each.role, each.parts) for each in read.messages
        ]
        assert (again.tools, again.model, again.stream, again.continues) == (
            read.tools, read.model, read.stream, read.continues,
        )  # fmt: skip


# --- the proven bodies of the wire document ---------------------------------------------------------------------

ENDS: dict[str, tuple[bool, str, str | None, tuple[str, ...]]] = {
    "int-01-text": (True, "end", None, ()),
    "int-02-thought-summary": (True, "end", None, ()),
    "int-03-tool": (True, "tool_calls", None, ('{"path":"src/app.py"}',)),
    "int-04-parallel": (True, "tool_calls", None, ('{"path":"src"}', '{"path":"src/app.py"}')),
    "int-05-search-then-tool": (True, "tool_calls", None, ('{"city":"Utqiagvik"}',)),
    "int-06-error-midstream": (False, "end", "overloaded", ()),
    "int-07-incomplete": (True, "max_tokens", None, ()),
    "int-08-continuation-hop1": (True, "pause", None, ()),
    "int-08-continuation-hop2": (True, "end", None, ()),
    "int-09-truncated": (False, "end", None, ('{"path":',)),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_stream_is_read_to_its_end(shared: Path, name: str) -> None:
    reply = WIRE.parse(SSE, (shared / EXAMPLES / f"{name}.sse").read_bytes())
    complete, stop, error, arguments = ENDS[name]
    assert (reply.complete, reply.turn.stop.value) == (complete, stop)
    assert (reply.turn.error.kind if reply.turn.error else None) == error
    assert tuple(call.arguments for call in reply.turn.calls) == arguments


def test_a_server_tool_keeps_what_its_deltas_bring(shared: Path) -> None:
    reply = WIRE.parse(SSE, (shared / EXAMPLES / "int-05-search-then-tool.sse").read_bytes())
    call, result = reply.items[:2]
    assert call["arguments"] == {"queries": ["northernmost US city"]}
    assert call["signature"]
    assert result["result"] == [{"search_suggestions": "<div></div>"}]


def test_a_bare_line_of_json_in_a_stream_is_no_event(shared: Path) -> None:
    text = (shared / EXAMPLES / "int-01-text.sse").read_text(encoding="utf-8")
    begun = "\n\n".join(text.split("\n\n")[:2]) + "\n\n" + (shared / EXAMPLES / "int-error-400.json").read_text()
    reply = WIRE.parse(SSE, begun.encode())
    assert (reply.complete, reply.turn.ending, reply.turn.error) == (False, "eof", None)


@pytest.mark.parametrize("form", ["stateful", "stateless", "wrapped"])
def test_each_form_of_a_continuation_is_accepted(shared: Path, form: str) -> None:
    answer = WIRE.parse("application/json", (shared / EXAMPLES / "int-10-parallel.json").read_bytes())
    body = (shared / EXAMPLES / f"int-10-parallel.continue-{form}.json").read_bytes()
    route = route_of("POST", "/v1/interactions")
    assert route is not None
    issued = IssuedState()
    first = json.loads(body) | {"input": "What is in src/app.py?", "store": True}
    del first["stream"]
    first.pop("previous_interaction_id", None)
    issued.add(WIRE.read(route, json.dumps(first).encode()), answer)
    conversation = WIRE.resolve(WIRE.read(route, body), issued)
    assert WIRE.violations(conversation, issued) == []
    assert [message.role for message in conversation.messages] == ["user", *["assistant"] * 3, "tool", "tool"]
    assert [result.is_error for message in conversation.messages for result in message.results] == [False, True]


# --- as google-genai reads it -----------------------------------------------------------------------------------


def _said(steps: list[Any]) -> list[tuple[str, ...]]:
    """What steps say, by their own members: type, texts, signature, and what a call has."""
    said = []
    for step in steps:
        texts = [each["text"] for each in step.get("content") or step.get("summary") or () if each["type"] == "text"]
        arguments = json.dumps(step.get("arguments"), sort_keys=True)
        said.append(
            (kind_of(step), "".join(texts), step.get("signature") or "", step.get("name") or "", step.get("id") or "",
             arguments)
        )  # fmt: skip
    return said


@pytest.mark.anyio
async def test_the_sdk_reads_each_recording_as_the_wire_does(shared: Path) -> None:
    read = 0
    for exchange in recorded(shared):
        reply = reply_to(exchange)
        body = exchange.response or b""
        if "event-stream" in exchange.headers.get("content-type", ""):
            steps = assembled(await streamed(body))
        else:
            steps = [each.model_dump(mode="json") for each in (await whole(body)).steps]
        assert _said(steps) == _said(list(reply.items)), exchange.file
        read += 1
    assert read == 19


@pytest.mark.parametrize("name", [name for name in ENDS if name != "int-09-truncated"])
@pytest.mark.anyio
async def test_the_sdk_reads_each_proven_stream_as_the_wire_does(shared: Path, name: str) -> None:
    body = (shared / EXAMPLES / f"{name}.sse").read_bytes()
    assert _said(assembled(await streamed(body))) == _said(list(WIRE.parse(SSE, body).items))


@pytest.mark.anyio
async def test_the_sdk_reads_the_calls_of_an_answer(shared: Path) -> None:
    body = (shared / EXAMPLES / "int-10-parallel.json").read_bytes()
    steps = [each.model_dump(mode="json") for each in (await whole(body)).steps]
    calls = WIRE.parse("application/json", body).turn.calls
    assert [
        Call(each["name"], json.dumps(each["arguments"], separators=(",", ":")), each["id"]) for each in steps[1:]
    ] == [*calls]

"""What scripts say in the words of one provider: the official SDKs and the wire's own reader read it, streamed or not.

Every shipped scenario with such words is looked at, in both forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pydantic import TypeAdapter

from harness.scenario import Scenario, TurnStep
from harness.wire import Call, Conversation, Identity, Rendered, Text, Turn, native_wires, wire
from harness.wire.sse import parse_events
from harness.wire.turn import NativePiece
from tests.scenarios import shipped_scenarios
from tests.sdks import anthropic, genai, openai


def _has_words(turn: Turn) -> bool:
    members = [part.members for part in turn.parts if isinstance(part, Text | Call)]
    return bool(turn.natives or turn.members or any(members))


def _turns(scenario: Scenario) -> Iterator[Turn]:
    yield from (step.turn for step in scenario.steps if isinstance(step, TurnStep) and _has_words(step.turn))


TURNS = {
    f"{scenario.name}-{number}": (scenario.wires[0], turn)
    for scenario in shipped_scenarios()
    for number, turn in enumerate(_turns(scenario), 1)
}

FORMS = [pytest.param(True, id="streamed"), pytest.param(False, id="whole")]


def _rendered(name: str, *, stream: bool) -> Rendered:
    speaks, turn = TURNS[name]
    asked = Conversation(speaks, wire(speaks).default_model, stream, ())
    return wire(speaks).render(turn, Identity(name), asked)


def test_every_wire_with_calls_of_its_own_has_some() -> None:
    assert {speaks for speaks, _ in TURNS.values()} == {name for name in native_wires() if wire(name).scripted}
    assert len(TURNS) >= 33


@pytest.mark.parametrize("stream", FORMS)
@pytest.mark.parametrize("name", TURNS)
def test_the_wire_reads_back_what_it_has_written(name: str, stream: bool) -> None:
    rendered = _rendered(name, stream=stream)
    read = wire(TURNS[name][0]).parse(rendered.content_type, rendered.body)
    said = rendered.reply
    assert (read.items, read.container, read.complete) == (said.items, said.container, True)
    assert [type(part) for part in read.turn.parts] == [type(part) for part in said.turn.parts]
    assert [call.arguments for call in read.turn.calls] == [call.arguments for call in said.turn.calls]


@pytest.mark.parametrize("stream", FORMS)
@pytest.mark.parametrize("name", TURNS)
def test_every_piece_is_an_item_of_the_reply(name: str, stream: bool) -> None:
    _, turn = TURNS[name]
    items = list(_rendered(name, stream=stream).reply.items)
    for piece in turn.natives:
        assert dict(piece.native) in items
    for part in (part for part in turn.parts if isinstance(part, Text | Call) and part.members):
        shown = json.dumps(items)
        assert all(json.dumps(value) in shown for value in part.members.values())


@cache
def _models(speaks: str) -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    """What the official SDK takes an event, and a whole answer, of the wire for."""
    if speaks == "anthropic-messages":
        beta = anthropic.types.beta
        return TypeAdapter(beta.BetaRawMessageStreamEvent), TypeAdapter(beta.BetaMessage)
    if speaks == "openai-responses":
        responses = openai.types.responses
        return TypeAdapter(responses.ResponseStreamEvent), TypeAdapter(responses.Response)
    if speaks == "openai-chat":
        chat = openai.types.chat
        return TypeAdapter(chat.ChatCompletionChunk), TypeAdapter(chat.ChatCompletion)
    if speaks == "gemini-interactions":
        return TypeAdapter(genai.interactions.InteractionSSEEvent), TypeAdapter(genai.interactions.Interaction)
    return (TypeAdapter(genai.types.GenerateContentResponse),) * 2


@pytest.mark.parametrize("name", TURNS)
def test_every_event_is_one_of_the_official_sdk(name: str) -> None:
    event_model, _ = _models(TURNS[name][0])
    events = [
        json.loads(event.data) for event in parse_events(_rendered(name, stream=True).body) if event.data[:1] == "{"
    ]
    for event in events:
        if event.get("type") != "ping":
            if event.get("item", {}).get("type") == "web_search_call":
                event["item"].setdefault("action", {"type": "search", "query": ""})  # all 13 recorded begin without one
            if event.get("event_type") == "step.start":  # recorded calls and results begin without
                member = {"call": "arguments", "result": "result"}.get(event["step"]["type"].rpartition("_")[2], "type")
                event["step"].setdefault(member, {} if member == "arguments" else [])
            if event.get("event_type") == "step.delta" and event["delta"]["type"] == "file_search_result":
                event["delta"].setdefault("result", [])  # the SDK wants it of the delta, and has none in the whole step
            event.pop("usageMetadata", None)  # the SDK of Gemini itself leaves out members of it that it does not know
            read = event_model.validate_python(event)
            kind = "event_type" if "event_type" in event else "type"
            assert getattr(read, kind, None) == event.get(kind)
            assert not type(read).__name__.startswith("Unknown")
    assert events


@pytest.mark.parametrize("name", TURNS)
def test_the_whole_answer_is_one_of_the_official_sdk(name: str) -> None:
    speaks, turn = TURNS[name]
    _, whole_model = _models(speaks)
    rendered = _rendered(name, stream=False)
    document = json.loads(rendered.body)
    document.pop("usageMetadata", None)
    read = whole_model.validate_python(document)
    kinds = [item.get("type") for item in rendered.reply.items]
    if speaks == "anthropic-messages":
        assert [block.type for block in read.content] == kinds
    elif speaks == "openai-responses":
        assert [item.type for item in read.output] == kinds
    elif speaks == "gemini-generate":
        assert len(read.candidates[0].content.parts) == len(rendered.reply.items)
    elif speaks == "gemini-interactions":
        assert [step.type for step in read.steps] == kinds
    else:
        assert len(read.choices[0].message.tool_calls or ()) == len(turn.calls)


def test_pieces_stand_where_the_script_has_them() -> None:
    one, two = NativePiece(0, {"type": "a"}), NativePiece(1, {"type": "b"})
    text, call = Text("t"), Call("f", "{}")
    assert Turn((text, call), natives=(one, two)).pieces == (one, text, two, call)
    assert Turn((text,)).pieces == (text,)
    assert replace(Turn((text,)), natives=(NativePiece(1, {}),)).pieces[0] == text

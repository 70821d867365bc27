"""A history on another wire says the same, and the wire's own rules have nothing against it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.loop.compacting import in_plain_words
from harness.loop.translated import translated
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Message,
    NativeWireName,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    wire,
)
from harness.wire.results import answered

WIRES: tuple[NativeWireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")
PAIRS = [(of, to) for of in WIRES for to in WIRES]

TOOL = ToolDeclaration("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
USER = Message("user", (Text("Look at both."),), "")
TURN = Turn(
    (
        ThinkingPart("Both, then."),
        Text("I look."),
        Call("look", '{"at": "the sky"}', id="functions.look:0"),
        Call("look", '{"at": "the sea"}'),
    ),
    FinishReason.TOOL_CALLS,
)
VALUES = ({"seen": "clouds"}, {"error": "It is dark."})
LAST = Turn((Text("Clouds, and nothing."),))


def asking(name: NativeWireName, messages: Sequence[Message] = (USER,)) -> Conversation:
    speaker = wire(name)
    return Conversation(name, speaker.default_model, False, tuple(messages), (TOOL,), body=dict(speaker.settings))


def history(name: NativeWireName) -> list[Any]:
    """A history as a loop on this wire has it: two calls, one of which has failed, and the model's last words."""
    speaker, identity = wire(name), Identity("translated")
    reply = speaker.render(TURN, identity, asking(name)).reply
    ids = [call.id or f"call-{number}" for number, call in enumerate(reply.turn.calls)]
    results = [Result(id, json.dumps(value), "look", "error" in value) for id, value in zip(ids, VALUES, strict=True)]
    messages = (USER, *speaker.returned(reply, ids), *speaker.answers(reply, ids, results))
    last = speaker.render(LAST, identity, asking(name, messages)).reply
    return speaker.entries([*messages, *speaker.returned(last, ())])


def read(name: NativeWireName, entries: list[Any]) -> Conversation:
    """What a request with this history says."""
    speaker = wire(name)
    written = speaker.write(asking(name))
    body = {**json.loads(written.body), speaker.history: entries}
    route = speaker.route("POST", written.path)
    assert route is not None
    return speaker.read(route, json.dumps(body).encode())


def words(conversation: Conversation) -> Iterator[str]:
    for message in conversation.messages:
        for part in message.parts:
            if isinstance(part, Text) and message.role != "system":
                yield f"{message.role} {part.text}"
            elif isinstance(part, Call):
                yield f"{part.name} {json.loads(part.arguments)}"


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_texts_calls_and_results_are_those_of_the_history(of: NativeWireName, to: NativeWireName) -> None:
    there = read(to, translated(history(of), of, to, "a-model"))
    assert list(words(there)) == list(words(read(of, history(of))))
    pairs = [(json.loads(call.arguments)["at"], result.output) for call, result in answered(there.messages)]
    assert [at for at, _ in pairs] == ["the sky", "the sea"]
    assert [word in output for (_, output), word in zip(pairs, ("clouds", "It is dark."), strict=True)] == [True, True]


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_the_wire_has_nothing_against_it(of: NativeWireName, to: NativeWireName) -> None:
    entries = [*translated(history(of), of, to, "a-model"), *wire(to).entries([replace(USER, parts=(Text("More."),))])]
    assert wire(to).violations(read(to, entries), IssuedState()) == []


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_a_turn_of_nothing_but_white_space_is_left_out(of: NativeWireName, to: NativeWireName) -> None:
    blank = Message("assistant", (Text(" \n"),), "")
    entries = translated(wire(of).entries([USER, blank, USER]), of, to, "a-model")
    assert list(words(read(to, entries))) == ["user Look at both."] * 2


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_nothing_is_left_that_another_model_has_thought_or_signed(of: NativeWireName, to: NativeWireName) -> None:
    parts = [part for message in read(to, translated(history(of), of, to, "m")).messages for part in message.parts]
    assert not [part for part in parts if isinstance(part, ThinkingPart)]
    assert not [part for part in parts if isinstance(part, Text | Call) and part.signature]
    assert {call.id for call in parts if isinstance(call, Call)} == {"c00000000", "c00000001"}


@pytest.mark.parametrize("name", WIRES)
def test_plain_words_say_who_has_said_what(name: NativeWireName) -> None:
    entries = wire(name).entries([Message("system", (Text("Be brief."),), "")])
    plain = in_plain_words([*entries, *history(name)], name)
    assert list(plain.system) == entries
    assert plain.texts[0] == "user: Look at both."
    assert plain.texts[-1] == "assistant: Clouds, and nothing."
    assert sum(text.startswith("assistant calls look with") for text in plain.texts) == 2
    assert [word for word in ("clouds", "dark") if any(word in text for text in plain.texts)] == ["clouds", "dark"]

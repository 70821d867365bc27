"""Histories that go to another model: calls and results keep together, whatever ids the model before has used."""

from __future__ import annotations

from typing import Any

import pytest

from harness.loop.translated import translated


def call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}}


def turn(*ids: str) -> list[dict[str, Any]]:
    results = [{"role": "tool", "tool_call_id": id, "content": f'"seen {at}"'} for at, id in enumerate(ids)]
    return [{"role": "assistant", "content": None, "tool_calls": [*map(call, ids)]}, *results]


@pytest.mark.parametrize(
    "history",
    [
        [*turn("a", "b"), *turn("c")],
        [*turn("call_1"), *turn("call_1"), *turn("call_2")],
        [*turn("functions.look:0", "functions.look:1"), *turn("functions.look:0")],
    ],
)
def test_every_call_has_an_id_of_its_own_and_its_result(history: list[dict[str, Any]]) -> None:
    entries = translated(history, "openai-chat", "openai-responses", "m")
    calls = [entry["call_id"] for entry in entries if entry.get("type") == "function_call"]
    outputs = [(entry["call_id"], entry["output"]) for entry in entries if entry.get("type") == "function_call_output"]
    assert len(set(calls)) == len(calls) == 3
    assert [id for id, _ in outputs] == calls
    sent = [entry["content"] for entry in history if entry["role"] == "tool"]
    assert [output for _, output in outputs] == sent


def test_messages_of_the_user_stay_apart_and_a_result_in_plain_words_becomes_json() -> None:
    call = {"type": "function", "function": {"name": "look", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "One."},
        {"role": "user", "content": "Two."},
        {"role": "assistant", "tool_calls": [{"id": "x", **call}, {"id": "y", **call}]},
        {"role": "tool", "tool_call_id": "x", "content": "plain words"},
        {"role": "tool", "tool_call_id": "y", "content": "1"},
    ]
    first, second, asked, answered = translated(said, "openai-chat", "anthropic-messages", "gpt-4.1")
    assert [first["content"], second["content"]] == ["One.", "Two."]
    names = [each["id"] for each in asked["content"]]
    results = [(each["tool_use_id"], each["content"]) for each in answered["content"]]
    assert results == [(names[0], '"plain words"'), (names[1], "1")]

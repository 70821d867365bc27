"""The rendered bytes against the official SDK's models, and against recorded shapes."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.wire import Identity, Text, Turn
from harness.wire.openai_responses import WIRE
from tests.sdks import openai
from tests.wire.openai_responses.speak import ALL, BROKEN, ODD_IDS, TURNS, ask, events, render


@cache
def _members() -> dict[str, Any]:
    """The SDK's model for each ``type`` of an event."""
    models = get_args(get_args(openai.types.responses.ResponseStreamEvent)[0])
    return {model.model_fields["type"].annotation.__args__[0]: model for model in models}


@pytest.mark.parametrize("name", [*TURNS, *BROKEN])
def test_every_event_is_valid_for_the_sdk_model_that_its_type_names(name: str) -> None:
    for event in events(render(ALL[name])):
        if event["type"] == "error" and "error" in event:
            continue  # the nested shape of production, for which the SDK has no model: it raises
        if (event.get("response") or {}).get("error") and name not in ("server error", "rate limit"):
            continue  # production sends codes that the SDK's list of codes does not have
        _members()[event["type"]].model_validate(event, strict=True)


@pytest.mark.parametrize("name", TURNS)
def test_a_document_is_valid_for_the_sdk(name: str) -> None:
    document = json.loads(render(TURNS[name], stream=False).body)
    openai.types.responses.Response.model_validate(document, strict=True)


@pytest.mark.parametrize("name", ALL)
def test_sequence_numbers_count_the_events(name: str) -> None:
    found = events(render(ALL[name]))
    assert [event["sequence_number"] for event in found] == list(range(len(found)))


def _shapes(found: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The keys of every kind of event, item, part and response."""
    shapes: dict[str, set[str]] = defaultdict(set)
    for event in found:
        shapes[event["type"]].add(str(sorted(event)))
        for inner in ("item", "part", "response", "error"):
            if isinstance(event.get(inner), dict):
                shapes[f"{event['type']}.{inner}.{event[inner].get('type')}"].add(str(sorted(event[inner])))
    return shapes


@pytest.mark.parametrize(
    ("example", "name"),
    [
        ("text", "text"),
        ("thinking-text", "thinking"),
        ("tool", "omitted thinking"),
        ("parallel", "parallel calls"),
        ("text-tool", "text between calls"),
        ("custom-tool", "custom call"),
        ("refusal", "refusal"),
        ("max-tokens", "max tokens"),
        ("max-tokens-in-tool", "max tokens in a call"),
        ("content-filter", "content filter"),
        ("error-event", "overloaded"),
        ("error-nested-then-failed", "context length"),
        ("failed", "server error"),
    ],
)
def test_keys_are_those_of_the_examples(shared: Path, example: str, name: str) -> None:
    body = (shared / "wire" / "examples" / f"oai-responses-{example}.sse").read_text()
    theirs = _shapes([json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")])
    ours = _shapes(events(render(ALL[name])))
    both = theirs.keys() & ours.keys()
    assert {"response.created", "response.created.response.None"} <= both
    assert {kind: ours[kind] for kind in both} == {kind: theirs[kind] for kind in both}


def test_lone_surrogates_go_out_as_escapes_and_come_back_joined() -> None:
    rendered = render(Turn((Text("😀"),), deltas="utf16"))
    deltas = [frame for frame in rendered.frames if b"output_text.delta" in frame]
    assert [b'"\\ud83d"' in deltas[0], b'"\\ude00"' in deltas[1]] == [True, True]
    scripted_in_halves = render(Turn((Text("\ud83d\ude00"),)))
    assert scripted_in_halves.reply.turn.text == "😀"
    half = render(Turn((Text("\ud83d!"),)))
    assert WIRE.parse(half.content_type, half.body).turn.text == "\ud83d!"


def test_ids_look_like_the_providers_and_never_repeat() -> None:
    seen: set[str] = set()
    identity = Identity("run")
    for _ in range(3):
        rendered = WIRE.render(TURNS["parallel calls"], identity, ask())
        ids = [item["id"] for item in rendered.reply.items] + [call.id for call in rendered.reply.turn.calls]
        assert [id_.partition("_")[0] for id_ in ids] == ["rs", "fc", "fc", "call", "call"]
        assert {len(id_) for id_ in ids} == {53, 29}
        assert not seen & set(ids)
        seen |= {*ids, rendered.reply.id}
    assert render(TURNS["thinking"], seed="a") == render(TURNS["thinking"], seed="a")
    assert render(TURNS["thinking"], seed="a").body != render(TURNS["thinking"], seed="b").body


def test_encrypted_content_is_a_fernet_token_and_final_only_when_done() -> None:
    found = events(render(TURNS["thinking"]))
    added, done = (
        next(event["item"] for event in found if event["type"] == f"response.output_item.{moment}")
        for moment in ("added", "done")
    )
    assert added["encrypted_content"].startswith("gAAAAAB")
    assert done["encrypted_content"].startswith("gAAAAAB")
    assert added["encrypted_content"] != done["encrypted_content"]


def test_padding_is_left_out_on_request() -> None:
    plain = WIRE.render(TURNS["text"], Identity("x"), ask(stream_options={"include_obfuscation": False}))
    assert b"obfuscation" not in plain.body
    assert b"obfuscation" in render(TURNS["text"]).body


def test_the_response_repeats_the_request() -> None:
    settings_ = {"instructions": "Be brief.", "max_output_tokens": 99, "store": False, "metadata": {"a": "b"}}
    rendered = WIRE.render(TURNS["text"], Identity("x"), ask(stream=False, **settings_))
    response = json.loads(rendered.body)
    assert {name: response[name] for name in settings_} == settings_
    assert response["tools"][0]["strict"] is True
    assert response["model"] == "gpt-5.5"


def test_messages_say_whether_they_are_the_answer() -> None:
    phases = {
        name: [item["phase"] for item in render(TURNS[name]).reply.items if item["type"] == "message"]
        for name in ("text", "text between calls")
    }
    assert phases == {"text": ["final_answer"], "text between calls": ["commentary"] * 3}


@pytest.mark.parametrize("name", ODD_IDS)
def test_odd_ids_are_sent_as_scripted(name: str) -> None:
    sent = [item.get("call_id") for item in render(ODD_IDS[name]).reply.items]
    assert sent == [call.id or None for call in ODD_IDS[name].calls]


@pytest.mark.parametrize(
    "name",
    [
        "text",
        "thinking",
        "parallel calls",
        "custom call",
        "refusal",
        "max tokens in a call",
        "context length",
        "overloaded",
    ],
)
def test_frames_are_as_reviewed(name: str, snapshot: SnapshotAssertion) -> None:
    assert render(ALL[name]).body.decode() == snapshot

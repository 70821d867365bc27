"""What the automatic model does where nothing fits a schema, and what is said of it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from harness.endpoint import AutomaticModel, ModelRequest
from harness.fitting import values
from harness.runner.notes import notes_of
from harness.wire import Conversation, Turn, wire
from tests.endpoint.endpoint import desk, opened
from tests.fitting.validity import fits

CHAT: Final = "/v1/chat/completions"
FITS: Final = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "unit": {"enum": ["C", "F"]}},
    "required": ["city"],
}
FITS_NOTHING: Final = {"type": "object", "properties": {"city": False}, "required": ["city"]}
ELSEWHERE: Final = {"type": "object", "properties": {"city": {"$ref": "https://example.com/city.json"}}}
NO_SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "text"}}, "required": ["city"]}


def body(*schemas: Any, history: tuple[object, ...] = (), **more: object) -> dict[str, Any]:
    """A request that offers a tool for each schema: move_0, move_1 ..."""
    tools = [
        {"type": "function", "function": {"name": f"move_{at}", "parameters": each}} for at, each in enumerate(schemas)
    ]
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}, *history], "tools": tools, **more}


def read(sent: dict[str, Any]) -> Conversation:
    speaker = wire("openai-chat")
    route = speaker.route("POST", CHAT)
    assert route is not None
    return speaker.read(route, json.dumps(sent).encode())


def said(sent: dict[str, Any]) -> Turn:
    return AutomaticModel().next(ModelRequest("POST", CHAT, {}, b"", read(sent))).turn


def called(sent: dict[str, Any]) -> list[str]:
    return [call.name for call in said(sent).calls]


def notes(sent: dict[str, Any]) -> list[str]:
    return list(AutomaticModel().notes(read(sent)))


REFUSED: Final = "the automatic model does not call move_0: its schema accepts no value at all"


def test_a_tool_that_nothing_fits_is_not_called_and_the_note_says_why() -> None:
    assert called(body(FITS_NOTHING, FITS)) == ["move_1", "move_1"]
    assert notes(body(FITS_NOTHING, FITS)) == [REFUSED]
    assert called(body(FITS_NOTHING)) == []
    assert said(body(FITS_NOTHING)).text.startswith("This is the answer of the automatic model. [")
    assert notes(body(ELSEWHERE, FITS, FITS)) == [
        "the automatic model does not call move_0: its schema refers to https://example.com/city.json, which is not in "
        "it, and nothing is fetched"
    ]


def test_what_fits_needs_no_note() -> None:
    assert notes(body(FITS, FITS)) == []
    assert notes(body(FITS, FITS, FITS_NOTHING)) == []  # nobody asks for the third


def test_a_tool_that_must_be_called_and_that_nothing_fits_is_not_called_either() -> None:
    forced = {"type": "function", "function": {"name": "move_0"}}
    assert called(body(FITS_NOTHING, FITS, tool_choice=forced)) == []
    assert notes(body(FITS_NOTHING, FITS, tool_choice=forced)) == [REFUSED]
    assert called(body(FITS_NOTHING, FITS, tool_choice="required")) == ["move_1"]
    assert notes(body(FITS_NOTHING, FITS, tool_choice="required")) == [REFUSED]


def test_a_schema_that_is_none_is_followed_as_far_as_it_goes_and_named() -> None:
    assert called(body(NO_SCHEMA)) == ["move_0", "move_0"]
    assert notes(body(NO_SCHEMA)) == [
        "the schema of move_0 is no JSON Schema: 'properties/city/type'; the arguments follow the rest of it"
    ]


def answered_in(schema: Any) -> dict[str, Any]:
    return body(response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": schema}})


def test_an_answer_that_nothing_fits_is_a_text_with_a_note() -> None:
    assert said(answered_in(FITS_NOTHING)).text.startswith("This is the answer of the automatic model. [")
    (note,) = notes(answered_in(FITS_NOTHING))
    assert note.startswith(
        "the answer is a text, and not JSON of the schema that the request demands: its schema accepts"
    )
    assert notes(answered_in(FITS)) == []
    assert fits(FITS, json.loads(said(answered_in(FITS)).text))
    (note,) = notes(answered_in(NO_SCHEMA))
    assert note.startswith("the schema of the answer is no JSON Schema: 'properties/city/type'")


def test_any_json_is_an_object_with_the_answer() -> None:
    any_json = body(response_format={"type": "json_object"})
    answer = json.loads(said(any_json).text)
    assert list(answer) == ["answer"]
    assert re.fullmatch(r"This is the answer of the automatic model\. \[[0-9a-f]{8}\]", answer["answer"])


def test_each_answer_in_json_has_a_text_of_its_own_wherever_the_schema_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free, short = (
        {"type": "object", "properties": {"a": {"type": "string", **more}}} for more in ({}, {"maxLength": 9})
    )
    searched: list[object] = []
    search = values._fitting
    monkeypatch.setattr(values, "_fitting", lambda *sought: searched.append(sought) or search(*sought))
    model = AutomaticModel()
    answers = [
        [model.next(ModelRequest("POST", CHAT, {}, b"", read(answered_in(schema)))).turn.text for _ in range(3)]
        for schema in (free, short)
    ]
    assert [len(set(each)) for each in answers] == [3, 1]
    assert all(
        fits(schema, json.loads(text)) for schema, some in zip((free, short), answers, strict=True) for text in some
    )
    assert len(searched) <= 2  # one value of each schema was looked for, and not one for each answer


def turn(number: int) -> tuple[object, ...]:
    """A turn in which the model has called a tool twice, with the results, and what the user says then."""
    calls = [
        {"id": f"{number}{at}", "type": "function", "function": {"name": "move_0", "arguments": "{}"}}
        for at in range(2)
    ]
    return (
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in calls),
        {"role": "user", "content": "and now?"},
    )


def test_the_arguments_of_a_conversation_differ_and_have_optional_members_and_none() -> None:
    sent = [body(FITS, history=tuple(each for at in range(turns) for each in turn(at))) for turns in range(4)]
    calls = [call.arguments for each in sent for call in said(each).calls]
    assert len(calls) == 8
    assert calls[:2] == [
        '{"city": "example"}',
        '{"city": "another example", "days": 2, "unit": "F"}',
    ]
    assert len(set(calls)) == 8
    assert {frozenset(json.loads(call)) for call in calls} >= {frozenset({"city"}), frozenset({"city", "days", "unit"})}
    assert all(fits(FITS, json.loads(call)) for call in calls)
    assert calls == [call.arguments for each in sent for call in said(each).calls]


def test_the_notes_of_a_case_are_read_from_its_requests() -> None:
    endpoint, again = (desk(model=AutomaticModel(), source="automatic") for _ in range(2))
    endpoints = opened(endpoint)
    for _ in range(2):
        endpoints.answer("POST", f"/case/a-case{CHAT}", {}, json.dumps(body(FITS_NOTHING, FITS)).encode())
    again.replay(endpoint.recorder.trace().records)
    assert [notes_of(each, ()) for each in (endpoint, again)] == [(REFUSED,), (REFUSED,)]

"""Writing requests: what is read is what was written, and what is written is what clients send."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Conversation, Message, Opaque, Reply, Result, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness.wire.gemini_generate import WIRE
from harness.wire.json_text import compact
from tests.sdks import genai
from tests.wire.writing import arguments, asked, conversations, looped, names, only_words, recordings, reread
from tests.wire.writing import texts as text

IMAGE = Opaque("inlineData", {"inlineData": {"mimeType": "image/png", "data": "aGk="}})

proof = st.binary(min_size=1, max_size=4).map(lambda each: base64.b64encode(each).decode())
signature = st.just("") | proof
call = st.builds(Call, names, arguments, names | st.just(""), signature)
payload = st.sampled_from(["output", "error", "other"]).flatmap(
    lambda key: text.map(lambda said: (compact({key: said}), key == "error"))
)
result = st.builds(
    lambda call_id, said, name: Result(call_id, said[0], name, said[1]), names | st.just(""), payload, names
)
part = (
    st.builds(Text, text, signature)
    | st.builds(ThinkingPart, text, st.just("plain"), signature)
    | call
    | st.just(IMAGE)
)


def _apart(parts: list[Any]) -> tuple[Any, ...]:
    """Without texts that would be read as one: the parts of a stream are."""
    kept: list[Any] = []
    for each in parts:
        goes_on = kept and isinstance(each, Text | ThinkingPart) and type(kept[-1]) is type(each)
        if not goes_on or kept[-1].signature:
            kept.append(each)
    return tuple(kept)


spoken = st.lists(part, max_size=4).map(_apart)
message = st.builds(Message, st.sampled_from(["user", "assistant"]), spoken, st.just("")) | st.builds(
    Message, st.just("tool"), st.lists(result, min_size=1, max_size=3).map(tuple), st.just("")
)
system = st.lists(
    st.builds(Message, st.just("system"), st.tuples(st.builds(Text, text)), st.just("systemInstruction")), max_size=1
)
histories = st.builds(lambda first, rest: first + rest, system, st.lists(message, max_size=6))


@settings(max_examples=100, deadline=None)
@given(conversations("gemini-generate", histories, "contents[{}]"))
def test_what_is_written_is_read_again(conversation: Conversation) -> None:
    assert only_words(reread(conversation)) == conversation


def test_the_path_has_the_model_and_says_whether_to_stream() -> None:
    asking = replace(asked("gemini-generate"), model="a b")
    assert WIRE.write(asking).path == "/v1/models/a%20b:streamGenerateContent?alt=sse"
    assert WIRE.write(replace(asking, stream=False)).path == "/v1/models/a%20b:generateContent"
    assert reread(asking).model == "a b"


def test_settings_and_the_providers_tools_are_written_as_they_were_read() -> None:
    body = {"tools": [{"google_search": {}, "function_declarations": []}], "generation_config": {"seed": 1}}
    read = reread(replace(asked("gemini-generate"), tools=(), body=body))
    assert read.body["tools"] == [{"googleSearch": {}}]
    assert read.body["generationConfig"] == {"seed": 1}


def test_every_recorded_request_is_written_as_it_was_read(shared: Path) -> None:
    found = recordings(shared, "gemini-generate")
    assert (found.read, found.same) == (340, 340)
    # A role that does not exist is read as the user's.
    assert found.judged == [("test_generate_content_invalid_role.yaml", ["GEM-03"], [])]


def test_a_loop_that_is_written_breaks_no_rule() -> None:
    assert [violations for _, violations, _ in looped("gemini-generate")] == [[], [], []]


def test_what_is_written_has_the_types_of_the_sdk() -> None:
    for _, _, body in looped("gemini-generate"):
        request = json.loads(body)
        for content in [*request["contents"], request["systemInstruction"]]:
            genai.types.Content.model_validate(content)  # refuses members that it does not know
        for tool in request["tools"]:
            genai.types.Tool.model_validate(tool)


# --- what goes back -----------------------------------------------------------------------------------------


def replied(*parts: Json, calls: tuple[Call, ...] = ()) -> Reply:
    return Reply("gemini-generate", "", "m", parts, Turn(calls))


def returned(*parts: Json) -> list[Json]:
    return WIRE.entries(WIRE.returned(replied(*parts), ()))


def test_parts_go_back_as_they_came_and_calls_with_a_name() -> None:
    signed = {"text": "", "thoughtSignature": "c2ln"}
    nameless = {"functionCall": {"args": {}}, "thoughtSignature": "c2ln"}
    assert returned(signed, nameless) == [
        {"role": "model", "parts": [signed, {**nameless, "functionCall": {"args": {}, "name": "unknown_tool"}}]}
    ]
    assert returned() == []


def test_a_character_that_was_cut_goes_back_whole() -> None:
    halves = ({"text": "a\ud83d"}, {"text": "\ude00b", "thoughtSignature": "c2ln"}, {"text": "c"})
    (entry,) = returned(*halves)
    whole = replace(asked("gemini-generate"), messages=WIRE.returned(replied(*halves), ()))
    assert len(entry["parts"]) == 2
    assert json.loads(WIRE.write(whole).body)["contents"][0]["parts"] == [
        {"text": "a\U0001f600b", "thoughtSignature": "c2ln"},
        {"text": "c"},
    ]


def test_results_have_the_name_and_the_id_of_their_call_as_it_was_sent() -> None:
    reply = replied(calls=(Call("f", "{}", ""), Call("", "{}", "id_2")))
    results = [
        Result("call-1", "5", "f"),
        Result("call-2", '{"error": "no"}', "", True),
        Result("x", '"no"', "g", True),
    ]
    answers, said = WIRE.entries(WIRE.answers(reply, ("call-1", "call-2"), results, ["Also:"]))
    assert [part["functionResponse"] for part in answers["parts"]] == [
        {"name": "f", "response": {"output": 5}},
        {"name": "unknown_tool", "response": {"error": "no"}, "id": "id_2"},
        {"name": "g", "response": {"error": "no"}, "id": "x"},
    ]
    assert said == {"role": "user", "parts": [{"text": "Also:"}]}


def test_the_order_of_results_is_read_again() -> None:
    first, second = Result("a", '{"output":1}', "f"), Result("b", '{"output":2}', "f")
    written = Conversation("gemini-generate", "m", True, (Message("tool", (second, first), "contents[0]"),))
    assert reread(written).messages[0].results == (second, first)

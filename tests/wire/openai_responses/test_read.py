"""Reading requests: every legal shape of input, and histories that are only named."""

from __future__ import annotations

import json

import pytest

from harness.wire import (
    Call,
    Identity,
    IssuedState,
    Message,
    Opaque,
    Refusal,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.speak import PATCH, QUESTION, READ_FILE, ROUTE, TURNS, ask


def test_a_text_is_one_user_message() -> None:
    assert ask(input="hi").messages == (Message("user", (Text("hi"),), "input"),)


def test_instructions_come_first() -> None:
    assert ask(instructions="Be brief.", input="hi").messages[0] == Message(
        "system", (Text("Be brief."),), "instructions"
    )


def test_each_item_is_a_message() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    items = [
        {"role": "developer", "content": "Rules."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}, image]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAAB="},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "A"}, {"type": "refusal", "refusal": "No"}],
        },
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "text"},
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        {
            "type": "custom_tool_call_output",
            "call_id": "call_2",
            "output": [{"type": "input_text", "text": "two"}, image],
        },
        search,
    ]
    expected = [
        ("system", (Text("Rules."),)),
        ("user", (Text("Look"), Opaque("input_image", image))),
        ("assistant", (ThinkingPart("a"),)),
        ("assistant", (ThinkingPart(form="omitted", signature="gAAAAAB="),)),
        ("assistant", (Text("A"), Refusal("No"))),
        ("assistant", (Call("f", "{}", "call_1"),)),
        ("assistant", (Call("patch", "text", "call_2"),)),
        ("tool", (Result("call_1", "one", "f"),)),
        ("tool", (Result("call_2", "two", "patch"), Opaque("input_image", image))),
        ("assistant", (Opaque("web_search_call", search),)),
    ]
    messages = ask(input=items).messages
    assert [(message.role, message.parts) for message in messages] == expected
    assert [message.at for message in messages] == [f"input[{n}]" for n in range(len(items))]


def test_tools_that_a_loop_runs_are_declared() -> None:
    conversation = ask(tools=[READ_FILE, PATCH, {"type": "web_search"}])
    assert conversation.tools == (
        ToolDeclaration("read_file", "Read one file.", READ_FILE["parameters"]),  # type: ignore[arg-type]
        ToolDeclaration("patch", "Apply a patch.", {}),
    )


def test_odd_values_are_read_anyway() -> None:
    items = [
        1,
        None,
        {},
        {"type": "function_call"},
        {"role": "user", "content": [1]},
        {"role": "user", "content": None},
    ]
    conversation = ask(input=items, tools=[1, {"type": "function"}], stream="yes", instructions=5)
    assert len(conversation.messages) == len(items)
    assert not conversation.stream
    assert ask(input={"a": 1}, tools=None).messages == ()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'"text"', b"[" * 100_000])
def test_what_is_no_json_object_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        WIRE.read(ROUTE, body)
    assert caught.value.finding.id == "OAI-01"
    assert caught.value.finding.answered.message.startswith("We could not parse the JSON body of your request. (HINT:")


# --- histories that are only named -------------------------------------------------------------------------


def _sent(**members: object) -> tuple[IssuedState, str]:
    sent = IssuedState()
    first = ask(**members)
    reply = WIRE.render(TURNS["omitted thinking"], Identity("x"), first).reply
    sent.add(first, reply)
    return sent, reply.id


def test_previous_response_puts_the_history_in_front() -> None:
    sent, previous = _sent(instructions="old")
    (call,) = sent.replies[0].turn.calls
    output = {"type": "function_call_output", "call_id": call.id, "output": "ok"}
    asked = WIRE.resolve(ask(input=[output], previous_response_id=previous, instructions="new"), sent)
    assert asked.continues == previous
    assert [(message.role, message.at) for message in asked.messages] == [
        ("system", "instructions"),
        ("user", f"{previous}.input[0]"),
        ("assistant", f"{previous}.output[0]"),
        ("assistant", f"{previous}.output[1]"),
        ("tool", "input[0]"),
    ]
    assert asked.messages[0].text == "new"


def test_a_chain_of_responses_is_followed() -> None:
    sent, previous = _sent()
    second = WIRE.resolve(ask(input="more", previous_response_id=previous), sent)
    reply = WIRE.render(TURNS["text"], Identity("y"), second).reply
    sent.add(second, reply)
    third = WIRE.resolve(ask(input="again", previous_response_id=reply.id), sent)
    assert [message.role for message in third.messages] == [
        "user",
        "assistant",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert len({message.at for message in third.messages}) == 6


def test_a_conversation_of_the_provider_is_followed() -> None:
    sent, _ = _sent(conversation={"id": "conv_1"})
    asked = WIRE.resolve(ask(input="more", conversation="conv_1"), sent)
    assert [message.role for message in asked.messages] == ["user", "assistant", "assistant", "user"]


def test_a_request_that_names_none_does_not_go_on_with_an_answer_that_broke_before_its_id() -> None:
    sent, _ = _sent()
    sent.add(ask(), WIRE.parse("text/event-stream", b""))
    assert sent.replies[-1].id == ""
    asked = ask(input="more")
    assert WIRE.resolve(asked, sent) == asked


def test_references_to_items_are_followed() -> None:
    sent, _ = _sent()
    references = [{"type": "item_reference", "id": item["id"]} for item in sent.replies[0].items]
    asked = WIRE.resolve(ask(input=[QUESTION, *references]), sent)
    assert asked.messages[1].parts == sent.replies[0].turn.parts[:1]
    assert asked.messages[2].calls == sent.replies[0].turn.calls


@pytest.mark.parametrize(
    "members",
    [
        {"previous_response_id": "resp_unknown"},
        {"conversation": "conv_unknown"},
        {"input": [{"type": "item_reference", "id": "rs_unknown"}]},
        {},
    ],
)
def test_what_is_not_known_changes_nothing(members: dict[str, object]) -> None:
    sent, _ = _sent()
    asked = ask(**members)
    assert WIRE.resolve(asked, sent) == asked


def test_a_body_is_kept_as_it_was() -> None:
    body = {"model": "m", "input": "x", "anything": [1, {"a": None}]}
    assert WIRE.read(ROUTE, json.dumps(body).encode()).body == body


def test_an_output_is_of_the_latest_call_with_its_id() -> None:
    call = {"type": "function_call", "call_id": "call_1", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    items = [{**call, "name": "first"}, output, {**call, "name": "second"}, output]
    named = [part.name for message in ask(input=items).messages for part in message.parts if isinstance(part, Result)]
    assert named == ["first", "second"]
    early = ask(input=[output, {**call, "name": "first"}]).messages[0].parts[0]
    assert isinstance(early, Result)
    assert early.name == "first"

"""The history that the program of the user makes of events, and sends back."""

import json
from typing import Any

from harness.agui import AgUiReader, Frontend


def taken(*events: dict[str, Any], frontend: Frontend | None = None) -> Frontend:
    frontend = frontend or Frontend("case")
    reader = AgUiReader()
    for event in events:
        for read in reader.read(json.dumps(event)):
            frontend.take(read)
    return frontend


CALL = (
    {"type": "TEXT_MESSAGE_START", "messageId": "m"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I "},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "look."},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look", "parentMessageId": "m"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"a"'},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": ": 1}"},
)
FUNCTION = {"name": "look", "arguments": '{"a": 1}'}


def test_a_call_belongs_to_the_message_that_it_names() -> None:
    frontend = taken(*CALL)
    calls = [{"id": "c", "type": "function", "function": FUNCTION}]
    assert frontend.messages == [{"id": "m", "role": "assistant", "content": "I look.", "toolCalls": calls}]
    assert frontend.call("c") == ("look", '{"a": 1}')
    assert frontend.call("d") == ("", "")


def test_results_are_behind_the_message_with_their_call() -> None:
    frontend = taken(*CALL, {"type": "TEXT_MESSAGE_START", "messageId": "n"})
    frontend.answer("c", "4", failed=False)
    assert [each["role"] for each in frontend.messages] == ["assistant", "tool", "assistant"]
    taken(
        {"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": "5"},
        frontend=frontend,
    )
    assert [each.get("content") for each in frontend.messages] == ["I look.", "4", "5", None]


def test_a_failed_call_says_so() -> None:
    frontend = taken(*CALL)
    frontend.answer("c", "It broke.", failed=True)
    assert frontend.messages[-1]["error"] == "It broke."


def test_what_only_the_provider_can_read_is_kept_where_it_belongs() -> None:
    frontend = taken(
        *CALL,
        {"type": "REASONING_MESSAGE_START", "messageId": "t"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "t", "delta": "Hm."},
        {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "t", "encryptedValue": "s1"},
        {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": "c", "encryptedValue": "s2"},
    )
    assert frontend.messages[-1] == {"id": "t", "role": "reasoning", "content": "Hm.", "encryptedValue": "s1"}
    assert frontend.messages[0]["toolCalls"][0]["encryptedValue"] == "s2"


def test_a_snapshot_takes_the_place_of_all() -> None:
    frontend = taken(*CALL, {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": "Hi"}]})
    assert [each["id"] for each in frontend.messages] == ["u"]


def test_the_input_of_a_run() -> None:
    frontend = Frontend("case")
    frontend.say("user", "Hi")
    sent = json.loads(frontend.run_input([{"name": "look"}], {"wire": "w"}))
    assert sent == {
        "threadId": "case",
        "runId": "case-run-1",
        "state": {},
        "messages": [{"id": "case-1", "role": "user", "content": "Hi"}],
        "tools": [{"name": "look"}],
        "context": [],
        "forwardedProps": {"wire": "w"},
    }

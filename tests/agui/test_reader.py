"""What events of AG-UI are in a trace."""

import json
from typing import Any

import pytest

from harness.agui import AgUiReader, ReadEvent
from harness.trace import (
    AgUiRecord,
    Assistant,
    Event,
    Failure,
    Final,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from tests.case_tables import from_table


def read(*events: Any) -> list[ReadEvent]:
    reader = AgUiReader()
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return [each for text in texts for each in reader.read(text)]


def emitted(*events: Any) -> list[Event]:
    return [event for each in read(*events) for event in each.events]


def types(*events: Any) -> list[tuple[str, str]]:
    return [(each.record.type, each.record.id) for each in read(*events)]


RUN = {"threadId": "t", "runId": "r"}


def test_text_and_thinking() -> None:
    assert emitted(
        {"type": "RUN_STARTED", **RUN},
        {"type": "REASONING_START", "messageId": "p"},
        {"type": "REASONING_MESSAGE_START", "messageId": "p", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "p", "delta": "Hm."},
        {"type": "TEXT_MESSAGE_START", "messageId": "m"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", **RUN},
    ) == [Thinking("Hm.", "p"), Assistant("Hi", "m"), Final("")]


def test_a_message_of_somebody_else_is_no_text_of_the_model() -> None:
    assert not emitted(
        {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "u", "delta": "Hi"},
    )


def test_a_call_with_its_arguments_and_a_result_of_which_nobody_says_whether_it_is_ok() -> None:
    assert emitted(
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"a"'},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": ": 1}"},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "4"},
    ) == [
        ToolStart("c", "look"),
        ToolArguments("c", '{"a"'),
        ToolArguments("c", ": 1}"),
        ToolResult("c", "look", "4", ok=None),
    ]


def test_a_result_may_have_parts() -> None:
    parts = [{"type": "text", "text": "4"}]
    result = {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": parts}
    assert emitted(result) == [ToolResult("c", "", parts, ok=None)]


def test_calls_without_a_result_are_known_until_they_have_one() -> None:
    reader = AgUiReader()
    start = {"type": "TOOL_CALL_START", "toolCallName": "look"}
    for id in ("c1", "c2"):
        list(reader.read(json.dumps({**start, "toolCallId": id})))
    assert reader.unanswered == ("c1", "c2")
    list(reader.read(json.dumps({"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c1", "content": ""})))
    reader.answered("c2")
    assert reader.unanswered == ()


@pytest.mark.parametrize(
    ("event", "end"),
    [
        ({"type": "RUN_FINISHED", **RUN}, Final("")),
        ({"type": "RUN_FINISHED", **RUN, "outcome": {"type": "success"}}, Final("")),
        ({"type": "RUN_FINISHED", **RUN, "outcome": {"type": "interrupt", "interrupts": []}}, Final("", "deferred")),
        ({"type": "RUN_FINISHED", **RUN, "outcome": {"type": "cancelled"}}, Failure("raised", "the run was cancelled")),
        ({"type": "RUN_ERROR", "message": "No."}, Failure("raised", "No.")),
        ({"type": "RUN_ERROR", "message": "No.", "code": "E7"}, Failure("raised", "E7: No.")),
    ],
)
def test_how_a_run_ends(event: Any, end: Event) -> None:
    assert emitted(event) == [end]


# --- chunks and older events --------------------------------------------------------------------------------------


def test_chunks_are_read_as_start_content_and_end() -> None:
    assert types(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a"},
        {"type": "RAW", "event": 1},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "b"},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "look", "delta": "{}"},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "d", "toolCallName": "look"},
        {"type": "RUN_FINISHED", **RUN},
    ) == [
        ("TEXT_MESSAGE_START", "m"),
        ("TEXT_MESSAGE_CONTENT", "m"),
        ("RAW", ""),
        ("TEXT_MESSAGE_CONTENT", "m"),
        ("TEXT_MESSAGE_END", "m"),
        ("TOOL_CALL_START", "c"),
        ("TOOL_CALL_ARGS", "c"),
        ("TOOL_CALL_END", "c"),
        ("TOOL_CALL_START", "d"),
        ("TOOL_CALL_END", "d"),
        ("RUN_FINISHED", "r"),
    ]


def test_the_first_chunk_of_a_message_says_which() -> None:
    [event] = read({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "delta": "{}"})
    assert event.record.wrong == "the first TOOL_CALL_CHUNK of a message needs 'toolCallName', and has none"


def test_each_agent_has_its_own_chunks() -> None:
    assert types(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "s", "delta": "x", "subagentRunId": "helper"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "b"},
    ) == [
        ("TEXT_MESSAGE_START", "m"),
        ("TEXT_MESSAGE_CONTENT", "m"),
        ("TEXT_MESSAGE_START", "s"),
        ("TEXT_MESSAGE_CONTENT", "s"),
        ("TEXT_MESSAGE_CONTENT", "m"),
    ]


def test_what_a_subagent_says_is_recorded_and_is_no_text_of_the_agent() -> None:
    [event] = read({"type": "TEXT_MESSAGE_CONTENT", "messageId": "s", "delta": "x", "subagentRunId": "helper"})
    assert (event.record, event.events) == (AgUiRecord("TEXT_MESSAGE_CONTENT", "s", "helper"), ())


def test_the_older_events_of_thinking() -> None:
    older = [
        {"type": "THINKING_START"},
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "Hm."},
        {"type": "THINKING_TEXT_MESSAGE_END"},
        {"type": "THINKING_END"},
    ]
    assert types(*older) == [
        ("REASONING_START", "phase-1"),
        ("REASONING_MESSAGE_START", "thinking-2"),
        ("REASONING_MESSAGE_CONTENT", "thinking-2"),
        ("REASONING_MESSAGE_END", "thinking-2"),
        ("REASONING_END", "phase-1"),
    ]
    assert emitted(*older) == [Thinking("Hm.", "thinking-2")]


# --- what has no form, or an unknown one --------------------------------------------------------------------------


@from_table(__file__, "test_what_is_malformed_says_so_and_nothing_else")
def test_what_is_malformed_says_so_and_nothing_else(event: Any, wrong: str) -> None:
    [found] = read("[" * 1000 + "]" * 1000 if event == "DEEP" else event)
    assert wrong in found.record.wrong
    assert not found.events


def test_an_unknown_type_is_passed_over() -> None:
    [found] = read({"type": "TEXT_SUNG", "messageId": 7})
    assert (found.record, found.events) == (AgUiRecord("TEXT_SUNG"), ())


def test_calls_in_messages_that_come_along_are_known() -> None:
    messages = [{"role": "assistant", "toolCalls": [{"id": "c0"}, {"id": 7}]}, "no message"]
    [snapshot] = read({"type": "MESSAGES_SNAPSHOT", "messages": messages})
    [started] = read({"type": "RUN_STARTED", **RUN, "input": {"messages": messages}})
    assert snapshot.record.calls == started.record.calls == ("c0",)

"""A run told line by line, and how two runs differ."""

from __future__ import annotations

from dataclasses import replace

from harness.report.story import changes, story
from harness.trace import (
    Assistant,
    CallerRecord,
    Case,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)

CASE = Case("a", "a", "openai-chat")


def run(*records: Record) -> Trace:
    return Trace(CASE, records)


ASKED = RequestRecord(0, "POST", "/v1/chat/completions", {}, b"{}")
ANSWERED = ResponseRecord(0, 200, {}, b"{}")
LOOK = EventRecord(ToolStart("call_1", "look", {"at": "Paris"}))
SEEN = EventRecord(ToolResult("call_1", "look", {"sky": "clear"}, ok=True))
DONE = EventRecord(Final("<p>", "completed"))
WHOLE = run(
    EventRecord(TurnStart(1)),
    ASKED,
    *(EventRecord(Thinking(piece, "t")) for piece in ("So", " what")),
    *(EventRecord(Assistant(piece, "a")) for piece in ("It", " is\n", "fine.")),
    LOOK,
    ANSWERED,
    SEEN,
    EventRecord(SetCode("<p>", "call_1", preview=True)),
    DONE,
)


def test_a_connection_that_ends_before_an_answer_is_no_status() -> None:
    lost, refused = ResponseRecord(0, 0, {}, b"", end="cut"), ResponseRecord(0, 503, {}, b"{}")
    assert story(run(ASKED, lost)) == ["request 1", "not answered: the connection has ended"]
    assert story(run(ASKED, refused)) == ["request 1", "answered with HTTP status 503"]


def test_a_run_is_told_in_its_order_with_pieces_joined_and_without_ids() -> None:
    assert story(WHOLE) == [
        "request 1",
        "thinking: So what",
        "assistant: It is fine.",
        'toolStart look {"at": "Paris"}',
        'toolResult look ok {"sky": "clear"}',
        "setCode (preview) 3 characters",
        "final completed, 3 characters of code",
    ]


def test_what_went_wrong_is_told() -> None:
    broken = run(ASKED, replace(ANSWERED, status=529), EventRecord(Failure("http", "overloaded")))
    assert story(broken) == ["request 1", "answered with HTTP status 529", "error http: overloaded"]


def test_a_long_line_shows_both_its_ends() -> None:
    (line,) = story(run(EventRecord(Assistant("begin " + "x" * 500 + " end", "a"))))
    assert line.startswith("assistant: begin")
    assert line.endswith("end")
    assert len(line) < 110


def test_runs_that_do_the_same_have_no_changes_whatever_their_pieces_and_ids() -> None:
    other = run(
        ASKED, EventRecord(Thinking("So what", "x")), EventRecord(Assistant("It is fine.", "y")), *WHOLE.records[7:]
    )
    other = replace(other, records=tuple(_renamed(record) for record in other.records))
    assert changes(WHOLE, replace(other, records=(*WHOLE.records[:1], *other.records))) == []


def _renamed(record: Record) -> Record:
    if isinstance(record, EventRecord) and isinstance(record.event, ToolStart | ToolResult):
        return replace(record, event=replace(record.event, id="another"))
    return record


def test_changes_show_what_is_gone_and_what_is_new() -> None:
    other = run(*[EventRecord(Final("", "refused")) if record is DONE else record for record in WHOLE.records])
    found = changes(WHOLE, other)
    assert "-final completed, 3 characters of code" in found
    assert "+final refused" in found
    assert not [line for line in found if "request" in line and line[0] in "+-"]


def test_what_the_caller_does_is_a_line() -> None:
    assert story(run(ASKED, CallerRecord("cancel"), CallerRecord("run", "And tomorrow?"))) == [
        "request 1",
        "the caller: cancel",
        "the caller: run: And tomorrow?",
    ]

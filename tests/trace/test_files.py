"""Traces as files: nothing is lost, and nothing that is not a trace is taken for one."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    Case,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    ResponseRecord,
    SetCode,
    SocketRecord,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
    Trace,
    TraceError,
    TurnStart,
    dump,
    dumps,
    load,
    loads,
)
from harness.trace.kinds import EVENTS
from harness.trace.parsing import _CHECKS

CASE = Case(
    id="hello.openai-chat.byte",
    scenario="hello",
    wire="openai-chat",
    seed=7,
    turn_limit=20,
    kinds={"ask": "external"},
    edits=(1, 3),
    generated=(3,),
    emits=("assistant", "final"),
    declines=("thread",),
)
TRACE = Trace(
    CASE,
    (
        EventRecord(TurnStart(1)),
        RequestRecord(0, "POST", "/v1/chat/completions", {"content-type": "application/json"}, b'{"a":1}', 0.5),
        EventRecord(Assistant("half \ud83d, line\u2028break", "a-1"), 0, 12, 0.75),
        EventRecord(ToolStart("call_1", "create_file", {"path": "é", "n": [1, 2.5, None, True]}), 0, 40),
        ResponseRecord(0, 200, {"x": "y"}, b"data: \xff\r\n\r\n", (4, 7), "cut", 1.0),
        EventRecord(SetCode("<p>", "call_1", preview=True), 0, 11),
        EventRecord(Failure("stream", "cut")),
        SocketRecord(1, "refuse", status=503, at=1.4),
        SocketRecord(2, "error", error="websocket_connection_limit_reached", at=1.4),
        AgUiRecord("MESSAGES_SNAPSHOT", calls=("call_1", "call_2"), at=1.4),
        AgUiRecord("", wrong="no JSON: Expecting value"),
        EventRecord(ToolArguments("call_1", "{")),
        EventRecord(ToolResult("call_1", "look", "4", ok=None)),
        CallerRecord("cancel", ended=("call_1",), at=1.5),
        CallerRecord("run", "And in Bergen?", resumed=True, model="a-model", wire="openai-chat", at=2.0),
    ),
)


# --- round trip -------------------------------------------------------------------------------------------------

text = st.text(st.characters(), max_size=12)
json_value: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
events = st.one_of(
    st.builds(TurnStart, st.integers(1, 30)),
    st.builds(Assistant, text, text),
    st.builds(Thinking, text, text),
    st.builds(ToolStart, text, text, json_value),
    st.builds(SetCode, text, st.none() | text, st.booleans()),
    st.builds(ToolResult, text, text, json_value, st.booleans()),
    st.builds(Failure, text, text),
    st.builds(Final, text, text, text),
)
times = st.floats(0, 1e6)
told = st.builds(EventRecord, events, st.none() | st.integers(0, 9), st.integers(0, 1 << 40), times)
headers = st.dictionaries(text, text, max_size=2)
ends = st.sampled_from(["eof", "cut", "reset", "closed"])
cases = st.builds(
    Case,
    text,
    text,
    text,
    seed=st.integers(),
    turn_limit=st.none() | st.integers(0, 99),
    kinds=headers,
    edits=st.lists(st.integers(1, 99), max_size=2).map(tuple),
)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    records: list[Any] = []
    for number in range(draw(st.integers(0, 2))):
        records.append(RequestRecord(number, draw(text), draw(text), draw(headers), draw(st.binary()), draw(times)))
        records += draw(st.lists(told, max_size=3))
        body, sizes = draw(st.binary()), tuple(draw(st.lists(st.integers(1, 99), max_size=3)))
        status = draw(st.integers(100, 599))
        records.append(ResponseRecord(number, status, draw(headers), body, sizes, draw(ends), draw(times)))
    return Trace(draw(cases), tuple(records + draw(st.lists(told, max_size=2))))


@given(traces())
@settings(max_examples=100, deadline=None)
def test_any_trace_is_read_back_as_it_was(trace: Trace) -> None:
    assert exact(loads(dumps(trace))) == exact(trace)


def exact(trace: Trace) -> str:
    """A comparison in which 1 is neither 1.0 nor true, and half a pair beside the other half is no whole."""
    return repr(trace)


def test_a_file_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "case.jsonl"
    dump(TRACE, path)
    assert load(path) == TRACE
    assert exact(load(path)) == exact(TRACE)


def test_a_file_is_ascii_but_for_halves_that_nobody_joined(tmp_path: Path) -> None:
    path = tmp_path / "case.jsonl"
    dump(TRACE, path)
    assert path.read_bytes().isascii()
    assert len(path.read_bytes().splitlines()) == 1 + len(TRACE.records)
    unjoined = Trace(CASE, (EventRecord(Assistant("\ud83d\ude00 é😀 \u2028", "a")),))
    dump(unjoined, path)
    assert load(path) == unjoined
    assert load(path) != Trace(CASE, (EventRecord(Assistant("😀 é😀 \u2028", "a")),))


def test_what_was_written_before_a_crash_can_be_read() -> None:
    lines = dumps(TRACE).splitlines()
    for count in range(1, len(lines) + 1):
        assert loads("\n".join(lines[:count])).records == TRACE.records[: count - 1]


def test_members_with_a_default_may_be_missing_and_blank_lines_too() -> None:
    head = '{"trace": 1, "id": "x", "scenario": "s", "wire": "w"}'
    trace = loads(f'{head}\r\n\r\n{{"event": "turnStart", "turn": 1}}\r\n')
    assert trace == Trace(Case("x", "s", "w"), (EventRecord(TurnStart(1)),))


def test_every_member_of_the_model_has_its_check() -> None:
    classes = [
        Case,
        EventRecord,
        RequestRecord,
        ResponseRecord,
        CallerRecord,
        SocketRecord,
        AgUiRecord,
        *EVENTS.values(),
    ]
    assert {str(field.type) for cls in classes for field in dataclasses.fields(cls)} == set(_CHECKS)


# --- bad files ----------------------------------------------------------------------------------------------------

HEAD: dict[str, Any] = {"trace": 1, "id": "x", "scenario": "s", "wire": "w"}
REQUEST: dict[str, Any] = {
    "record": "request",
    "exchange": 0,
    "method": "POST",
    "path": "/",
    "headers": {},
    "body": {"text": ""},
}
RESPONSE: dict[str, Any] = {"record": "response", "exchange": 0, "status": 200, "headers": {}, "body": {"text": ""}}
CODE: dict[str, Any] = {"event": "setCode", "code": "x"}

NO_KIND = "expected a member 'event', or 'record' with 'request', 'response', 'caller', 'socket' or 'ag-ui'"

BAD_HEADS: list[tuple[str, str]] = [
    ("", "t: empty: expected a trace, whose first line names the case"),
    (" \n\n", "t: empty: expected a trace"),
    ("hello", "t:1: not JSON: Expecting value"),
    ("[1]", "t:1: expected a JSON object, found [1]"),
    ("{}", "t:1: not a trace: expected a first line with the member 'trace'"),
    ('{"trace": 2}', "t:1: trace format 2 is unknown here; this version reads 1"),
    ('{"trace": "1"}', 't:1: trace format "1" is unknown here'),
    ('{"trace": true}', "t:1: trace format true is unknown here"),
    ('{"trace": 1, "id": "x", "scenario": "s"}', "t:1: Case needs the member 'wire'"),
    (json.dumps({**HEAD, "id": 5}), "t:1: 'id': expected a text, found 5"),
    (json.dumps({**HEAD, "seed": "7"}), "t:1: 'seed': expected a whole number, found \"7\""),
    (json.dumps({**HEAD, "turn_limit": 1.5}), "t:1: 'turn_limit': expected a whole number or null, found 1.5"),
    (json.dumps({**HEAD, "colour": 1}), "t:1: unknown member 'colour' of Case"),
]

BAD_RECORDS: list[tuple[Any, str]] = [
    ('{"event": "setCode", "co', "not JSON: Unterminated string"),
    ("[" * 100_000, "not JSON"),
    ('"text"', 'expected a JSON object, found "text"'),
    ({"event": "setcode", "code": ""}, 'unknown event "setcode"; expected one of turnStart, assistant,'),
    ({"event": ["setCode"]}, 'unknown event ["setCode"]'),
    ({"event": "setCode"}, "SetCode needs the member 'code'"),
    ({**CODE, "code": 3}, "'code': expected a text, found 3"),
    ({**CODE, "id": 3}, "'id': expected a text or null, found 3"),
    ({**CODE, "preview": 1}, "'preview': expected true or false, found 1"),
    ({**CODE, "colour": 1}, "unknown member 'colour' of SetCode"),
    ({**CODE, "told": 3}, "'told': expected an object, found 3"),
    ({**CODE, "told": {"offset": "3"}}, "'offset': expected a whole number, found \"3\""),
    ({**CODE, "told": {"offset": True}}, "'offset': expected a whole number, found true"),
    ({**CODE, "told": {"exchange": "0"}}, "'exchange': expected a whole number or null, found \"0\""),
    ({**CODE, "told": {"at": "noon"}}, "'at': expected a number, found \"noon\""),
    ({**CODE, "told": {"at": True}}, "'at': expected a number, found true"),
    ({**CODE, "told": {"colour": 1}}, "unknown member 'colour' of EventRecord"),
    ({"event": "turnStart", "turn": "1"}, "'turn': expected a whole number, found \"1\""),
    (
        {},
        f"{NO_KIND}; found neither",
    ),
    (
        {"record": "question"},
        f'{NO_KIND}; found "question"',
    ),
    ({**REQUEST, "headers": ["a"]}, "'headers': expected an object of texts, found [\"a\"]"),
    ({**REQUEST, "headers": {"a": 1}}, "'headers': expected an object of texts, found {\"a\": 1}"),
    ({**REQUEST, "exchange": None}, "'exchange': expected a whole number, found null"),
    ({**REQUEST, "status": 200}, "unknown member 'status' of RequestRecord"),
    ({**REQUEST, "body": "text"}, "'body': expected an object with 'text' or 'base64', found \"text\""),
    ({**REQUEST, "body": {}}, "'body': expected an object with 'text' or 'base64', found {}"),
    ({**REQUEST, "body": {"text": "a", "base64": ""}}, "'body': expected an object with 'text' or 'base64'"),
    ({**REQUEST, "body": {"base64": "a"}}, "'body': "),
    ({**REQUEST, "body": {"base64": "QUJD!"}}, "'body': "),
    ({**REQUEST, "body": {"text": "\ud83d"}}, "'body': "),
    ({**RESPONSE, "end": "bang"}, "'end': expected one of eof, cut, reset, closed, found \"bang\""),
    ({**RESPONSE, "end": []}, "'end': expected one of eof, cut, reset, closed, found []"),
    ({**RESPONSE, "chunks": [1, "2"]}, "'chunks': expected a list of whole numbers, found [1, \"2\"]"),
    ({**RESPONSE, "chunks": 5}, "'chunks': expected a list of whole numbers, found 5"),
    ({**RESPONSE, "exchange": 1}, "the response of exchange 1 comes before its request, or without one"),
    (REQUEST, "a second request of exchange 0; every exchange has its own number"),
]


@pytest.mark.parametrize(("content", "problem"), BAD_HEADS)
def test_a_bad_first_line_says_what_is_wrong(content: str, problem: str) -> None:
    with pytest.raises(TraceError) as caught:
        loads(content, name="t")
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(("record", "problem"), BAD_RECORDS)
def test_a_bad_record_says_where_and_what_is_wrong(record: Any, problem: str) -> None:
    line = record if isinstance(record, str) else json.dumps(record)
    content = "\n".join([json.dumps(HEAD), json.dumps(REQUEST), line])
    with pytest.raises(TraceError) as caught:
        loads(content, name="t")
    assert str(caught.value).startswith(f"t:3: {problem}")
    assert len(caught.value.problems) == 1


def test_good_records_beside_the_bad_ones_are_good() -> None:
    content = "\n".join(map(json.dumps, [HEAD, REQUEST, CODE, RESPONSE]))
    assert len(loads(content).records) == 3


def test_a_second_response_is_refused() -> None:
    with pytest.raises(TraceError, match=r"t:4: a second response of exchange 0; an exchange has one"):
        loads("\n".join(map(json.dumps, [HEAD, REQUEST, RESPONSE, RESPONSE])), name="t")


def test_every_bad_line_is_reported_and_none_twice() -> None:
    lines = [HEAD, {**REQUEST, "method": 5, "path": 6}, RESPONSE, {"event": "nothing"}]
    with pytest.raises(TraceError) as caught:
        loads("\n".join(map(json.dumps, lines)), name="t")
    assert [problem.split(": ")[0] for problem in caught.value.problems] == ["t:2", "t:2", "t:4"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.jsonl"
    with pytest.raises(TraceError) as caught:
        load(missing)
    assert str(caught.value) == f"{missing}: cannot read the trace: No such file or directory"
    with pytest.raises(TraceError, match="cannot read the trace: Is a directory"):
        load(tmp_path)
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\x89PNG\r\n\xff")
    with pytest.raises(TraceError, match="not a trace: expected JSON Lines text, found bytes that are not UTF-8"):
        load(binary)
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(TraceError, match=r"empty\.jsonl: empty: expected a trace"):
        load(empty)


@pytest.mark.slow
def test_a_file_cut_at_any_byte_is_read_or_refused(tmp_path: Path) -> None:
    whole = dumps(TRACE).encode()
    path = tmp_path / "case.jsonl"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        records, problems = outcome(path)
        assert records == TRACE.records[: len(records)]
        assert all(problem.startswith(str(path)) for problem in problems)
        assert bool(problems) == (end == 0 or (whole[:end].splitlines()[-1] not in whole.splitlines()))


def outcome(path: Path) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    try:
        return load(path).records, ()
    except TraceError as error:
        return (), error.problems

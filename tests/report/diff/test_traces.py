"""Traces of a case in two runs: what is the same although its bytes are not, and the first record that differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.report.diff import Comparison, compare
from harness.report.diff import traces as reading
from harness.report.diff.model import TraceChange
from harness.trace import Assistant, EventRecord, Final, Record, ResponseRecord, ToolStart, Trace
from tests.report.diff.making import case, evidence, request, trace, written

ASKED = request('{"model":"m","messages":[{"role":"user","content":"Hello"}]}')
ANSWERED = ResponseRecord(0, 200, {}, b'{"id":"chatcmpl-aaaaaaaa","choices":[]}', at=0.7)
SAID = EventRecord(Assistant("Hi", "a"), 0, 10, 0.8)
ENDED = EventRecord(Final(""), 0, 20, 0.9)


def compared(tmp_path: Path, base: Trace, new: Trace) -> Comparison:
    here = case(trace="traces/a.jsonl")
    one = written(tmp_path / "base", here, traces={"a": base})
    return compare(one, written(tmp_path / "new", here, traces={"a": new}))


def change(tmp_path: Path, base: tuple[Record, ...], new: tuple[Record, ...]) -> TraceChange:
    (only,) = compared(tmp_path, trace(*base), trace(*new)).cases
    assert only.kind == "trace"
    assert not only.regression
    assert only.trace is not None
    return only.trace


def test_traces_that_differ_in_clocks_are_the_same_and_are_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = (replace(ASKED, at=1.25e-05), replace(ANSWERED, at=3.0), replace(SAID, at=4.0), replace(ENDED, at=5.0))
    monkeypatch.setattr(reading, "load", None)
    comparison = compared(tmp_path, trace(ASKED, ANSWERED, SAID, ENDED), trace(*later, seed=7))
    assert (comparison.cases, comparison.unchanged) == ((), 1)


def test_ids_headers_and_pieces_are_not_behaviour(tmp_path: Path) -> None:
    other = ResponseRecord(0, 200, {"date": "now"}, ANSWERED.body.replace(b"aaaaaaaa", b"bbbbbbbb"), (3, 4))
    comparison = compared(tmp_path, trace(ASKED, ANSWERED, ENDED), trace(request(ASKED.body.decode()), other, ENDED))
    assert comparison.cases == ()


def test_where_a_response_ended_among_the_events_is_not_behaviour(tmp_path: Path) -> None:
    comparison = compared(tmp_path, trace(ASKED, SAID, ANSWERED, ENDED), trace(ASKED, ANSWERED, SAID, ENDED))
    assert comparison.cases == ()


def test_the_lines_are_those_of_the_files(tmp_path: Path) -> None:
    other = EventRecord(Assistant("Hello", "a"))
    found = change(tmp_path, (ASKED, SAID, ENDED, ANSWERED), (ASKED, ANSWERED, other, ENDED))
    assert (found.what, found.base_at, found.new_at) == ("event assistant: text", 3, 4)


def test_a_request_that_says_something_else(tmp_path: Path) -> None:
    found = change(tmp_path, (ASKED, ENDED), (request(ASKED.body.decode().replace("Hello", "Good day")), ENDED))
    assert found.what == "request 1: messages[0].content"
    assert (found.base_at, found.new_at) == (2, 2)
    assert found.lines == (
        "@@ body.messages[0] @@",
        '   "role": "user"',
        '-  "content": "Hello"',
        '+  "content": "Good day"',
    )


def test_an_event_that_is_new_and_one_that_is_missing(tmp_path: Path) -> None:
    short, long = (ASKED, ANSWERED, ENDED), (ASKED, ANSWERED, SAID, ENDED)
    added = change(tmp_path, short, long)
    assert (added.what, added.base_at, added.new_at) == ("event assistant is new", None, 4)
    assert all(line.startswith("+") for line in added.lines)
    assert '+  "text": "Hi"' in added.lines
    removed = change(tmp_path, long, short)
    assert (removed.what, removed.base_at, removed.new_at) == ("event assistant is missing", 4, None)
    assert [f"+{line[1:]}" for line in removed.lines] == list(added.lines)


def test_a_trace_that_ends_earlier(tmp_path: Path) -> None:
    assert change(tmp_path, (ASKED, ANSWERED, ENDED), (ASKED, ANSWERED)).what == "event final is missing"
    assert change(tmp_path, (ASKED, ANSWERED), (ASKED, ANSWERED, ENDED)).what == "event final is new"


def test_one_event_in_the_place_of_another(tmp_path: Path) -> None:
    started = EventRecord(ToolStart("call", "look", {}))
    found = change(tmp_path, (ASKED, ANSWERED, SAID, ENDED), (ASKED, ANSWERED, started, ENDED))
    assert found.what == "event toolStart in the place of event assistant"
    assert {line[0] for line in found.lines} == {"-", "+"}


def test_a_finding_that_quotes_an_id_is_the_same_with_another_id(tmp_path: Path) -> None:
    folders = []
    for number, id in enumerate(("call_aaaaaaaa", "call_bbbbbbbb")):
        found = evidence("history/results", f"none for {id}, and {id[:9]}… again")
        here = case("a", "fail", found, trace="traces/a.jsonl")
        made = trace(ASKED, EventRecord(ToolStart(id, "look", {})), ENDED, seed=number)
        folders.append(written(tmp_path / str(number), here, traces={"a": made}))
    assert compare(*folders).cases == ()


@pytest.mark.parametrize("text", [b"", b"no trace\n", b'{"trace":1}\n', b"\xff\n"])
def test_a_trace_that_cannot_be_read_is_told(tmp_path: Path, text: bytes) -> None:
    here = case(trace="traces/a.jsonl")
    folders = [written(tmp_path / name, here, traces={"a": trace(ENDED)}) for name in ("base", "new")]
    (tmp_path / "new/traces/a.jsonl").write_bytes(text)
    comparison = compare(*folders)
    assert str(tmp_path / "new/traces/a.jsonl") in comparison.unread[0]
    (tmp_path / "new/traces/a.jsonl").unlink()
    (problem,) = compare(*folders).unread
    assert problem == f"{tmp_path}/new/traces/a.jsonl: cannot read the trace: No such file or directory"


@pytest.mark.parametrize("name", ["\ud800", "\x00", "../\x00"])
def test_a_trace_that_no_file_can_be_is_told(tmp_path: Path, name: str) -> None:
    here = case(trace=name)
    (problem,) = compare(written(tmp_path / "base", here), written(tmp_path / "new", here)).unread
    assert problem.endswith(f"{name}: no file can have such a name")


def test_what_requests_are_made_of(tmp_path: Path) -> None:
    here = [case(name, trace=f"traces/{name}.jsonl") for name in "abc"]
    plain, strict = request('{"model":"m"}', a="1"), request('{"model":"m","store":false}', a="1", b="2")
    dropped = request('{"store":false}', a="1")
    base = written(tmp_path / "base", *here, traces={"a": trace(plain), "b": trace(plain), "c": trace(plain)})
    new = written(tmp_path / "new", *here, traces={"a": trace(strict), "b": trace(plain), "c": trace(plain)})
    assert [(each.what, each.base, each.new, each.cases) for each in compare(base, new).shapes] == [
        ("header b", 0, 1, 3),
        ("store: boolean", 0, 1, 3),
    ]
    # One case of three no longer has a model: the others, whose traces are the same, still have.
    newer = written(tmp_path / "newer", *here, traces={"a": trace(dropped), "b": trace(plain), "c": trace(plain)})
    assert [each.what for each in compare(base, newer).shapes] == ["store: boolean"]


def test_cases_of_one_run_only_say_nothing_of_requests(tmp_path: Path) -> None:
    both, fresh = case("a", trace="traces/a.jsonl"), case("b", trace="traces/b.jsonl")
    base = written(tmp_path / "base", both, traces={"a": trace(ASKED)})
    new = written(tmp_path / "new", both, fresh, traces={"a": trace(ASKED), "b": trace(request('{"new":1}'))})
    assert compare(base, new).shapes == ()

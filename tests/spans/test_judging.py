"""Requests in spans, judged conversation by conversation: what goes on from what, and what is not judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.spans import index as index_module
from tests.spans.spans import (
    ANSWERED,
    ASKED,
    CALL,
    CALLED,
    asked,
    document,
    ids,
    judged,
    request,
    response,
    span,
    written,
)

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl"}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4096}


def test_a_right_loop_has_no_finding(tmp_path: Path) -> None:
    first = asked(1, request(ASKED), response(CALL))
    second = asked(
        2, request(ASKED, CALLED, ANSWERED), response({"type": "text", "text": "ho"}, id="msg_2", stop="end_turn")
    )
    findings, totals = judged(written(tmp_path / "f", document(first, second)))
    assert findings == []
    assert dict(totals.grades) == {"whole": 2}


def test_a_forgotten_result_is_found_at_its_span(tmp_path: Path) -> None:
    first = asked(1, request(ASKED), response(CALL))
    second = asked(2, request(ASKED, CALLED, ASKED))
    findings, _ = judged(written(tmp_path / "f", document(first), document(second)))
    assert ids(findings) == ["ANT-01", "history/results"]
    assert {(each.line, each.span) for each in findings} == {(2, f"{2:016x}")}


def test_the_order_of_a_file_is_not_that_of_the_requests(tmp_path: Path) -> None:
    """Spans are written when they end, and in batches."""
    thought = asked(1, request(ASKED, **THINKING), response(THOUGHT, CALL))
    forgot = asked(2, request(ASKED, CALLED, ANSWERED, **THINKING))
    for order in ((thought, forgot), (forgot, thought)):
        findings, _ = judged(written(tmp_path / "f", document(*order)))
        assert ids(findings) == ["ANT-15", "ANT-16", "history/model-thinking"]


def test_a_request_that_was_answered_is_no_fault_unless_that_is_asked_for(tmp_path: Path) -> None:
    answer = response({"type": "text", "text": "ho"}, stop="end_turn")
    path = written(tmp_path / "f", document(asked(1, request(ASKED, CALLED, ASKED), answer)))
    [found] = judged(path, answered=False)[0]
    assert (found.finding.id, found.accepted) == ("ANT-01", True)
    [found] = judged(path, answered=True)[0]
    assert (found.finding.id, found.accepted) == ("ANT-01", False)


def test_a_reply_that_is_in_no_span_is_not_taken_for_a_forged_one(tmp_path: Path) -> None:
    """Sampling and full queues lose spans: what nobody recorded is not known, which is not the same as not there."""
    other = {**CALL, "id": "toolu_2"}
    called = {"role": "assistant", "content": [THOUGHT, other]}
    answered = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": "r"}]}
    first = asked(1, request(ASKED, **THINKING), response(THOUGHT, CALL))
    thought = {"role": "assistant", "content": [THOUGHT, CALL]}
    third = asked(3, request(ASKED, thought, ANSWERED, called, answered, **THINKING))
    findings, _ = judged(written(tmp_path / "f", document(first, third)))
    assert findings == []


def test_conversations_of_one_trace_are_kept_apart(tmp_path: Path) -> None:
    one = [asked(1, request(ASKED), response(CALL)), asked(4, request(ASKED, CALLED, ANSWERED))]
    hello = {"role": "user", "content": "hello"}
    other = [asked(2, request(hello), response(CALL, id="msg_2")), asked(3, request(hello, CALLED, ANSWERED))]
    findings, totals = judged(written(tmp_path / "f", document(*one, *other)))
    assert (findings, len(totals.traces)) == ([], 1)


def test_a_conversation_of_several_traces_is_one(tmp_path: Path) -> None:
    first = asked(1, request(ASKED), response(CALL))
    second = {**asked(2, request(ASKED, CALLED, ASKED)), "traceId": f"{5:032x}"}
    findings, totals = judged(written(tmp_path / "f", document(first, second)))
    assert (ids(findings), len(totals.traces)) == (["ANT-01", "history/results"], 2)


def test_a_request_that_is_in_two_spans_is_one(tmp_path: Path) -> None:
    """A framework and the SDK below it, both recorded; the one that shows more counts, and the outer one of equals."""
    empty = span(3, 1, gen_ai__operation__name="chat", gen_ai__response__id="msg_1")
    whole = asked(4, request(ASKED), response(CALL), parent=2)
    part = span(2, gen_ai__operation__name="chat", gen_ai__input__messages=json.dumps([ASKED]))
    apart = span(5, gen_ai__operation__name="chat", gen_ai__response__id="msg_1")
    findings, totals = judged(
        written(tmp_path / "f", document(whole, part, {**empty, "parentSpanId": f"{4:016x}"}, apart))
    )
    assert (findings, dict(totals.grades)) == ([], {"whole": 1})


def test_a_turn_limit_counts_the_turns_of_each_conversation(tmp_path: Path) -> None:
    history: list[Any] = [ASKED]
    spans = []
    for number in range(1, 6):
        call = {**CALL, "id": f"toolu_{number}"}
        spans.append(asked(number, request(*history), response(call, id=f"msg_{number}")))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "r"}
        history += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    path = written(tmp_path / "f", document(*spans))
    assert judged(path, turn_limit=5)[0] == []
    findings, _ = judged(path, turn_limit=3)
    assert ids(findings) == ["guardrail/turn-limit"]
    assert findings[0].span == f"{4:016x}"


def test_what_begins_alike_is_judged_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million requests may begin alike: a classifier asks the same question again and again."""
    monkeypatch.setattr("harness.spans.judging.MOST_IN_GROUP", 3)
    assert index_module.MOST_IN_GROUP > 3
    spans = [asked(n, request(ASKED, CALLED, ASKED)) for n in range(1, 11)]
    findings, totals = judged(written(tmp_path / "f", document(*spans)))
    assert (ids(findings), len(findings), dict(totals.grades)) == (["ANT-01"], 10, {"whole": 10})


def test_a_file_without_requests_is_not_fine(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"expected spans of requests to a model, found none in 1 spans; is the instr"):
        judged(written(tmp_path / "f", document(span(1, http__method="GET"))))
    with pytest.raises(BadInput, match=r"found none in 0 spans$"):
        judged(written(tmp_path / "f", {}))
    with pytest.raises(BadInput, match="cannot be read"):
        judged(tmp_path / "missing")


def test_a_body_that_is_no_request_of_its_wire_is_reported(tmp_path: Path) -> None:
    body = json.dumps({"model": "claude-sonnet-4-6", "max_tokens": 9, "system": "", "messages": 5})
    findings, totals = judged(written(tmp_path / "f", document(asked(1, body))))
    assert dict(totals.grades) == {"whole": 1}
    assert all(found.finding.id.startswith("ANT-") for found in findings)
    assert findings


def test_requests_in_part_can_be_left_out(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
        {"role": "user", "parts": [{"type": "text", "content": "and?"}]},
    ]
    part = span(
        1, gen_ai__operation__name="chat", gen_ai__system="openai", gen_ai__input__messages=json.dumps(messages)
    )
    path = written(tmp_path / "f", document(part, scope="opentelemetry.instrumentation.openai"))
    findings, totals = judged(path)
    assert (ids(findings), dict(totals.grades)) == (["OAC-03"], {"in part": 1})
    assert judged(path, only_whole=True)[0] == []


def test_rows_of_phoenix_are_judged(tmp_path: Path) -> None:
    """Whole requests as its API has them, and messages as its table has them."""
    first = {"name": "a", "start_time": "2026-11-26T10:00:00Z", "span_kind": "LLM"}
    second = {"name": "b", "start_time": "2026-11-26T10:00:05Z", "span_kind": "LLM"}
    ids_of = [{"trace_id": "t", "span_id": each} for each in ("s1", "s2")]
    whole = [
        {**first, "context": ids_of[0], "attributes": {"input": {"value": request(ASKED)}}},
        {**second, "context": ids_of[1], "attributes": {"input": {"value": request(ASKED, CALLED, ASKED)}}},
    ]
    findings, totals = judged(written(tmp_path / "api", *whole))
    assert (ids(findings), dict(totals.grades)) == (["ANT-01"], {"whole": 2})
    call = {"tool_call.id": "c", "tool_call.function.name": "f", "tool_call.function.arguments": "{}"}
    messages = [
        {"message.role": "user", "message.content": "hi"},
        {"message.role": "assistant", "message.tool_calls": [call]},
        {"message.role": "user", "message.content": "and?"},
    ]
    row = {**second, "context.trace_id": "t", "context.span_id": "s2", "attributes.llm.input_messages": messages}
    findings, totals = judged(written(tmp_path / "table", {"data": [row]}))
    assert (ids(findings), dict(totals.grades)) == (["OAC-03"], {"in part": 1})


def test_a_download_of_langfuse_is_judged(tmp_path: Path) -> None:
    call = {"id": "c", "name": "f", "args": {}, "type": "tool_call"}
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": {"type": "function", "function": {"name": "f"}}},
        {"role": "user", "content": "and?"},
    ]
    generation = {"id": "o1", "traceId": "t", "type": "GENERATION", "name": "ChatOpenAI", "model": "gpt-4.1"}
    trace = {"id": "t", "observations": [{**generation, "input": history, "output": None}]}
    findings, totals = judged(written(tmp_path / "f", trace))
    assert (ids(findings), dict(totals.grades)) == (["OAC-03"], {"in part": 1})

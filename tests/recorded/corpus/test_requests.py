"""Recorded requests under the rules: what counts as a mistake of the rules, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison
from harness.wire import NativeWireName
from harness_lab.recorded.requests.judged import REFUSAL, JudgedRequest
from harness_lab.recorded.requests.other_servers import refused_by_another
from harness_lab.recorded.requests.refusals import is_about_history
from harness_lab.recorded.requests.report import request_report
from harness_lab.recorded.requests.requests import judge_requests
from tests.case_tables import from_table
from tests.recorded.corpus.recordings import recorded
from tests.recorded.corpus.shared_exchanges import judged_requests

USER = {"role": "user", "content": "a"}
LONG_ID = "call_" + "x" * 40
EMPTY_LIST = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."


def chat(messages: list[Any], **changed: Any) -> RecordedExchange:
    request = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    return recorded("openai-chat", b"{}", **{"request": request, "provider": "openai", **changed})


def error(message: str, param: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "param": param}}).encode()


def judged(*exchanges: RecordedExchange) -> list[RecordedComparison[JudgedRequest]]:
    """With memory."""
    return [request for request in judge_requests(exchanges) if request.happened.memory == "with memory"]


def wrongly_refused(found: RecordedComparison[JudgedRequest]) -> tuple[str, ...]:
    """The certain rules against which the request was accepted, as it was sent."""
    return tuple(dict.fromkeys(each.place for each in found.differences if each.place != REFUSAL))


def excused(found: RecordedComparison[JudgedRequest]) -> tuple[str, ...]:
    """The certain rules that it breaks only since its recorder has changed it."""
    return tuple(dict.fromkeys(each.place for _, those in found.explained for each in those if each.place != REFUSAL))


def unrecognised(found: RecordedComparison[JudgedRequest]) -> bool:
    """Whether no rule says why the endpoint refused the history."""
    return REFUSAL in [each.place for each in found.differences]


def with_long_id() -> list[Any]:
    call = {"id": LONG_ID, "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assistant = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [USER, assistant, {"role": "tool", "tool_call_id": LONG_ID, "content": "r"}]


def test_each_request_is_judged_with_and_without_memory() -> None:
    found = list(
        judge_requests([chat([USER]), recorded("openai-chat", b"{}", request=b"{}", url="https://a/v1/files")])
    )
    assert [(request.happened.memory, request.happened.wire) for request in found] == [
        ("with memory", "openai-chat"),
        ("without memory", "openai-chat"),
    ]


def test_a_request_that_was_accepted_breaks_no_certain_rule() -> None:
    (own,) = judged(chat(with_long_id()))
    assert (wrongly_refused(own), excused(own)) == (("OAC-07",), ())


def with_replaced_id(fidelity: str) -> RecordedExchange:
    """A request whose recorder has put something else in the place of an id, or one that was really sent so."""
    item = {"type": "function_call", "id": "[REDACTED]", "call_id": "call_1", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "r"}
    body = json.dumps({"model": "gpt-5.5", "input": [{"role": "user", "content": "a"}, item, output]}).encode()
    return recorded("openai-responses", b"{}", request=body, provider="openai", fidelity=fidelity, file="b")


def test_what_a_recorder_has_replaced_says_nothing_of_the_rule() -> None:
    (replaced,) = judged(with_replaced_id("normalised"))
    assert (wrongly_refused(replaced), excused(replaced)) == ((), ("OAI-07",))
    (sent,) = judged(with_replaced_id("wire"))
    assert (wrongly_refused(sent), excused(sent)) == (("OAI-07",), ())


def test_a_refused_history_must_break_the_rule_that_says_so() -> None:
    (right,) = judged(chat([], status=400, response=error(EMPTY_LIST, "messages")))
    assert (right.happened.about_history, unrecognised(right)) == (True, False)
    (other_words,) = judged(chat([], status=400, response=error("messages: wrong", "messages")))
    assert (other_words.happened.about_history, unrecognised(other_words)) == (True, True)
    (unknown,) = judged(chat([USER], status=400, response=error("messages[0] is wrong", "messages[0]")))
    assert unrecognised(unknown)
    assert wrongly_refused(unknown) == ()


@from_table(__file__, "test_what_is_about_the_history")
def test_what_is_about_the_history(status: int, message: str, param: str | None, about: bool) -> None:
    assert is_about_history(chat([USER], status=status, response=error(message, param))) is about


@pytest.mark.parametrize("body", [None, b"<html>messages</html>", b"[]", b'{"error": "no"}'])
def test_error_bodies_that_say_little(body: bytes | None) -> None:
    assert not is_about_history(chat([USER], status=400, response=body))


def test_the_report() -> None:
    exchanges = [
        chat(with_long_id(), file="a"),
        with_replaced_id("normalised"),
        chat([], file="c", status=400, response=error("messages: wrong", "messages")),
    ]
    lines = list(request_report(list(judge_requests(exchanges))))
    rows = [line.split() for line in lines if line.startswith("openai-")]
    responses, of_chat = ["1", "0", "1", "0", "0", "1", "0", "0"], ["2", "0", "1", "1", "0", "0", "1", "0"]
    assert rows == [["openai-responses", *responses], ["openai-chat", *of_chat]] * 2
    told = lines[lines.index("changed since they were accepted") :]
    assert told[1].split(":")[0].split() == ["1", "OAI-07"]
    assert told[2] == "        for example b#0"
    wrong = [line for line in told if line.startswith(("ACCEPTED", "NOT"))]
    assert list(dict.fromkeys(wrong)) == [
        "ACCEPTED AGAINST OAC-07 openai-chat a#0 (with memory)",
        "NOT RECOGNISED openai-chat c#0 (with memory)",
        "ACCEPTED AGAINST OAC-07 openai-chat a#0 (without memory)",
    ]


def test_a_report_of_nothing() -> None:
    assert list(request_report([])) == []


@pytest.mark.parametrize(
    ("wire", "accepted", "refused"), [("openai-responses", 208, 2), ("openai-chat", 138, 5)], ids=str
)
def test_the_second_set_of_recordings(shared: Path, wire: NativeWireName, accepted: int, refused: int) -> None:
    """As below, of recordings that nobody had seen when most of the rules were written."""
    requests = [request for request in judged_requests(shared, "corpus2") if request.happened.wire == wire]
    assert [request.happened.exchange.name for request in requests if wrongly_refused(request)] == []
    with_memory = [request for request in requests if request.happened.memory == "with memory"]
    assert sum(request.happened.accepted for request in with_memory) == accepted
    errors = [
        request
        for request in with_memory
        if request.happened.about_history and not refused_by_another(request.happened)
    ]
    assert [request.happened.exchange.name for request in errors if unrecognised(request)] == []
    assert len(errors) == refused


def test_the_shared_recordings(shared: Path) -> None:
    """No accepted request breaks a certain rule, with or without memory, and every refused history the right one."""
    requests = judged_requests(shared)
    assert len(requests) == 2 * 2113
    assert [request.happened.exchange.name for request in requests if wrongly_refused(request)] == []
    assert len({request.happened.exchange.name for request in requests if excused(request)}) == 16
    with_memory = [request for request in requests if request.happened.memory == "with memory"]
    assert sum(request.happened.judgement.remembered > 0 for request in with_memory) == 866
    errors = [
        request
        for request in with_memory
        if request.happened.about_history and not refused_by_another(request.happened)
    ]
    assert len(errors) == 11
    assert [request.happened.exchange.name for request in errors if unrecognised(request)] == []

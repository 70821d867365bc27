"""Recordings as traces: where requests stand, which code is whose, and what is not made up."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.rules import judge
from harness.trace import (
    Event,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Trace,
    dumps,
    loads,
)
from harness.trace.kinds import event_kind
from harness.wire import wire
from harness_lab.recorded.golden import traces_of
from harness_lab.recorded.golden.imported import trace_of
from harness_lab.recorded.reading.golden import read_runs
from tests.case_tables import from_table
from tests.recorded.golden.recordings import PAGE, call, code, created, ended, read, run_of, said, started, text

PROVIDERS = ("openai", "anthropic", "gemini")


def shape(trace: Trace) -> list[str]:
    """The records in a word each."""
    words = []
    for record in trace.records:
        if isinstance(record, EventRecord):
            words.append(event_kind(record.event))
        else:
            words.append("request" if isinstance(record, RequestRecord) else "response")
    return words


def codes(trace: Trace) -> list[tuple[str, str | None, bool]]:
    return [(emitted.event.code, emitted.event.id, emitted.event.preview) for emitted in emissions(trace, SetCode)]


def emissions(trace: Trace, kind: type[Event]) -> list[Any]:
    return [emitted for _, emitted in trace.events if isinstance(emitted.event, kind)]


def turn_with(tmp_path: Path, *events: Any, completion: str = "") -> Trace:
    """The trace of one turn with these events; what the model sent does not matter here."""
    recording = run_of([{"parts": [text("x")]}], events=list(events))
    recording["outcome"]["completion"] = completion
    return trace_of(read(tmp_path, recording))


# --- order ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_sound_run_is_sound(provider: str, tmp_path: Path) -> None:
    trace = trace_of(read(tmp_path, created(provider), f"created.{provider}"))
    preview = [] if provider == "gemini" else ["setCode"]
    assert shape(trace) == [
        "request",
        "assistant",
        "assistant",
        "toolStart",
        *preview,
        "setCode",
        "response",
        "setCode",
        "toolResult",
        "request",
        "assistant",
        "response",
        "final",
    ]
    assert judge(trace) == []
    assert loads(dumps(trace)) == trace
    assert (trace.case.id, trace.case.source, trace.case.turn_limit) == (f"created.{provider}", "golden", 20)


def test_requests_are_the_recorded_histories(tmp_path: Path) -> None:
    recording = created("anthropic")
    requests = [record for record in trace_of(read(tmp_path, recording)).records if isinstance(record, RequestRecord)]
    assert [json.loads(request.body)["messages"] for request in requests] == [
        request["history"] for request in recording["requests"]
    ]
    assert all(request.path == "/v1/messages" for request in requests)


def test_nothing_is_made_up_of_times_and_offsets(tmp_path: Path) -> None:
    trace = trace_of(read(tmp_path, created()))
    assert {(emitted.exchange, emitted.offset, emitted.at) for _, emitted in trace.events} == {(None, 0, 0.0)}
    assert "turnStart" not in shape(trace)
    assert all(not record.chunks for record in trace.records if isinstance(record, ResponseRecord))


def test_a_request_that_brings_what_was_not_told_is_refused(tmp_path: Path) -> None:
    recording = created()
    recording["events"] = [event for event in recording["events"] if event["type"] != "toolResult"]
    with pytest.raises(
        BadInput, match=r"created\.anthropic\.json: request 2 brings 1 results, of which 0 were reported"
    ):
        trace_of(read(tmp_path, recording))


def test_paths_and_histories_of_another_wire_are_refused_all_at_once(tmp_path: Path) -> None:
    one, other = created(), created("gemini")
    one["requests"][0]["path"] = "/v1/chat/completions"
    other["requests"][0]["history"] = [{"role": "user", "parts": [{"text": 1}]}]
    other["requests"][1]["path"] = "/v1/messages"
    with pytest.raises(BadInput) as refused:
        traces_of([read(tmp_path, one, "a"), read(tmp_path, other, "b")])
    first, second = refused.value.problems
    assert "a.json: request 1: anthropic-messages has no path '/v1/chat/completions'" in first
    assert "b.json: request 2: gemini-generate has no path '/v1/messages'" in second


def test_a_request_after_a_turn_without_results_cannot_be_placed(tmp_path: Path) -> None:
    recording = created()
    recording["requests"].append(recording["requests"][1])
    with pytest.raises(BadInput, match="request 3 brings no result of the turn before it"):
        trace_of(read(tmp_path, recording))


def test_a_call_that_failed_has_ended_after_the_response(tmp_path: Path) -> None:
    trace = turn_with(tmp_path, started("a"), code("<"), ended("a", ok=False))
    assert shape(trace) == ["request", "toolStart", "setCode", "response", "toolResult", "final"]


# --- codes ----------------------------------------------------------------------------------------------------


def test_the_code_before_a_good_result_is_the_result_and_others_are_previews(tmp_path: Path) -> None:
    trace = turn_with(tmp_path, started("a"), code("<"), code("<p>"), code("<p>"), ended("a"))
    assert codes(trace) == [("<", "a", True), ("<p>", "a", True), ("<p>", "a", False)]


def test_the_code_before_a_bad_result_is_a_preview(tmp_path: Path) -> None:
    assert codes(turn_with(tmp_path, started("a"), code("<"), ended("a", ok=False))) == [("<", "a", True)]


def test_a_preview_belongs_to_the_call_that_is_open(tmp_path: Path) -> None:
    events = [started("a"), code("<"), started("b", "edit_file"), ended("b", "edit_file", ok=False), code("<p>")]
    trace = turn_with(tmp_path, *events, code("<p>"), ended("a"))
    assert codes(trace) == [("<", "a", True), ("<p>", "a", True), ("<p>", "a", False)]


def test_a_preview_of_one_of_two_open_calls_is_nobodys(tmp_path: Path) -> None:
    trace = turn_with(tmp_path, started("a"), started("b"), code("<"), ended("a", ok=False))
    assert codes(trace) == [("<", None, True)]


def test_a_preview_of_a_call_that_was_never_started_belongs_to_the_next_result(tmp_path: Path) -> None:
    trace = turn_with(tmp_path, code("<"), code("<p>"), ended("a"))
    assert codes(trace) == [("<", "a", True), ("<p>", "a", False)]


def test_the_last_page_is_told_by_final_and_another_code_by_itself(tmp_path: Path) -> None:
    trace = turn_with(tmp_path, said(PAGE), code(PAGE), completion=PAGE)
    assert codes(trace) == []
    assert [emitted.event for emitted in emissions(trace, Final)] == [Final(PAGE)]
    assert codes(turn_with(tmp_path, code("other"), completion=PAGE)) == [("other", None, False)]


def test_a_run_that_died_has_no_page_that_final_could_tell(tmp_path: Path) -> None:
    recording = run_of([{"parts": [text("x")]}], events=[code("")])
    recording["outcome"] = {"sut": "exception", "class": "Oops", "module": "builtins", "message": "no"}
    assert codes(trace_of(read(tmp_path, recording))) == [("", None, False)]


# --- the end --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "message", "kind"),
    [
        ({"http": {"status": 400, "body": {}}}, "no", "http"),
        ({"parts": [text("x")], "cut_after": 3}, "peer closed", "stream"),
        ({"parts": [text("x")]}, "Agent exceeded max tool turns", "turn-limit"),
        ({"parts": [text("x")]}, "'list' object has no attribute 'get'", "crash"),
    ],
)
def test_an_exception_is_an_error_of_its_kind(answer: Any, message: str, kind: str, tmp_path: Path) -> None:
    recording = run_of([answer])
    recording["outcome"] = {"sut": "exception", "class": "Oops", "module": "builtins", "message": message}
    trace = trace_of(read(tmp_path, recording))
    assert [emitted.event for emitted in emissions(trace, Failure)] == [Failure(kind, f"Oops: {message}")]
    assert emissions(trace, Final) == []


@from_table(__file__, "test_an_answer_that_the_sdk_refuses_to_read_is_a_broken_stream_and_nothing_else_is")
def test_an_answer_that_the_sdk_refuses_to_read_is_a_broken_stream_and_nothing_else_is(
    name: str, of: str, kind: str, tmp_path: Path
) -> None:
    recording = run_of([{"parts": [text("x")]}], provider="gemini")
    message = f"2 validation errors for {of}\ncandidates.0.content"
    recording["outcome"] = {"sut": "exception", "class": name, "module": "pydantic_core", "message": message}
    (emitted,) = emissions(trace_of(read(tmp_path, recording)), Failure)
    assert emitted.event == Failure(kind, f"{name}: {message}")


def test_a_response_that_broke_is_left_out_and_an_error_is_as_it_was(tmp_path: Path) -> None:
    broke = trace_of(read(tmp_path, run_of([{"parts": [text("x")], "cut_after": 3}])))
    assert shape(broke) == ["request", "final"]
    error = {"http": {"status": 529, "body": {"type": "error"}, "headers": {"retry-after-ms": "10"}}}
    (response,) = [
        each for each in trace_of(read(tmp_path, run_of([error]))).records if isinstance(each, ResponseRecord)
    ]
    assert (response.status, json.loads(response.body)) == (529, {"type": "error"})
    assert response.headers["retry-after-ms"] == "10"


# --- ids and signatures ---------------------------------------------------------------------------------------


def test_ids_and_signatures_are_those_that_came_back(tmp_path: Path) -> None:
    openai = trace_of(read(tmp_path, created("openai")))
    assert [item["id"] for item in _reply(openai, 0).items] == ["msg_1", "fc_1"]
    gemini = trace_of(read(tmp_path, created("gemini")))
    assert _reply(gemini, 0).turn.calls[0].signature == "c2lnbmVk"


def test_a_signature_of_the_script_is_kept_and_another_count_of_calls_says_nothing(tmp_path: Path) -> None:
    recording = created("gemini")
    recording["script"][0]["parts"][1]["signature"] = "++//+/8="
    assert _reply(trace_of(read(tmp_path, recording)), 0).turn.calls[0].signature == "++//+/8="
    recording = created("gemini")
    recording["script"][0]["parts"].append(call("{}", id="call_2"))
    assert _reply(trace_of(read(tmp_path, recording)), 0).turn.calls[0].signature != "c2lnbmVk"


def test_reasoning_without_its_proof_was_sent_without_one(tmp_path: Path) -> None:
    recording = created("openai")
    recording["script"][0]["parts"].insert(0, {"kind": "thinking", "chunks": ["Hm."]})
    thought = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
    bare, proven = deepcopy(recording), deepcopy(recording)
    bare["requests"][1]["history"].insert(1, thought)
    proven["requests"][1]["history"].insert(1, {**thought, "encrypted_content": "gAAA"})
    assert "encrypted_content" not in _reply(trace_of(read(tmp_path, bare)), 0).items[0]
    assert "encrypted_content" in _reply(trace_of(read(tmp_path, proven)), 0).items[0]


def test_a_dropped_signature_and_a_lost_call_are_found(tmp_path: Path) -> None:
    """What did not come back has stand-ins, so that the rules see that it is missing."""
    anthropic = created("anthropic")
    anthropic["script"][0]["parts"].insert(0, {"kind": "thinking", "chunks": ["Hm."]})
    anthropic["events"].insert(0, {"type": "thinking", "eventId": "thinking-1", "value": "Hm."})
    found = {finding.rule for finding in judge(trace_of(read(tmp_path, anthropic)))}
    assert "history/model-thinking" in found
    lost = created("openai")
    lost["script"][0]["parts"].append(call("{}", id="call_2", name="edit_file"))
    found = {finding.rule for finding in judge(trace_of(read(tmp_path, lost)))}
    assert {"history/results", "history/model-calls"} <= found


def _reply(trace: Trace, number: int) -> Any:
    response = trace.exchanges[number].response
    assert response is not None
    return wire(trace.case.wire).parse(response.headers["content-type"], response.body)  # type: ignore[arg-type]


# --- all of them ----------------------------------------------------------------------------------------------


def test_every_shared_recording_is_a_trace_that_can_be_written_and_read(shared: Path) -> None:
    recordings = read_runs(shared / "golden" / "screenshot-to-code")
    for recording, trace in zip(recordings, traces_of(recordings), strict=True):
        assert loads(dumps(trace)) == trace
        emitted = [event_kind(each.event) for _, each in trace.events]
        emitted.remove("final" if recording.error is None else "error")
        recorded = [event.kind for event in recording.events]
        if emitted != recorded:  # the page that ended the run is emitted by final
            assert recorded[:-1] == emitted
            assert recorded[-1] == "setCode"
            assert recording.events[-1].value == recording.completion


def test_items_that_came_back_are_the_items_that_are_said_to_have_been_sent(shared: Path) -> None:
    """On OpenAI the engine sends the items back as they came: an account of the stream that is not ours."""
    compared = 0
    folder = shared / "golden" / "screenshot-to-code"
    for recording in read_runs(folder):
        if recording.wire != "openai-responses" or recording.scenario in _NEVER_CLOSED:
            continue
        trace = trace_of(recording)
        for number, (before, after) in enumerate(zip(recording.exchanges, recording.exchanges[1:], strict=False)):
            back = [item for item in after.history[len(before.history) :] if "id" in item]
            if not back:
                continue
            sent = _reply(trace, number).items
            for item, returned in zip(sent, back, strict=True):
                common = {"id", "type", "name", "arguments", "call_id", "summary"} & returned.keys()
                assert {key: item.get(key) for key in common} == {key: returned[key] for key in common}, recording.name
                compared += 1
    assert compared > 80


def test_the_first_message_is_the_users(shared: Path) -> None:
    """The comparison drives the reference with the same words."""
    for recording in read_runs(shared / "golden" / "screenshot-to-code"):
        (first,) = recording.exchanges[0].history
        assert first in ({"role": "user", "content": "Build a landing page."}, _GEMINI_USER), recording.name


_NEVER_CLOSED = {"length_in_tool_args", "length_in_edit_args_new_text", "length_in_edit_args_second_edit"}
"""Where the item of a call came back as it began, without arguments."""

_GEMINI_USER = {"role": "user", "parts": [{"text": "Build a landing page."}]}

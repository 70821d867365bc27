"""Traces of correct loops break no rule, on any wire, however the model behaves."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from harness.rules import TraceView, judge
from harness.trace import EventRecord, Final, Record, RequestRecord, SetCode, Trace
from harness.wire import WIRES, Call, FinishReason, Refusal, StreamError, Text, ThinkingPart, Turn, WireName
from harness_lab.mutants.traces.draft import change, insert, places, requests
from tests.rules.build import CREATE, EDIT, EDITED, LIST, PAGE, SCRIPT, broken, build, call, known

DONE = Turn((Text("Done."),))
FAILING_EDIT = call("edit_file", old_text="nowhere", new_text="x")

SCRIPTS: dict[str, tuple[Turn, ...]] = {
    "create, edit and list": SCRIPT,
    "text only": (DONE,),
    "nothing at all": (Turn(()),),
    "text between calls": (
        Turn((Text("One."), CREATE, Text("Two."), EDIT, Text("Three.")), FinishReason.TOOL_CALLS),
        DONE,
    ),
    "blank text": (Turn((Text("\n\n"), LIST), FinishReason.TOOL_CALLS), DONE),
    "one call after another": (*tuple([Turn((LIST,), FinishReason.TOOL_CALLS)] * 5), DONE),
    "the same call twice in a turn": (Turn((LIST, LIST), FinishReason.TOOL_CALLS), DONE),
    "a tool that fails": (Turn((FAILING_EDIT,), FinishReason.TOOL_CALLS), DONE),
    "redacted and omitted thinking": (
        Turn((ThinkingPart(form="redacted"), ThinkingPart(form="omitted"), LIST), FinishReason.TOOL_CALLS),
        DONE,
    ),
    "one UTF-16 unit at a time": (
        Turn((ThinkingPart("🥐"), Text("Grüße 🥖"), CREATE), FinishReason.TOOL_CALLS, deltas="utf16"),
        Turn((Text("🥐"),), deltas="utf16"),
    ),
    "one character at a time": (Turn((Text("Grüße"), LIST), FinishReason.TOOL_CALLS, deltas="character"), DONE),
    "truncated text": (Turn((Text("Half a"),), FinishReason.MAX_TOKENS),),
    "a truncated call": (Turn((Call("create_file", CREATE.arguments[:60]),), FinishReason.MAX_TOKENS),),
    "a refusal": (Turn((Refusal("I will not."),), FinishReason.REFUSAL),),
    "filtered": (Turn((Text("Well"),), FinishReason.CONTENT_FILTER),),
    "an error in the stream": (Turn((Text("Half"),), error=StreamError()),),
    "no terminal event": (Turn((Text("Half"),), ending="eof"),),
    "a broken second turn": (Turn((LIST,), FinishReason.TOOL_CALLS), Turn((Text("Half"), LIST), ending="eof")),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_correct_trace_has_no_findings(wire: WireName, script: str) -> None:
    assert judge(build(wire, SCRIPTS[script])) == []


@pytest.mark.parametrize("wire", WIRES)
def test_replies_that_are_known_judge_alike(wire: WireName) -> None:
    trace = build(wire)
    assert judge(TraceView(trace, known(trace))) == []


@pytest.mark.parametrize("wire", WIRES)
def test_requests_alone_are_judged_alone(wire: WireName) -> None:
    trace = build(wire)
    silent = Trace(trace.case, tuple(record for record in trace.records if not isinstance(record, EventRecord)))
    reading = TraceView(silent)
    assert judge(reading) == []
    assert len(reading.turns) == len(reading.asked) == 3


@pytest.mark.parametrize("wire", WIRES)
def test_the_limit_may_be_reached_by_finishing_or_told(wire: WireName) -> None:
    assert judge(build(wire, turn_limit=3)) == []
    assert judge(build(wire, turn_limit=2)) == []


@pytest.mark.parametrize("text", [PAGE, f"Here it is.\n\n{PAGE}\nDone."])
@pytest.mark.parametrize("shown", [True, False])
def test_a_page_in_the_last_text_may_be_the_code(text: str, shown: bool) -> None:
    def edit(records: list[Record]) -> None:
        at = places(records, Final)[0]
        change(records, at, code=PAGE)
        if shown:
            insert(records, at, SetCode(PAGE))

    trace = build("anthropic-messages", (Turn((LIST,), FinishReason.TOOL_CALLS), Turn((Text(text),))))
    assert judge(broken(trace, edit)) == []
    assert [finding.rule for finding in judge(trace)] == ["final/code"]


def test_a_file_that_was_there_before_may_be_the_code() -> None:
    """Nothing has set a code: the file is as it was. Another code is none, and what a call sets counts from then on."""

    def unchanged(code: str) -> Trace:
        turns = (Turn((LIST,), FinishReason.TOOL_CALLS), Turn((Text("Nothing to do."),)))
        trace = broken(
            build("anthropic-messages", turns), lambda records: change(records, places(records, Final)[0], code=code)
        )
        return replace(trace, case=replace(trace.case, files={"index.html": "<p>as it was</p>"}))

    assert judge(unchanged("<p>as it was</p>")) == []
    assert [finding.rule for finding in judge(unchanged("<p>other</p>"))] == ["final/code"]
    edited = build("anthropic-messages")
    assert judge(replace(edited, case=replace(edited.case, files={"index.html": PAGE}))) == []
    was = broken(edited, lambda records: change(records, places(records, Final)[0], code="<p>as it was</p>"))
    seeded = replace(was, case=replace(was.case, files={"index.html": "<p>as it was</p>"}))
    assert "final/code" in {finding.rule for finding in judge(seeded)}


def test_the_code_of_a_call_may_be_told_again_without_its_id() -> None:
    def once_more(records: list[Record]) -> None:
        insert(records, places(records, Final)[0], SetCode(EDITED))
        for at in places(records, SetCode, preview=False):
            change(records, at, id=None)

    assert judge(broken(build("anthropic-messages"), once_more), ["final/code"]) == []


def test_the_builder_is_no_straw_man() -> None:
    """The correct traces do hold what the rules are about."""
    reading = TraceView(build("openai-responses"))
    calls = [call for turn in reading.turns for call in turn.calls]
    assert [call.call.name for call in calls] == ["create_file", "edit_file", "list_files"]
    assert all(call.tool is not None for call in calls)
    previews = calls[0].tool.previews if calls[0].tool else []
    assert len(previews) > 20
    assert previews[-1][2].code == PAGE
    assert len(reading.continuations) == 2


def test_a_text_in_front_of_the_models_turn_is_not_between_its_calls_and_their_results() -> None:
    """pydantic-ai sends thinking that nobody has signed back as a text of the user's, before the turn."""

    def remark(place: int, records: list[Record]) -> None:
        second = requests(records)[1]
        request = records[second]
        assert isinstance(request, RequestRecord)
        body = json.loads(request.body)
        body["messages"].insert(len(body["messages"]) + place, {"role": "user", "content": "A list first."})
        records[second] = replace(request, body=json.dumps(body).encode())

    listed = build("openai-chat", (Turn((LIST,), FinishReason.TOOL_CALLS), Turn((Text("Done."),))))
    in_front, between = (broken(listed, partial(remark, place)) for place in (-2, -1))
    assert "history/results-first" not in {finding.rule for finding in judge(in_front)}
    assert "history/results-first" in {finding.rule for finding in judge(between)}

"""How a trace is read: turns, repeated requests, named continuations, and which told tool is which call."""

from __future__ import annotations

import cProfile
import json
import pstats
from dataclasses import replace

import pytest

from harness.rules import TraceView, judge, views
from harness.trace import (
    CallerRecord,
    EventRecord,
    Record,
    RequestRecord,
    SetCode,
    ToolResult,
    ToolStart,
    Trace,
)
from harness.wire import WIRES, Call, FinishReason, Text, Turn, WireName
from harness_lab.mutants.traces.draft import places, requests, rewrite, send_again
from tests.rules.build import EDIT, LIST, breaking, broken, build, call, known

DONE = Turn((Text("Done."),))


def with_refused_request(trace: Trace, number: int, status: int) -> Trace:
    """Request ``number`` is first answered with an HTTP error and then sent again."""
    return broken(trace, lambda records: send_again(records, number, status))


@pytest.mark.parametrize("name", ["openai-responses", "openai-chat", "anthropic-messages", "gemini-generate"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_request_that_is_sent_again_after_an_error_is_no_new_turn(name: WireName, number: int) -> None:
    trace = with_refused_request(build(name, turn_limit=3), number, 529)
    reading = TraceView(trace)
    assert len(reading.asks) == 4
    assert len(reading.asked) == 3
    assert len(reading.turns) == 3
    assert judge(reading) == []


@pytest.mark.parametrize("name", WIRES)
def test_a_request_that_is_sent_again_after_a_whole_turn_has_dropped_the_turn_and_its_results(name: WireName) -> None:
    def again(records: list[Record]) -> None:
        first, second = requests(records)[:2]
        records[second] = replace(records[second], body=records[first].body)  # type: ignore[call-arg,union-attr]

    trace = broken(build(name, (Turn((LIST,), FinishReason.TOOL_CALLS), DONE)), again)
    assert len(TraceView(trace).continuations) == 1
    assert {finding.rule for finding in judge(trace)} >= {"history/results", "history/model-calls"}


def test_without_turn_starts_a_turn_begins_with_its_request() -> None:
    trace = with_refused_request(build("openai-chat"), 1, 500)
    silent = Trace(trace.case, tuple(record for record in trace.records if not isinstance(record, EventRecord)))
    assert [len(turn.asks) for turn in TraceView(silent).turns] == [1, 2, 1]


def test_requests_to_other_addresses_are_not_the_models() -> None:
    trace = build("anthropic-messages")
    side = RequestRecord(99, "GET", "/v1/models", {}, b"")
    aside = broken(trace, lambda records: records.insert(1, side))
    assert len(TraceView(aside).asks) == 3
    assert judge(aside) == []


def named_turns() -> Trace:
    """A run whose requests name the response before them instead of sending the history."""
    trace = build("openai-responses")
    ids = [ask.reply.id for ask in TraceView(trace).asks if ask.reply]

    def name_the_last(records: list[Record], number: int) -> None:
        def edit(body: dict) -> None:  # type: ignore[type-arg]
            outputs = [item for item in body["input"] if item.get("type") == "function_call_output"]
            body["input"] = outputs[-2:] if number == 2 else outputs[-1:]
            body["previous_response_id"] = ids[number - 1]

        rewrite(records, number, edit)

    def edit(records: list[Record]) -> None:
        name_the_last(records, 1)
        name_the_last(records, 2)

    return broken(trace, edit)


def test_a_response_continued_by_its_id_is_read_as_the_whole_history() -> None:
    trace = named_turns()
    first = len(json.loads(trace.exchanges[0].request.body)["input"])
    steps = TraceView(trace).steps
    assert len(steps) == 2
    assert len(steps[1].after) > first + 4
    assert judge(trace) == []


def test_calls_without_ids_are_matched_in_order() -> None:
    script = (Turn((replace(EDIT, id=""), replace(LIST, id="")), FinishReason.TOOL_CALLS), DONE)
    trace = build("gemini-generate", script)
    matched = [(each.call.name, each.tool.id if each.tool else None) for each in TraceView(trace).turns[0].calls]
    assert matched == [("edit_file", "tool-1"), ("list_files", "tool-2")]
    assert judge(trace) == []


def test_what_is_shown_early_of_calls_without_ids_is_of_one_that_has_content() -> None:
    """The tool of a call that shows nothing while it arrives may be reported behind one that does."""
    made = (Call("create_file", "[]", ""), Call("create_file", '{"content": "<p>"}', ""))
    trace = build("openai-chat", (Turn(made, FinishReason.TOOL_CALLS), DONE))
    told = (
        ToolStart("tool-2", "create_file", {}),
        SetCode("<p", "tool-2", preview=True),
        ToolStart("tool-1", "create_file", {}),
    )
    asked = [each for each in trace.records if not isinstance(each, EventRecord)]
    records = (*asked[:2], *map(EventRecord, told), *asked[2:])
    (first, *_) = TraceView(Trace(trace.case, records)).turns
    assert [each.tool.id if each.tool else None for each in first.calls] == ["tool-1", "tool-2"]


def test_of_two_calls_with_one_id_that_which_has_its_name_is_told_under_it() -> None:
    """A loop that runs the last call first tells that one under the id, and the other under an id of its own."""
    calls = (replace(LIST, id="call_same"), replace(EDIT, id="call_same"))
    trace = build("gemini-generate", (Turn(calls, FinishReason.TOOL_CALLS), DONE))
    told = (
        ToolStart("call_same", "edit_file", json.loads(EDIT.arguments)),
        ToolStart("tool-2", "list_files", json.loads(LIST.arguments)),
    )
    asked = [each for each in trace.records if not isinstance(each, EventRecord)]
    (first, *_) = TraceView(Trace(trace.case, (*asked[:2], *map(EventRecord, told), *asked[2:]))).turns
    assert [each.tool.id if each.tool else None for each in first.calls] == ["tool-2", "call_same"]


def test_of_two_calls_with_one_id_neither_is_lost() -> None:
    twice = Turn((replace(LIST, id="call_same"), replace(LIST, id="call_same")), FinishReason.TOOL_CALLS)
    trace = build("gemini-generate", (twice, DONE))

    def lose_one(records: list[Record]) -> None:
        first, second = places(records, ToolResult)
        assert first < second
        del records[second]

    found = judge(broken(trace, lose_one), ["order"])
    assert [finding.rule for finding in found] == ["order/tool-result-reported"]


@pytest.mark.parametrize(("result_id", "lost"), [("call_anew", False), ("call_of_nobody", True)])
def test_a_call_that_goes_back_under_another_id_has_its_result_under_that(result_id: str, lost: bool) -> None:
    """Where the model repeats an id over turns, a loop has to give the later call one of its own."""
    twice = [Turn((replace(made, id="call_same"),), FinishReason.TOOL_CALLS) for made in (LIST, EDIT)]

    def rename(body: dict) -> None:  # type: ignore[type-arg]
        second = [item for item in body["input"] if item.get("call_id") == "call_same"][-2:]
        for item, id in zip(second, ("call_anew", result_id), strict=True):
            item["call_id"] = id

    trace = broken(build("openai-responses", (*twice, DONE)), lambda records: rewrite(records, 2, rename))
    found = {finding.rule for finding in judge(trace, ["history/results", "history/no-other-results"])}
    assert found == ({"history/results", "history/no-other-results"} if lost else set())


def test_a_wrong_id_is_no_invented_one() -> None:
    def rename(records: list[Record]) -> None:
        for kind in (ToolStart, ToolResult):
            at = places(records, kind, name="list_files")[0]
            told = records[at]
            assert isinstance(told, EventRecord)
            records[at] = replace(told, event=replace(told.event, id="tool-x"))  # type: ignore[call-arg]

    found = judge(broken(build("anthropic-messages"), rename), ["order/tool-id"])
    assert [finding.got for finding in found] == ["a tool reported under the id tool-x"]


def test_a_cut_connection_is_no_clean_end_whatever_the_reply_says() -> None:
    trace = build("anthropic-messages", (DONE,))

    found = judge(TraceView(broken(trace, breaking(0, before_its_end=True)), known(trace)))
    assert [finding.rule for finding in found] == ["final/failed-turn"]


# --- effort -------------------------------------------------------------------------------------------------


def many_turns(size: int) -> Trace:
    """Twenty turns, the first with a page of ``size`` characters, told in previews of a sixteenth more each."""
    page = "<html>" + "x" * size + "</html>"
    made = Call("create_file", json.dumps({"path": "a.html", "content": page}))
    script = (
        Turn((made,), FinishReason.TOOL_CALLS, deltas="whole"),
        *[Turn((LIST,), FinishReason.TOOL_CALLS)] * 18,
        DONE,
    )
    return build("anthropic-messages", script)


def effort(trace: Trace) -> int:
    """Function calls that one judgement takes, its replies known."""
    profile = cProfile.Profile()
    fresh = TraceView(Trace(trace.case, trace.records), known(trace))
    profile.enable()
    assert judge(fresh) == []
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def test_the_effort_does_not_grow_with_the_size_of_a_body() -> None:
    small, large = effort(many_turns(2_000)), effort(many_turns(200_000))
    assert large < 1.2 * small


def test_the_effort_grows_with_the_number_of_pieces_and_no_faster() -> None:
    def pieces(count: int) -> Trace:
        page = "<p>é</p>" * count
        made = call("create_file", path="a.html", content=page)
        return build("openai-responses", (Turn((made,), FinishReason.TOOL_CALLS, deltas="token"), DONE))

    small, large = effort(pieces(5)), effort(pieces(20))
    assert large < 4.5 * small


def test_a_known_reply_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = build("openai-chat")
    reading = TraceView(trace, known(trace))

    def parse(content_type: str, body: bytes) -> None:
        raise AssertionError("a known reply was parsed")

    monkeypatch.setattr(reading, "wire", replace(reading.wire, parse=parse))
    assert judge(reading) == []
    assert len(reading.turns) == 3


def test_a_known_conversation_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = named_turns()
    asks = TraceView(trace).asks
    conversations = {ask.number: (ask.conversation, ask.full) for ask in asks if ask.conversation and ask.full}
    reading = TraceView(trace, known(trace), [], conversations)

    def read(route: object, body: bytes) -> None:
        raise AssertionError("a known conversation was read")

    monkeypatch.setattr(reading, "wire", replace(reading.wire, read=read))
    assert judge(reading) == []
    assert [ask.full for ask in reading.asks] == [ask.full for ask in asks]
    assert len(reading.continuations) == len(asks) - 1, "that a request names its earlier turns is still known"


@pytest.mark.parametrize(("emits", "found"), [(None, False), (("assistant", "toolResult"), True), (("final",), False)])
def test_a_loop_that_says_what_it_tells_is_held_to_it(emits: tuple[str, ...] | None, found: bool) -> None:
    """A loop that drops every result of a tool: without its word nobody knows that it should tell them."""

    def without_results(records: list[Record]) -> None:
        records[:] = [
            each for each in records if not (isinstance(each, EventRecord) and isinstance(each.event, ToolResult))
        ]

    trace = broken(build("openai-chat", profile="universal"), without_results)
    trace = Trace(replace(trace.case, emits=emits), trace.records)
    assert ("order/tool-result-reported" in {finding.rule for finding in judge(trace)}) is found


def test_what_the_loop_was_given_is_not_expected_beside_the_main_conversation() -> None:
    trace = build("openai-chat")
    case = replace(trace.case, tools={"get_weather": {}}, prompt=(("user", "Cold?"),))
    records = [
        *trace.records,
        *(replace(each, conversation=1) for each in trace.records if isinstance(each, RequestRecord)),
    ]
    views_of = {view.conversation: view.case for view in views(Trace(case, tuple(records)))}
    assert (dict(views_of[0].tools), views_of[0].prompt) == (case.tools, case.prompt)
    assert (dict(views_of[1].tools), views_of[1].prompt) == ({}, ())


@pytest.mark.parametrize("lost", ["request", "conversation"])
def test_runs_are_parts_also_where_a_record_is_of_no_request_that_is_there(lost: str) -> None:
    trace = build("openai-chat", profile="universal")
    first = next(at for at, each in enumerate(trace.records) if isinstance(each, RequestRecord))
    records = [*trace.records[:-1], CallerRecord("run", "And now?"), trace.records[-1]]
    if lost == "request":
        del records[first]
    else:
        event = next(at for at, each in enumerate(records) if isinstance(each, EventRecord))
        records[event] = replace(records[event], conversation=1)  # type: ignore[call-arg]
    seen = list(views(Trace(trace.case, tuple(records))))
    assert [len(view.trace.records) for view in seen if "case" in view.scopes] == [len(records)]
    judge(seen)

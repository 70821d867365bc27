"""The text that a run returns, against what the model said and thought in its last turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.rules import Finding, TraceView, judge
from harness.trace import Assistant, Case, EventRecord, Final, Trace
from harness.trace import Thinking as ThinkingEvent
from harness.wire import NATIVE_WIRES, Call, FinishReason, Part, Text, ThinkingPart, Turn, WireName
from tests.rules.build import Loop

RULES = ("final/text", "final/thinking")
THOUGHT = ThinkingPart("They want the short answer.")


def run(
    text: str | None,
    *last: Part,
    stop: FinishReason = FinishReason.END,
    silent: bool = True,
    before: Sequence[Turn] = (),
    wire: WireName = "anthropic-messages",
    outcome: str = "completed",
) -> Trace:
    """A run whose last turn has these parts, and that returns ``text``. ``silent``: it has reported no text."""
    case = Case("case", "case", wire)
    trace = Loop(wire, case).play([*before, Turn(last or (Text("It is cold."),), stop)])
    pieces = Assistant | ThinkingEvent if silent else ()
    records = [each for each in trace.records if not (isinstance(each, EventRecord) and isinstance(each.event, pieces))]
    *rest, end = records
    assert isinstance(end, EventRecord)
    return Trace(case, (*rest, replace(end, event=Final("", outcome, text))))


def found(trace: Trace) -> list[Finding]:
    return judge(trace, RULES)


def summary(trace: Trace) -> list[tuple[str, str]]:
    return [(finding.rule, finding.level) for finding in found(trace)]


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("text", ["", " \n", "It is", "Something else."])
def test_an_answer_that_is_not_returned_is_found(wire: WireName, text: str) -> None:
    (finding,) = found(run(text, wire=wire))
    assert (finding.rule, finding.level) == ("final/text", "MUST")
    assert "It is cold." in finding.expected
    assert finding.got == json.dumps(text)


@pytest.mark.parametrize(
    ("text", "is_found"), [("A wave: \U0001f30a rises.", False), ("A wave: \U0001f30a falls.", True)]
)
def test_half_a_character_may_be_whole_with_what_came_before(text: str, is_found: bool) -> None:
    assert bool(found(run(text, Text("\udf0a rises.")))) is is_found


def test_a_run_that_has_reported_its_text_may_return_the_empty_one() -> None:
    assert found(run("", silent=False)) == []
    assert summary(run("Something else.", silent=False)) == [("final/text", "SHOULD")]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "It is cold.",
        "It is\n  cold.\n",
        "Looking.\n\nIt is cold.",
        json.dumps({"answer": "It is cold.", "turns": 2}),
    ],
)
def test_an_answer_that_is_returned_in_another_form_is_right(text: str | None) -> None:
    looks = Turn((Text("Looking."), Call("list_files", '{"path": "."}', None)), FinishReason.TOOL_CALLS)
    assert found(run(text, before=[looks])) == []


def test_half_characters_of_the_model_may_be_replaced() -> None:
    assert found(run("cold \ufffd", Text("cold \ud83e"), wire="openai-chat")) == []


def test_commentary_need_not_be_returned() -> None:
    parts = (Text("I look it up.", phase="commentary"), Text("It is cold.", phase="final_answer"))
    for text, findings in (("It is cold.", []), ("I look it up.", ["final/text"])):
        trace = run(text, *parts, wire="openai-responses")
        last = TraceView(trace).last
        assert last.reply is not None
        reply = replace(last.reply, turn=replace(last.reply.turn, parts=parts))
        assert [finding.rule for finding in judge(TraceView(trace, {last.number: reply}), RULES)] == findings


def test_a_structured_answer_may_be_returned_in_another_form() -> None:
    assert found(run("{'cold': True}", Text('{"cold": true}'))) == []


@pytest.mark.parametrize("stop", [FinishReason.MAX_TOKENS, FinishReason.CONTENT_FILTER])
def test_a_turn_that_did_not_come_to_its_end_is_not_judged(stop: FinishReason) -> None:
    assert found(run("We are sorry.", stop=stop)) == []


def test_another_outcome_than_completed_is_not_judged() -> None:
    assert found(run("We are sorry.", outcome="turn-limit")) == []


def test_the_result_of_an_output_tool_is_no_text_of_the_model() -> None:
    trace = run("Something else.")
    assert found(replace(trace, case=replace(trace.case, kinds={"list_files": "output"}))) == []


@pytest.mark.parametrize("wire", ["anthropic-messages", "gemini-generate", "openai-chat"])
@pytest.mark.parametrize("silent", [True, False])
def test_thinking_that_is_returned_is_found(wire: WireName, silent: bool) -> None:
    parts = (THOUGHT, Text("It is cold."))
    (finding,) = found(run("They want the short answer.It is cold.", *parts, wire=wire, silent=silent))
    assert (finding.rule, finding.level) == ("final/thinking", "MUST")
    assert "They want the short answer." in finding.expected


def test_thinking_that_the_model_says_too_is_a_part_of_its_answer() -> None:
    said = Text("They want the short answer. It is cold.")
    assert found(run(said.text, THOUGHT, said)) == []


def test_a_history_may_be_returned_with_the_thinking_in_it() -> None:
    history = [{"type": "thinking", "thinking": THOUGHT.text}, {"type": "text", "text": "It is cold."}]
    assert found(run(json.dumps(history), THOUGHT, Text("It is cold."))) == []

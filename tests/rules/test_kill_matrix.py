"""Every rule has a trace that breaks it, and that trace breaks nothing else but what is named beside it.

A rule without an entry here fails ``test_every_rule_can_fail``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from harness.rules import RULES, judge
from harness.trace import (
    Assistant,
    Failure,
    Final,
    Record,
    SetCode,
    Thinking,
    Told,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import Stop, StreamError, Text, Turn, WireName
from tests.rules.build import (
    CREATE,
    EDIT,
    EDITED,
    LIST,
    PAGE,
    SCRIPT,
    Edit,
    broken,
    build,
    calls_of,
    change,
    insert,
    places,
    rewrite,
)


@dataclass(frozen=True)
class Mutation:
    """A way to break a correct trace.

    ``also``: other rules that cannot but see it too. ``turn_limit`` is the limit that the loop keeps to,
    ``contract`` the one that it was given.
    """

    edit: Edit
    wire: WireName = "anthropic-messages"
    script: tuple[Turn, ...] = SCRIPT
    also: frozenset[str] = frozenset()
    turn_limit: int | None = None
    contract: int | None = None

    def trace(self) -> Trace:
        trace = broken(self.correct(), self.edit)
        return replace(trace, case=replace(trace.case, turn_limit=self.contract)) if self.contract else trace

    def correct(self) -> Trace:
        return build(self.wire, self.script, turn_limit=self.turn_limit)


def drop(kind: type[Any], which: int = 0, **members: Any) -> Edit:
    def edit(records: list[Record]) -> None:
        del records[places(records, kind, **members)[which]]

    return edit


def repeat(kind: type[Any], which: int = 0) -> Edit:
    def edit(records: list[Record]) -> None:
        at = places(records, kind)[which]
        records.insert(at + 1, records[at])

    return edit


def alter(kind: type[Any], which: int = 0, where: dict[str, Any] | None = None, **members: Any) -> Edit:
    def edit(records: list[Record]) -> None:
        change(records, places(records, kind, **(where or {}))[which], **members)

    return edit


def body(number: int, edit: Callable[[Any], None]) -> Edit:
    return lambda records: rewrite(records, number, edit)


# --- order --------------------------------------------------------------------------------------------------


def start_after_preview(records: list[Record]) -> None:
    start = places(records, ToolStart)[0]
    records[start], records[start + 1] = records[start + 1], records[start]


def no_result_told(records: list[Record]) -> None:
    del records[places(records, ToolResult, name="list_files")[0]]


def reuse_tool_id(records: list[Record]) -> None:
    """The third turn's call goes by the id of the first turn's."""
    first, *_, last = calls = [record.event.id for record in map(records.__getitem__, places(records, ToolStart))]
    assert len(calls) == 2
    for at, record in enumerate(records):
        if isinstance(record, Told) and getattr(record.event, "id", None) == last:
            change(records, at, id=first)


def swap_results(records: list[Record]) -> None:
    edit_at, list_at = places(records, ToolResult)[1:]
    start = places(records, ToolStart, name="list_files")[0]
    # list_files runs first: its start and result go in front of edit_file's result
    moved = [records[start], records[list_at]]
    del records[list_at], records[start]
    records[edit_at:edit_at] = moved


def late_text(records: list[Record]) -> None:
    """The last piece of the second turn's text is told after its results."""
    told = records.pop(places(records, Assistant, id="assistant-2")[-1])
    assert isinstance(told, Told)
    insert(records, places(records, ToolResult)[-1] + 1, told.event)


def after_the_end(records: list[Record]) -> None:
    insert(records, len(records), TurnStart(4))


def second_final(records: list[Record]) -> None:
    records.append(records[-1])


ORDER = {
    "order/tool-start-once": Mutation(repeat(ToolStart)),
    "order/tool-started": Mutation(drop(ToolStart, name="list_files")),
    "order/tool-start-first": Mutation(start_after_preview),
    "order/tool-result-once": Mutation(repeat(ToolResult)),
    "order/tool-result-told": Mutation(no_result_told),
    "order/tool-id": Mutation(
        lambda records: insert(records, places(records, ToolStart)[0] + 1, ToolStart("toolu_other", "edit_file"))
    ),
    "order/tool-name": Mutation(alter(ToolStart, 1, name="create_file")),
    "order/tool-ids-fresh": Mutation(
        reuse_tool_id,
        "gemini-generate",
        (
            Turn((replace(CREATE, id=""),), Stop.TOOL_CALLS),
            Turn((replace(EDIT, id=""),), Stop.TOOL_CALLS),
            Turn((Text("Done."),)),
        ),
    ),
    "order/call-order": Mutation(swap_results),
    "order/deltas-first": Mutation(late_text),
    "order/nothing-after-end": Mutation(after_the_end),
    "order/one-end": Mutation(second_final),
    "order/turn-count": Mutation(alter(TurnStart, 1, turn=7)),
}


def same_bubble(records: list[Record]) -> None:
    for at in places(records, Assistant, id="assistant-2"):
        change(records, at, id="assistant-1")


STREAM = {
    "stream/one-id": Mutation(alter(Assistant, 1, id="assistant-x")),
    "stream/fresh-id": Mutation(same_bubble),
    "stream/text": Mutation(repeat(Assistant)),
    "stream/thinking": Mutation(drop(Thinking)),
}


# --- preview ------------------------------------------------------------------------------------------------


def previews(records: list[Record]) -> list[int]:
    return places(records, SetCode, preview=True)


def half_an_escape(records: list[Record]) -> None:
    at = previews(records)[3]
    code = records[at].event.code  # type: ignore[union-attr]
    change(records, at, code=code[:-1] + "\\")


def shrinks(records: list[Record]) -> None:
    first, second, *_ = previews(records)
    change(records, first, code=PAGE[:4])
    change(records, second, code=PAGE[:4])
    for at, record in enumerate(records):
        if isinstance(record, Told) and at in (first, second):
            records[at] = replace(record, offset=10**6)


def stops_early(records: list[Record]) -> None:
    del records[previews(records)[-1]]


def prophecy(records: list[Record]) -> None:
    shown = previews(records)
    change(records, shown[2], code=PAGE[:30])
    # nothing between that one and the next longer preview, so that they still grow
    for at in reversed(shown[3:]):
        if len(records[at].event.code) <= 30:  # type: ignore[union-attr]
            del records[at]


def preview_after_result(records: list[Record]) -> None:
    at = previews(records)[-1]
    told = records.pop(at)
    assert isinstance(told, Told)
    insert(records, places(records, ToolResult)[0] + 1, told.event)


def runs_before_complete(records: list[Record]) -> None:
    """list_files ends at the moment of the first text of its turn: eager, before its arguments."""
    at = places(records, ToolResult, name="list_files")[0]
    early = records[places(records, Assistant, id="assistant-2")[0]]
    assert isinstance(early, Told)
    records[at] = replace(early, event=records[at].event)  # type: ignore[union-attr]


PREVIEW = {
    "preview/prefix": Mutation(half_an_escape),
    "preview/grows": Mutation(shrinks),
    "preview/whole": Mutation(stops_early),
    "preview/arrived": Mutation(prophecy),
    "preview/before-run": Mutation(preview_after_result),
    "preview/early-run": Mutation(runs_before_complete),
    "preview/start-input": Mutation(alter(ToolStart, input={"path": 'index.html", "content": '})),
    "preview/half-character": Mutation(
        alter(ToolResult, 1, output={"summary": ["edited \ud83e"]}),
    ),
}


# --- guardrail ----------------------------------------------------------------------------------------------


PAUSED = (Turn((Text("Searching."),), Stop.PAUSE), Turn((Text("Found it."),)))


def silent_stop(records: list[Record]) -> None:
    at = places(records, Failure)[0]
    told = records[at]
    assert isinstance(told, Told)
    codes = [records[at].event.code for at in places(records, SetCode)]  # type: ignore[union-attr]
    records[at] = replace(told, event=Final(codes[-1] if codes else ""))


def false_alarm(records: list[Record]) -> None:
    at = places(records, Final)[0]
    told = records[at]
    assert isinstance(told, Told)
    records[at] = replace(told, event=Failure("turn-limit", "not finished within 3 turns"))


def nothing(records: list[Record]) -> None:
    """The loop itself is right; only it was told another limit."""


GUARDRAIL = {
    "guardrail/turn-limit": Mutation(nothing, contract=2),
    "guardrail/limit-told": Mutation(silent_stop, script=SCRIPT[:2], turn_limit=2),
    "guardrail/limit-told (on a paused turn)": Mutation(silent_stop, script=PAUSED[:1], turn_limit=1),
    "guardrail/false-alarm": Mutation(false_alarm, turn_limit=3),
}


# --- continuation and history -------------------------------------------------------------------------------


def edit_user_message(request: Any) -> None:
    request["messages"][0]["content"] = "Build a page for a butcher."


def change_text(request: Any) -> None:
    block = next(block for block in request["messages"][1]["content"] if block["type"] == "text")
    block["text"] = "Creating it."


def change_arguments(request: Any) -> None:
    request["messages"][1]["content"][-1]["input"]["path"] = "other.html"


def text_last(request: Any) -> None:
    thinking, text, call = request["messages"][1]["content"]
    request["messages"][1]["content"] = [thinking, call, text]


def other_tools(request: Any) -> None:
    request["tools"].pop()


def drop_reasoning(request: Any) -> None:
    request["input"] = [item for item in request["input"] if item.get("type") != "reasoning"]


def drop_output(request: Any) -> None:
    request["input"] = [item for item in request["input"] if item.get("type") != "function_call_output"]


def extra_output(request: Any) -> None:
    outputs = [item for item in request["input"] if item.get("type") == "function_call_output"]
    request["input"].append({**outputs[0], "call_id": "call_nobodyMadeThisOne000000"})


def result_first(request: Any) -> None:
    call = next(item for item in request["input"] if item.get("type") == "function_call")
    request["input"].remove(call)
    request["input"].append(call)


def wrong_result_id(request: Any) -> None:
    request["messages"][2]["content"][0]["tool_use_id"] = "toolu_01someothercall0000000000"


EDITED_CREATE = replace(CREATE, arguments=json.dumps({"path": "index.html", "content": EDITED}))

LAST_TWO = SCRIPT[0:1] + SCRIPT[2:]
"""One tool turn, then the end: a change in the second request is in no later one."""

RESPONSES = frozenset({"continuation/openai-responses"})


def chat_wrong_id(request: Any) -> None:
    request["messages"][-1]["tool_call_id"] = "call_someOtherCall0000000000"


def gemini_no_response(request: Any) -> None:
    request["contents"][-1]["parts"] = [{"text": "go on"}]


HISTORY = {
    "continuation/anthropic-messages": Mutation(
        body(1, wrong_result_id),
        script=LAST_TWO,
        also=frozenset({"history/results", "history/no-other-results"}),
    ),
    "continuation/openai-responses": Mutation(
        body(1, drop_output), "openai-responses", LAST_TWO, frozenset({"history/results"})
    ),
    "continuation/openai-chat": Mutation(
        body(1, chat_wrong_id), "openai-chat", LAST_TWO, frozenset({"history/results", "history/no-other-results"})
    ),
    "continuation/gemini-generate": Mutation(
        body(1, gemini_no_response), "gemini-generate", LAST_TWO, frozenset({"history/results"})
    ),
    "history/append-only": Mutation(body(1, edit_user_message), script=LAST_TWO),
    "history/tools": Mutation(body(1, other_tools), script=LAST_TWO),
    "history/model-text": Mutation(body(1, change_text), script=LAST_TWO),
    "history/model-calls": Mutation(body(1, change_arguments), script=LAST_TWO),
    "history/model-thinking": Mutation(body(1, drop_reasoning), "openai-responses", LAST_TWO, RESPONSES),
    "history/model-order": Mutation(body(1, text_last), script=LAST_TWO),
    "history/results": Mutation(body(1, drop_output), "openai-responses", LAST_TWO, RESPONSES),
    "history/no-other-results": Mutation(body(1, extra_output), "openai-responses", LAST_TWO, RESPONSES),
    "history/result-after-call": Mutation(body(1, result_first), "openai-responses", LAST_TWO),
}


# --- final --------------------------------------------------------------------------------------------------


def crash_at_the_end(records: list[Record]) -> None:
    at = places(records, Final)[0]
    told = records[at]
    assert isinstance(told, Told)
    records[at] = replace(told, event=Failure("crash", "oops"))


def run_the_calls(records: list[Record]) -> None:
    """The calls of the last reply are executed although it did not end well."""
    *_, made = calls_of(Trace(build("anthropic-messages").case, tuple(records)))
    assert made.id is not None
    end = places(records, Final)[0] if places(records, Final) else places(records, Failure)[0]
    if not places(records, ToolStart, id=made.id):
        insert(records, end, ToolStart(made.id, made.name))
        end += 1
    insert(records, end, ToolResult(made.id, made.name, {}, ok=True))


def final_instead(records: list[Record]) -> None:
    at = places(records, Failure)[0]
    told = records[at]
    assert isinstance(told, Told)
    records[at] = replace(told, event=Final(""))


def loose_code(code: str) -> Edit:
    """A code is set outside any call right before the end, and the run ends with it."""

    def edit(records: list[Record]) -> None:
        change(records, places(records, Final)[0], code=code)
        insert(records, places(records, Final)[0], SetCode(code))

    return edit


def another_code(records: list[Record]) -> None:
    """The user is shown a page of the last text, and the run ends with what the call has set."""
    insert(records, places(records, Final)[0], SetCode(PAGE))


def ends_after_a_turn(records: list[Record]) -> None:
    """The first turn is taken for the last."""
    del records[places(records, TurnStart)[1] :]
    records.append(Told(Final("")))


def crash_on(name: str, *, before: type[Any]) -> Edit:
    """The loop dies of the call of ``name``: right before the first such event of it."""

    def edit(records: list[Record]) -> None:
        at = places(records, before, name=name)[0]
        insert(records, at, Failure("crash", "TypeError: '<' not supported between instances of 'str' and 'int'"))
        del records[at + 1 :]

    return edit


FINAL = {
    "final/told": Mutation(crash_at_the_end),
    "final/paused-turn": Mutation(ends_after_a_turn, script=PAUSED),
    "final/outcome": Mutation(alter(Final, outcome="completed"), script=(Turn((Text("Half a"),), Stop.MAX_TOKENS),)),
    "final/code": Mutation(alter(Final, code="Done.")),
    "final/code (prose set outside any call)": Mutation(
        loose_code("I cannot do that, sorry."), script=(Turn((Text("I cannot do that, sorry."),)),)
    ),
    "final/code (a page set outside that nobody wrote)": Mutation(loose_code(PAGE), script=(Turn((Text("Done."),)),)),
    "final/code (prose set outside after a call)": Mutation(loose_code("Done.")),
    "final/code (a page set outside after a call)": Mutation(
        another_code, script=(Turn((EDITED_CREATE,), Stop.TOOL_CALLS), Turn((Text(PAGE),)))
    ),
    "final/stopped-call": Mutation(run_the_calls, script=(Turn((LIST,), Stop.MAX_TOKENS),)),
    "final/open-call": Mutation(crash_on("list_files", before=ToolResult)),
    "final/open-call (not even started)": Mutation(crash_on("list_files", before=ToolStart)),
    "final/open-call (of several)": Mutation(crash_on("edit_file", before=ToolStart)),
    "final/failed-turn": Mutation(final_instead, script=(Turn((Text("Half"),), error=StreamError()),)),
}

MATRIX: dict[str, Mutation] = {**ORDER, **STREAM, **PREVIEW, **GUARDRAIL, **HISTORY, **FINAL}
"""By rule; where a rule can be broken in several ways, the others have a word behind the rule."""


def rule_of(name: str) -> str:
    return name.partition(" ")[0]


def test_every_rule_can_fail() -> None:
    assert set(map(rule_of, MATRIX)) == set(RULES)


@pytest.mark.parametrize("name", MATRIX)
def test_a_broken_trace_is_caught_by_its_rule_and_no_other(name: str) -> None:
    mutation = MATRIX[name]
    found = judge(mutation.trace())
    assert {finding.rule for finding in found} == {rule_of(name), *mutation.also}, found


@pytest.mark.parametrize("name", MATRIX)
def test_without_the_mutation_the_trace_is_clean(name: str) -> None:
    mutation = MATRIX[name]
    assert judge(mutation.correct()) == []


@pytest.mark.parametrize("name", MATRIX)
def test_findings_are_evidence(name: str) -> None:
    trace = MATRIX[name].trace()
    for finding in judge(trace, [rule_of(name)]):
        assert 0 <= finding.at < len(trace.records)
        assert finding.expected
        assert finding.got
        assert finding.expected != finding.got
        assert max(map(len, (finding.expected, finding.got))) < 300
        (finding.expected + finding.got + finding.detail).encode()

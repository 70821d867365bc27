"""Every rule has a trace that breaks it, and that trace breaks nothing else but what is named beside it.

A rule without an entry here fails ``test_every_rule_can_fail``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.rules import RULES, judge
from harness.trace import (
    Assistant,
    Failure,
    Final,
    Record,
    RequestRecord,
    SetCode,
    Thinking,
    Told,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import Call, Refusal, Stop, StreamError, Text, Turn, WireName, recognise
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
    send_again,
)


@dataclass(frozen=True)
class Mutation:
    """A way to break a correct trace.

    ``also``: other rules that cannot but see it too. ``turn_limit``, ``profile`` and ``kinds`` are the contract that
    the loop keeps to, ``judged`` the members of the contract that it was given instead.
    """

    edit: Edit
    wire: WireName = "anthropic-messages"
    script: tuple[Turn, ...] = SCRIPT
    also: frozenset[str] = frozenset()
    turn_limit: int | None = None
    profile: str = "screenshot-to-code"
    kinds: tuple[tuple[str, str], ...] = ()
    judged: Mapping[str, Any] = field(default_factory=dict)

    def trace(self) -> Trace:
        trace = broken(self.correct(), self.edit)
        return replace(trace, case=replace(trace.case, **self.judged))

    def correct(self) -> Trace:
        return build(self.wire, self.script, profile=self.profile, turn_limit=self.turn_limit, kinds=self.kinds)


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


def stop_after_the_limit(records: list[Record]) -> None:
    """The demand for an answer is never sent: the run ends with the results of the last turn."""
    del records[places(records, TurnStart)[-1] :]
    records.append(Told(Final("", "turn-limit")))


def no_demand(request: Any) -> None:
    assert request["messages"].pop()["content"] == "Answer now."


CALLS_FOR_EVER = (Turn((LIST,), Stop.TOOL_CALLS),) * 3
THEN_ANSWERS = (Turn((LIST,), Stop.TOOL_CALLS), Turn((Text("That is all I know."),)))

GUARDRAIL = {
    "guardrail/turn-limit": Mutation(nothing, judged={"turn_limit": 2}),
    "guardrail/turn-limit (of the contract)": Mutation(
        nothing,
        script=(*CALLS_FOR_EVER[:1] * 20, Turn((Text("Done."),))),
        profile="universal",
        judged={"profile": "screenshot-to-code"},
    ),
    "guardrail/turn-limit (the answer was called for, and another request follows)": Mutation(
        nothing,
        script=(*CALLS_FOR_EVER, Turn((Text("Done."),))),
        profile="universal",
        also=frozenset({"guardrail/answer-now"}),
        judged={"profile": "hugind", "turn_limit": 2},
    ),
    "guardrail/turn-limit (the request beyond it demands nothing)": Mutation(
        nothing, script=PAUSED, profile="universal", judged={"turn_limit": 1}
    ),
    "guardrail/limit-told": Mutation(silent_stop, script=SCRIPT[:2], turn_limit=2),
    "guardrail/limit-told (on a paused turn)": Mutation(silent_stop, script=PAUSED[:1], turn_limit=1),
    "guardrail/limit-told (the contract is to stop)": Mutation(
        alter(Final, outcome="completed"), script=CALLS_FOR_EVER, profile="tool-runner", turn_limit=2
    ),
    "guardrail/limit-told (an error where the contract is to stop)": Mutation(
        nothing,
        script=CALLS_FOR_EVER,
        profile="universal",
        turn_limit=2,
        also=frozenset({"execution/in-vain"}),
        judged={"profile": "tool-runner"},
    ),
    "guardrail/limit-told (an answer that was demanded)": Mutation(
        alter(Final, outcome="completed"), script=THEN_ANSWERS, profile="hugind", turn_limit=1
    ),
    "guardrail/answer-now": Mutation(body(1, no_demand), script=THEN_ANSWERS, profile="hugind", turn_limit=1),
    "guardrail/answer-now (no request at all)": Mutation(
        stop_after_the_limit, script=THEN_ANSWERS, profile="hugind", turn_limit=1
    ),
    "guardrail/false-alarm": Mutation(false_alarm, turn_limit=3),
    "guardrail/false-alarm (as an outcome)": Mutation(
        alter(Final, outcome="turn-limit"), profile="tool-runner", turn_limit=4
    ),
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

TWO_THEN_DONE = SCRIPT[1:]
WITHOUT_IDS = tuple([replace(part, id="") for part in SCRIPT[1].parts if isinstance(part, Call)])

RESPONSES = frozenset({"continuation/openai-responses"})


def chat_wrong_id(request: Any) -> None:
    request["messages"][-1]["tool_call_id"] = "call_someOtherCall0000000000"


def nudge(text: str, at: int, history: str = "messages") -> Callable[[Any], None]:
    """A message of the user at this place of the history."""
    return lambda request: request[history].insert(at, {"role": "user", "content": text})


def swap_outputs(history: str) -> Callable[[Any], None]:
    def edit(request: Any) -> None:
        request[history][-2:] = reversed(request[history][-2:])

    return edit


def swap_named(request: Any) -> None:
    """Two results that only their names tell apart."""
    request["contents"][-1]["parts"].reverse()


def no_results_message(request: Any) -> None:
    request["messages"][-1]["content"] = "Go on."


def second_answer(request: Any) -> None:
    request["messages"][-1]["content"] *= 2


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
    "continuation/text-tags": Mutation(
        body(1, no_results_message), "text-tags", LAST_TWO, frozenset({"history/results"})
    ),
    "history/append-only": Mutation(body(1, edit_user_message), script=LAST_TWO),
    "history/tools": Mutation(body(1, other_tools), script=LAST_TWO),
    "history/model-text": Mutation(body(1, change_text), script=LAST_TWO),
    "history/model-calls": Mutation(body(1, change_arguments), script=LAST_TWO),
    "history/model-thinking": Mutation(body(1, drop_reasoning), "openai-responses", LAST_TWO, RESPONSES),
    "history/model-order": Mutation(body(1, text_last), script=LAST_TWO),
    "history/results": Mutation(body(1, drop_output), "openai-responses", LAST_TWO, RESPONSES),
    "history/no-other-results": Mutation(body(1, extra_output), "openai-responses", LAST_TWO, RESPONSES),
    "history/no-other-results (a call is answered twice)": Mutation(
        body(1, second_answer), script=LAST_TWO, also=frozenset({"continuation/anthropic-messages"})
    ),
    "history/result-after-call": Mutation(body(1, result_first), "openai-responses", LAST_TWO),
    "history/result-order": Mutation(body(1, swap_outputs("input")), "openai-responses", TWO_THEN_DONE),
    "history/result-order (chat)": Mutation(body(1, swap_outputs("messages")), "openai-chat", TWO_THEN_DONE),
    "history/result-order (told apart by name alone)": Mutation(
        body(1, swap_named), "gemini-generate", (replace(SCRIPT[1], parts=WITHOUT_IDS), SCRIPT[2])
    ),
    "history/results-first": Mutation(body(1, nudge("Sunny.", -2, "input")), "openai-responses", TWO_THEN_DONE),
    "history/results-first (between them)": Mutation(
        body(1, nudge("Sunny.", -1, "input")), "openai-responses", TWO_THEN_DONE
    ),
    "history/results-first (which the provider refuses)": Mutation(
        body(1, nudge("Sunny.", -1)), "openai-chat", TWO_THEN_DONE, frozenset({"continuation/openai-chat"})
    ),
}


# --- final --------------------------------------------------------------------------------------------------


def crash_at_the_end(records: list[Record]) -> None:
    at = places(records, Final)[0]
    told = records[at]
    assert isinstance(told, Told)
    records[at] = replace(told, event=Failure("crash", "oops"))


def run_the_calls(records: list[Record]) -> None:
    """The calls of the last reply are executed although it did not end well."""
    asked = next(record for record in records if isinstance(record, RequestRecord))
    route = recognise(asked.method, asked.path)
    assert route is not None
    *_, made = calls_of(Trace(build(route.wire).case, tuple(records)))
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
    "final/unfinished": Mutation(ends_after_a_turn, script=THEN_ANSWERS),
    "final/deferred": Mutation(alter(Final, outcome="deferred")),
    "final/deferred (nothing waits)": Mutation(
        alter(Final, outcome="deferred"),
        profile="pydantic-ai",
        script=THEN_ANSWERS,
        judged={"kinds": {"edit_file": "external"}},
    ),
    "final/output": Mutation(nothing, profile="pydantic-ai", judged={"kinds": {"list_files": "output"}}),
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
    "final/stopped-call (refused)": Mutation(run_the_calls, script=(Turn((LIST,), Stop.REFUSAL),)),
    "final/stopped-call (declined in a part of its own)": Mutation(
        run_the_calls, "openai-chat", (Turn((LIST, Refusal("No.")), Stop.REFUSAL),)
    ),
    "final/stopped-call (filtered)": Mutation(run_the_calls, "openai-chat", (Turn((LIST,), Stop.CONTENT_FILTER),)),
    "final/open-call": Mutation(crash_on("list_files", before=ToolResult)),
    "final/open-call (not even started)": Mutation(crash_on("list_files", before=ToolStart)),
    "final/open-call (of several)": Mutation(crash_on("edit_file", before=ToolStart)),
    "final/failed-turn": Mutation(final_instead, script=(Turn((Text("Half"),), error=StreamError()),)),
    "final/failed-turn (no terminal event)": Mutation(final_instead, script=(Turn((Text("Half"),), ending="eof"),)),
    "final/failed-turn (a call of it is run)": Mutation(
        run_the_calls, "openai-chat", script=(Turn((LIST,), Stop.TOOL_CALLS, ending="eof"),)
    ),
}

# --- execution and retry ------------------------------------------------------------------------------------

CUT = Call("list_files", '{"path": "src/')
UNKNOWN = Call("delete_everything", "{}")
BAD_THRICE = (*(Turn((CUT,), Stop.TOOL_CALLS),) * 2, Turn((UNKNOWN, CUT), Stop.TOOL_CALLS))
ASKED_FIRST = (("list_files", "unapproved"),)
BOTH_ASKED = (("list_files", "unapproved"), ("edit_file", "external"))


def not_deferred(records: list[Record]) -> None:
    del records[places(records, Final, outcome="deferred")[0]]


def denied_by_nobody(records: list[Record]) -> None:
    not_deferred(records)
    change(records, places(records, ToolResult, name="list_files")[0], ok=False)


def asked_afterwards(records: list[Record]) -> None:
    """One of two calls that wait is over before anybody was told."""
    result = records.pop(places(records, ToolResult, name="list_files")[0])
    records.insert(places(records, Final, outcome="deferred")[0], result)


EXECUTION = {
    "execution/arguments": Mutation(
        alter(ToolResult, ok=True), "openai-chat", (Turn((CUT,), Stop.TOOL_CALLS), Turn((Text("Done."),)))
    ),
    "execution/arguments (a list)": Mutation(
        alter(ToolResult, ok=True),
        "openai-responses",
        (Turn((Call("list_files", '["src"]'),), Stop.TOOL_CALLS), Turn((Text("Done."),))),
    ),
    "execution/in-vain": Mutation(run_the_calls, script=CALLS_FOR_EVER[:2], profile="hugind", turn_limit=1),
    "execution/in-vain (the contract is to stop)": Mutation(
        run_the_calls, script=CALLS_FOR_EVER[:2], profile="tool-runner", turn_limit=2
    ),
    "execution/unapproved": Mutation(
        not_deferred, profile="pydantic-ai", kinds=ASKED_FIRST, also=frozenset({"execution/waiting"})
    ),
    "execution/unapproved (asked afterwards)": Mutation(asked_afterwards, profile="pydantic-ai", kinds=BOTH_ASKED),
    "execution/waiting": Mutation(denied_by_nobody, profile="pydantic-ai", kinds=ASKED_FIRST),
}

RETRY = {
    "retry/tool": Mutation(
        nothing,
        "openai-chat",
        (*BAD_THRICE, Turn((Text("Done."),))),
        profile="universal",
        judged={"profile": "pydantic-ai"},
    ),
    "retry/request": Mutation(send_again(1, 529, times=3)),
    "retry/refused": Mutation(send_again(1, 422)),
}

MATRIX: dict[str, Mutation] = {
    **ORDER,
    **STREAM,
    **PREVIEW,
    **GUARDRAIL,
    **HISTORY,
    **FINAL,
    **EXECUTION,
    **RETRY,
}
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

"""Sentences of rules that few runs come to: what is shown at the edge of each, from both sides."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from harness.trace import (
    Assistant,
    CallerRecord,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Result, Text, ThinkingPart, Turn, Usage
from harness_lab.mutants.traces.conversations import rewriting
from harness_lab.mutants.traces.draft import TraceDraft, insert, place, requests, rewrite
from harness_lab.mutants.traces.edits import alter, drop, end_as
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting, begins
from harness_lab.mutants.traces.small_runs.changes import (
    ALL_PASSED,
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    asked_again,
    case,
    cut,
    gone,
    having,
    lacking,
    part,
    passed,
    resend,
    respond,
    runs,
    unreadable,
)

_ONE = PlainRun(runs("depth"))
_TWO = PlainRun((Turn((Text("Let me look."), call("depth", basin="n"), call("tide", basin="s"))), says("Yes.")))


def _appended(text: str) -> Edit:
    """The user says something at the end of the last request."""
    return rewriting(lambda entries: entries.append(("user", Text(text), "appended")))


def _request(number: int, **members: Any) -> Edit:
    """Another request."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[number]
        request = draft.records[at]
        assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
        draft.records[at] = replace(request, **members)

    return edit


# --- limits -------------------------------------------------------------------------------------------------------

_LIMITED = PlainRun(runs("depth"), case={"profile": "hugind", "turn_limit": 1}, end=Final("", "turn-limit"))
_SAME = (runs("depth")[0],)

_LIMITS = (
    *acting(
        "guardrail/answer-now",
        PlainRun(runs("depth"), case={"profile": "hugind", "turn_limit": 2}),
        ("limit-not-reached", "The model is done in its last turn: no answer is demanded.", []),
        wires=CHAT,
    ),
    *acting(
        "guardrail/limit-reported",
        _LIMITED,
        ("answer-demanded", "The answer is demanded, and the end says so.", [_appended("Answer now.")]),
        ("answer-demanded-twice", "The demand is refused, and sent again.", [_appended("Answer now."), resend(1)]),
        ("answer-demanded-in-blanks", "The demand is blank.", [_appended("  ")]),
        ("answer-not-demanded", "The request behind the last turn demands nothing.", []),
        wires=CHAT,
    ),
    *acting(
        "guardrail/limit-reported",
        replace(_LIMITED, end=Final(""), turns=(Turn((call("depth", "call_1", basin="n"),)), says("Yes."))),
        (
            "answer-demanded-without-orders",
            "There is no system prompt, the model says nothing beside its call, and the end does not say that an "
            "answer was demanded.",
            [part(Text, gone, 0, "system"), _appended("Answer now.")],
        ),
        wires=CHAT,
    ),
    *acting(
        "guardrail/limit-reported",
        replace(_LIMITED, end=Final("")),
        (
            "answer-as-if-done",
            "The demand is refused, sent again, and the end does not say so.",
            [_appended("Answer now."), resend(1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "guardrail/no-limit",
        PlainRun(_SAME * 61, silent=True, stops_at=61),
        ("same-calls-without-end", "The model repeats itself in 61 turns.", []),
        ("same-calls-below-a-limit", "The case has a limit of 100 turns.", [case(turn_limit=100)]),
        wires=CHAT,
    ),
    *acting(
        "guardrail/no-limit",
        PlainRun(_SAME * 60, silent=True, stops_at=60),
        ("same-calls-sixty-times", "The model repeats itself in 60 turns.", []),
        wires=CHAT,
    ),
    *acting(
        "guardrail/no-limit",
        PlainRun((*_SAME * 59, *runs("tide")[:1], *_SAME), silent=True, stops_at=61),
        ("other-calls-once", "The model calls something else in turn 60.", []),
        wires=CHAT,
    ),
    *acting(
        "guardrail/no-limit",
        PlainRun((*_SAME * 60, *runs("tide")[:1]), silent=True, stops_at=61),
        ("other-calls-at-last", "The model calls something else in turn 61.", []),
        wires=CHAT,
    ),
)


# --- the prompt ---------------------------------------------------------------------------------------------------

_PROMPT = {"prompt": (("system", SYSTEM), ("user", USER))}


def _asked_as(*texts: str, system: str = SYSTEM, **members: Any) -> PlainRun:
    prompt = (("system", system), *(("user", text) for text in texts))
    return PlainRun(runs("depth"), prompt=prompt, case={**_PROMPT, **members})


def _prompted(name: str, summary: str, run: PlainRun, *edits: Edit) -> tuple[SmallRun, ...]:
    return acting("offered/prompt", run, (f"asked-{name}", summary, edits), wires=CHAT)


_PROMPTS = (
    *_prompted("whole", "The prompt is there.", _asked_as(USER)),
    *_prompted("in-two", "It is in two messages.", _asked_as("May we enter the", "basin before noon?")),
    *_prompted(
        "in-two-words", "A word of it is in two messages.", _asked_as("May we enter the ba", "sin before noon?")
    ),
    *_prompted("cut", "Its end is missing.", _asked_as("May we enter the basin")),
    *_prompted("cut-to-ten", "Ten characters of it are left.", _asked_as(USER[:10], system="Be good.")),
    *_prompted("cut-to-nine", "Too little of it is left to know it.", _asked_as(USER[:9], system="Be good.")),
    *_prompted("among-words", "It is there among other words.", _asked_as(f"Now: {USER} Well?")),
    *_prompted("in-spaces", "It is there in other white space.", _asked_as(USER.replace(" ", "\n  "))),
    *_prompted("as-an-order", "The user's words are an order.", _asked_as("Well?", system=f"{SYSTEM} {USER}")),
    *_prompted("of-its-own", "The loop has a prompt of its own.", _asked_as("Well?", system="Be good.")),
    *_prompted("without-orders", "The system prompt is not there.", _asked_as(USER, system="Be good.")),
    *_prompted("blank", "A blank prompt says nothing.", _asked_as("Well?", system="Be good.", prompt=(("user", " "),))),
    *acting(
        "offered/prompt",
        _asked_as("Well?"),
        (
            "asked-behind-a-response",
            "The first request names a response of before, which has the prompt.",
            [lambda draft: rewrite(draft.records, 0, lambda body: body.update(previous_response_id="resp_before"))],
        ),
        wires=RESPONSES,
    ),
)


_DECLARED = (
    *acting(
        "offered/schema",
        replace(_ONE, case=passed()),
        (
            "declared-as-nothing",
            "Of a tool that was handed over no declaration is known.",
            [case(tools={**ALL_PASSED, "depth": None})],
        ),
        wires=CHAT,
    ),
)


# --- the history ----------------------------------------------------------------------------------------------------

_CUT = PlainRun(
    (Turn((Text("Well."), Call("depth", '{"basin": "no', "call_1"))), says("Yes.")), failing=frozenset({"depth"})
)
_FULL = (Turn((Text("Let me look."), call("depth", basin="n")), usage=Usage(99_000, 1_000)), says("Yes."))
_NEARLY = (replace(_FULL[0], usage=Usage(99_000, 999)), says("Yes."))
_THOUGHTS = PlainRun((Turn((ThinkingPart("I wait for the tide."),)), says("Yes.")), acts={2: begins("Well?")})


def _with_image(number: int, url: str) -> Edit:
    """The question has an image."""

    def change(body: Any) -> None:
        image = {"type": "image_url", "image_url": {"url": url}}
        next(each for each in body["messages"] if each["role"] == "user")["content"] = [
            {"type": "text", "text": USER},
            image,
        ]

    return lambda draft: rewrite(draft.records, number, change)


_HISTORY = (
    *acting(
        "history/append-only",
        PlainRun(_FULL),
        (
            "shorter-when-full",
            "A turn has used 100,000 tokens, and the question is gone.",
            [part(Text, gone, 0, "user")],
        ),
    ),
    *acting(
        "history/append-only",
        PlainRun(_NEARLY),
        (
            "shorter-when-nearly-full",
            "A turn has used 99,999 tokens, and the question is gone.",
            [part(Text, gone, 0, "user")],
        ),
    ),
    *acting(
        "history/append-only",
        _ONE,
        ("image-as-before", "An image is the same.", [_with_image(0, "data:,a"), _with_image(1, "data:,a")]),
        ("image-of-another", "An image is another.", [_with_image(0, "data:,a"), _with_image(1, "data:,b")]),
        ("requests-elsewhere", "A request goes to a path that is none of the wire's.", [_request(1, path="/v1/other")]),
        (
            "answer-that-is-none",
            "An answer is no response of the wire's.",
            [respond(1, body=b"<html>", headers={"content-type": "text/html"})],
        ),
        (
            "broken-requests",
            "A request that is no JSON is sent again behind an answer that broke.",
            [asked_again(1), cut(1, end="cut"), unreadable(1), unreadable(2)],
        ),
        (
            "broken-and-other-requests",
            "Another request that is no JSON is sent behind an answer that broke.",
            [asked_again(1), cut(1, end="cut"), unreadable(1), _request(2, body=b"{")],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/append-only",
        PlainRun((*_TWO.turns[:1], *_TWO.turns)),
        (
            "request-elsewhere-between",
            "The second request goes elsewhere, and the third has another question than the first.",
            [_request(1, path="/v1/other"), part(Text, having(text="May we?"), 0, "user")],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-thinking",
        _THOUGHTS,
        ("thoughts-alone", "A turn of thoughts alone is sent back.", []),
        ("thoughts-alone-left-out", "A turn of thoughts alone is left out.", [lacking(ThinkingPart)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "history/model-thinking",
        replace(_THOUGHTS, turns=(Turn((ThinkingPart("I wait."), Text("Soon."))), says("Yes."))),
        ("thoughts-left-out", "The thoughts of a turn with a text are left out.", [lacking(ThinkingPart)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "history/model-calls",
        replace(_ONE, silent=True),
        (
            "call-and-result-not-sent",
            "A call is not sent back, and nothing shows that it ran.",
            [lacking(Call, Result)],
        ),
    ),
    *acting(
        "history/model-calls",
        _CUT,
        (
            "cut-call-not-sent",
            "A call whose arguments broke off is not sent back; its result is.",
            [lacking(Call)],
        ),
        ("cut-call-left-out", "Neither is sent back.", [lacking(Call, Result)]),
        (
            "cut-turn-left-out",
            "The whole turn is not.",
            [lacking(Call, Result), part(Text, gone, -1, "assistant")],
        ),
    ),
    *acting(
        "retry/failed-attempt",
        PlainRun(
            (Turn((call("depth", "call_1", basin="n"),)), says("Yes.")),
            acts={2: (CallerRecord("say", "So?"),)},
        ),
        (
            "broken-call-and-other-words",
            "The answer that broke has a call, and the next request some words of the loop's own.",
            [cut(0, end="cut"), part(Call, lambda _: Text("I was about to look.")), lacking(Result)],
        ),
    ),
    *acting(
        "retry/failed-attempt",
        PlainRun(
            (Turn((ThinkingPart("The tide is high."), Text("Well"))), says("Yes.")),
            acts={2: (CallerRecord("say", "So?"),)},
        ),
        (
            "broken-thought-kept",
            "The thought of an answer that broke is sent back.",
            [cut(0, end="cut"), part(Text, gone, -1, "assistant")],
        ),
        (
            "broken-thought-as-text",
            "The thought of an answer that broke is sent back as a text.",
            [
                cut(0, end="cut"),
                lacking(ThinkingPart),
                part(Text, having(text="The tide is high."), -1, "assistant"),
            ],
        ),
        (
            "broken-text-kept-in-part",
            "The beginning of the text of an answer that broke is sent back.",
            [cut(0, end="cut"), lacking(ThinkingPart), part(Text, having(text="We"), -1, "assistant")],
        ),
        (
            "broken-text-kept-and-more",
            "The text of an answer that broke is sent back, and more behind it.",
            [
                cut(0, end="cut"),
                lacking(ThinkingPart),
                part(Text, having(text="Well, so it is."), -1, "assistant"),
            ],
        ),
        (
            "broken-text-behind-others",
            "The text of an answer that broke is sent back behind other words.",
            [
                cut(0, end="cut"),
                lacking(ThinkingPart),
                part(Text, having(text="So it is. Well"), -1, "assistant"),
            ],
        ),
        (
            "broken-text-kept",
            "The text of an answer that broke is sent back.",
            [cut(0, end="cut"), lacking(ThinkingPart)],
        ),
        (
            "broken-text-dropped",
            "Nothing of an answer that broke is sent back.",
            [cut(0, end="cut"), lacking(ThinkingPart), part(Text, gone, -1, "assistant")],
        ),
        wires=ANTHROPIC,
    ),
)


_STOPPED = replace(
    _ONE, turns=(replace(_ONE.turns[0], stop=FinishReason.MAX_TOKENS), says("Yes.")), case={"edits": (1,)}
)

_UNNAMED_EDITED = PlainRun(
    (Turn((Text("Let me look."), call("depth", "", basin="n"))), says("Yes.")), case={"edits": (1,)}
)

_KEPT = (
    *acting(
        "execution/unnecessary",
        replace(_ONE, case={"edits": (1,)}),
        (
            "call-left-out-by-the-caller",
            "The caller has left the turn out whose call ran.",
            [lacking(Call, Result)],
        ),
        wires=CHAT,
    ),
    *acting(
        "execution/unnecessary",
        _UNNAMED_EDITED,
        (
            "unnamed-call-left-out",
            "The call has no id, so nobody knows that it is left out.",
            [lacking(Call, Result)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/results",
        _STOPPED,
        ("result-of-a-stopped-edited-turn", "The caller has edited a turn that was cut short.", [part(Result, gone)]),
        wires=CHAT,
    ),
    *acting(
        "history/results",
        replace(_ONE, case={"edits": (1,)}),
        ("result-of-an-edited-turn", "The caller has edited a turn, and a result is lost.", [part(Result, gone)]),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        _TWO,
        (
            "calls-under-own-ids",
            "Calls go back under other ids, and their results under none.",
            [
                part(Call, having(id="call_x")),
                part(Result, having(id="")),
                part(Result, having(id=""), 0),
            ],
        ),
        (
            "calls-without-ids",
            "Calls go back without ids, and their results under ids of the loop's own.",
            [
                part(Call, having(id="")),
                part(Call, having(id=""), 0),
                part(Result, having(id="call_x")),
                part(Result, having(id="call_y"), 0),
            ],
        ),
        (
            "calls-and-results-without-ids",
            "Neither have ids, and the names are others.",
            [
                part(Call, having(id="")),
                part(Call, having(id=""), 0),
                part(Result, having(id="", name="enter")),
                part(Result, having(id=""), 0),
            ],
        ),
        wires=GEMINI,
    ),
)


# --- results ----------------------------------------------------------------------------------------------------------

_UNKNOWN = PlainRun(runs("depth"), case=passed())


def _sent(name: str, summary: str, output: str, *edits: Edit) -> tuple[SmallRun, ...]:
    return acting(
        "history/result-value",
        _UNKNOWN,
        (
            f"sent-{name}",
            f"{summary} What the tool returned is not known.",
            [part(Result, having(output=output)), *edits],
        ),
        wires=CHAT,
    )


_REFUSED = "No such basin."


def _results_are(draft: TraceDraft, *outputs: str) -> None:
    """The results in all requests are these, in their order; the last one from then on."""
    for number in range(1, len(requests(draft.records))):
        at = requests(draft.records)[number]
        left = TraceDraft(draft.case, draft.records[: at + 1])
        for which in range(number):
            part(Result, having(output=outputs[min(which, len(outputs) - 1)]), which)(left)
        draft.records[at] = left.records[at]


_RESULTS = (
    *_sent("whole", "A whole object.", '{"metres": 9}'),
    *_sent("cut-text", "An object that breaks off in a text.", '{"basin": "nor'),
    *_sent("cut-behind-a-value", "An object that breaks off behind a value.", '{"metres": 9'),
    *_sent("cut-in-front-of-a-value", "An object that breaks off in front of a value.", '{"metres":'),
    *_sent("wrong-inside", "What begins like an object, and is wrong inside.", '{"metres": } and more'),
    *_sent("words", "Words.", "Nine metres."),
    *_sent("cut-list", "A list that breaks off.", '["metres", 9'),
    *_sent("cut-as-json", "An object that breaks off, as a JSON text.", json.dumps('{"metres": 9')),
    *_sent("cut-in-a-member", "An object that breaks off, in a member alone.", json.dumps({"output": '{"metres": 9'})),
    *_sent(
        "cut-beside-a-member",
        "An object that breaks off, in one of two members.",
        json.dumps({"output": '{"metres": 9', "more": 1}),
    ),
    *_sent("cut-in-spaces", "An object that breaks off, with white space around it.", '\n {"metres": 9 '),
    *_sent("deep", "A text that is too deep to be read.", '{"a":' * 100_000),
    *_sent("deep-list", "A list that is too deep to be read.", "[" * 100_000),
    *_sent("python", "What Python prints.", "{'metres': 9}"),
    *_sent("cut-of-nobody", "An object that breaks off, of a tool that is not known.", '{"metres": 9', case(tools={})),
    *_sent("python-of-nobody", "What Python prints, of a tool that is not known.", "{'metres': 9}", case(tools={})),
    *acting(
        "execution/arguments",
        PlainRun(
            (
                Turn((call("depth", "call_1", basin="n"),)),
                Turn((Call("depth", '{"basin": "no', "call_2"),)),
                says("Yes."),
            ),
            outputs={"depth": _REFUSED},
            silent=True,
        ),
        ("refused-as-before", "A call that broke off has the words with which a right one failed.", []),
        (
            "answered-as-before",
            "A call that broke off has the words that a right one returned.",
            [lambda draft: _results_are(draft, "The basin has nine metres.")],
        ),
        (
            "answered-otherwise",
            "A call that broke off has other words than a right one.",
            [lambda draft: _results_are(draft, "The basin has nine metres.", "The basin has ten metres, sir.")],
        ),
    ),
)


# --- custom tools -------------------------------------------------------------------------------------------------


def _custom(number: int, *, nested: bool = False, name: str = "depth") -> Edit:
    """A tool that is offered is a custom one, whose input is text."""

    def change(body: Any) -> None:
        about = {"name": name, "description": "A tool."}
        body["tools"].append({"type": "custom", "custom": about} if nested else {"type": "custom", **about})

    return lambda draft: rewrite(draft.records, number, change)


_WORDS_AS_INPUT = PlainRun((Turn((Text("Well."), Call("depth", "north", "call_1"))), says("Yes.")))

_CUSTOM = (
    *acting(
        "execution/arguments",
        _WORDS_AS_INPUT,
        ("ran-on-words", "A tool ran on words.", []),
        ("ran-on-words-as-custom", "A custom tool ran on words.", [_custom(0), _custom(1)]),
        (
            "ran-on-words-beside-custom",
            "A tool ran on words beside a custom one.",
            [_custom(0, name="tide"), _custom(1, name="tide")],
        ),
        wires=("openai-responses", "anthropic-messages"),
    ),
    *acting(
        "execution/arguments",
        _WORDS_AS_INPUT,
        (
            "ran-on-words-as-nested",
            "A custom tool of Chat ran on words.",
            [_custom(0, nested=True), _custom(1, nested=True)],
        ),
        wires=CHAT,
    ),
)

# --- dialects, and tools that are hard to name ----------------------------------------------------------------

_THINKS = PlainRun(
    (Turn((ThinkingPart("I look at the chart."), Text("Well."), call("depth", basin="n"))), says("Yes.")),
    case={
        "dialect": "reasoning",
        "emits": ("turnStart", "assistant", "thinking", "toolStart", "toolResult", "final", "error"),
    },
)
_UNNAMED = PlainRun((Turn((call("depth", "", basin="n"),)), says("Yes.")))
_ASKED_TWICE = PlainRun((says("Well, it is."), says("So it is.")), end=Failure("stream", "It broke."))


def _one_turn(draft: TraceDraft) -> None:
    """Both answers break, and the second request is the first one once more."""
    first = draft.records[requests(draft.records)[0]]
    assert isinstance(first, RequestRecord)  # noqa: S101 - what requests() looks for
    for edit in (_request(1, body=first.body), cut(0, end="cut"), cut(1, end="cut"), drop(TurnStart, 1)):
        edit(draft)


def _coded(draft: TraceDraft) -> None:
    """The call has a code."""
    at = place(draft.records, ToolResult, 0)
    record = draft.records[at]
    assert isinstance(record, EventRecord)  # noqa: S101 - what place() looks for
    assert isinstance(record.event, ToolResult)  # noqa: S101
    insert(draft.records, at, SetCode("<p>", record.event.id))


_RARE = (
    *acting(
        "stream/thinking",
        _THINKS,
        ("thinking-in-a-dialect", "Thinking that arrives in a dialect is emitted.", []),
        ("thinking-in-a-dialect-unseen", "None of it is emitted.", [drop(Thinking)]),
        ("thinking-in-a-dialect-in-part", "A part of it is emitted.", [alter(Thinking, 0, text="I look")]),
        (
            "thinking-unseen",
            "None is emitted of what arrives as the provider sends it.",
            [drop(Thinking), case(dialect="")],
        ),
        ("text-in-a-dialect-unseen", "A text that arrives in a dialect is not emitted.", [drop(Assistant)]),
        (
            "text-in-a-dialect-refused",
            "The run fails in the turn whose text is not emitted.",
            [drop(Assistant, -1), end_as(Failure("internal", "It broke."))],
        ),
        (
            "text-in-a-dialect-refused-later",
            "The run fails in a later turn.",
            [drop(Assistant, 0), end_as(Failure("internal", "It broke."))],
        ),
        (
            "text-refused",
            "The run fails in a turn that arrives as the provider sends it.",
            [drop(Assistant, -1), end_as(Failure("internal", "It broke.")), case(dialect="")],
        ),
        (
            "text-in-a-dialect-without-end",
            "No end is reported, and the text of the last turn is not emitted.",
            [drop(Assistant, -1), drop(Final)],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/text",
        _ASKED_TWICE,
        (
            "two-broken-answers",
            "Two answers to a turn break, and of each the beginning is emitted.",
            [_one_turn, alter(Assistant, 0, text="Well"), alter(Assistant, 1, text="So it")],
        ),
        (
            "two-broken-answers-and-more",
            "Two answers to a turn break, and of the second something else is emitted.",
            [_one_turn, alter(Assistant, 0, text="Well"), alter(Assistant, 1, text="So so")],
        ),
        (
            "second-of-two-broken-answers",
            "Two answers to a turn break, and only the beginning of the second is emitted.",
            [_one_turn, drop(Assistant, 0), alter(Assistant, 0, text="So it")],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/tool-id",
        _UNNAMED,
        (
            "code-of-an-unnamed-call",
            "A call without an id has only a code.",
            [_coded, drop(ToolStart), drop(ToolResult)],
        ),
        ("result-of-an-unnamed-call", "A call without an id has only a result.", [drop(ToolStart)]),
        (
            "result-of-another-unnamed-call",
            "A call without an id has only a result of another tool.",
            [drop(ToolStart), alter(ToolResult, 0, name="tide")],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
)

_SAME_IDS = (
    SmallRun(
        "unapproved-under-a-known-id",
        "execution/unapproved",
        "A call that needs approval has the id of one before, whose result stays; the history is another.",
        PlainRun(
            (
                Turn((call("depth", "call_1", basin="n"),)),
                Turn((call("enter", "call_1", basin="n"),)),
                says("Yes."),
            ),
            silent=True,
            case={"kinds": {"enter": "unapproved"}},
        ),
        (part(Text, having(text="You sail."), 0, "system"), part(Result, gone)),
        CHAT,
    ),
)

EDGES: tuple[SmallRun, ...] = (
    *_SAME_IDS,
    *_LIMITS,
    *_PROMPTS,
    *_DECLARED,
    *_HISTORY,
    *_KEPT,
    *_RESULTS,
    *_CUSTOM,
    *_RARE,
)

"""What a loop sends back: its history, the turn of the model, the results of its calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.trace import ResponseRecord, ToolResult
from harness.wire import Call, Result, Text, ThinkingPart, ToolDeclaration, Turn
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, rewrite
from harness_lab.mutants.traces.edits import alter, drop, repeat
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.acting import in_request
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    GEMINI,
    RESPONSES,
    case,
    gone,
    having,
    part,
    runs,
    unreadable,
)

_ONE = PlainRun(runs("depth"))
_TWO = PlainRun((Turn((Text("Let me look."), call("depth", basin="n"), call("tide", basin="s"))), says("Yes.")))
_THREE = PlainRun((*_TWO.turns[:1], *_TWO.turns))
_SIGNED = PlainRun(
    (
        Turn(
            (
                ThinkingPart("First I look at the chart."),
                Text("Let me look."),
                call("depth", basin="n"),
                call("tide", basin="s"),
            )
        ),
        says("Yes."),
    )
)
_BETWEEN = PlainRun(
    (Turn((Text("One."), call("depth", basin="n"), Text("Two."), call("tide", basin="s"))), says("Yes."))
)
_MIDDLE = PlainRun((Turn((call("depth", basin="n"), Text("And."), call("tide", basin="s"))), says("Yes.")))
_NO_IDS = PlainRun((Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("Yes.")))
_SHARED = PlainRun(
    (Turn((call("depth", "call_1", basin="n"), call("tide", "call_1", basin="s"))), says("Yes.")), silent=True
)
_SHARED_TOOL = PlainRun(
    (Turn((call("depth", "call_1", basin="n"), call("depth", "call_1", basin="s"))), says("Yes.")), silent=True
)
_SHARED_OF_THREE = PlainRun(
    (Turn((*_SHARED.turns[0].calls, call("enter", "call_2", basin="n"))), says("Yes.")), silent=True
)
_AGAIN = PlainRun(
    (Turn((call("depth", "call_1", basin="n"),)), Turn((call("depth", "call_1", basin="s"),)), says("Yes."))
)
_CUT = PlainRun((Turn((Text("Well."), Call("depth", '{"basin": "no'))), says("Yes.")), failing=frozenset({"depth"}))


def _continued(draft: TraceDraft) -> None:
    """Requests name the response before (``previous_response_id``), and have only the results of its calls."""
    named = [each.body for each in draft.records if isinstance(each, ResponseRecord)]

    def shorten(request: Any) -> None:
        found = re.search(rb'"id": ?"(resp_[^"]+)"', named[0])
        if found is None:
            raise NothingToBreak
        request["previous_response_id"] = found[1].decode()
        request["input"] = [each for each in request["input"] if each.get("type") == "function_call_output"]

    for number in (0, 1):
        rewrite(draft.records, number, lambda request: request.update(store=True))
    rewrite(draft.records, 1, shorten)


def _swapped(kind: type, one: int, other: int) -> Any:
    """Two parts of this kind change places."""

    def change(entries: list[Entry]) -> None:
        places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, kind)]
        first, second = places[one], places[other]
        entries[first], entries[second] = (
            (*entries[second][:2], entries[first][2]),
            (*entries[first][:2], entries[second][2]),
        )

    return rewriting(change)


def _without(*kinds: type) -> Any:
    """The history has no such parts."""

    def change(entries: list[Entry]) -> None:
        entries[:] = [each for each in entries if not isinstance(each[1], kinds)]

    return rewriting(change)


def _message(role: str, text: str, *, before: type, which: int = 0) -> Any:
    """Something is said in front of a part."""

    def change(entries: list[Entry]) -> None:
        places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, before)]
        entries.insert(places[which], (role, Text(text), entries[places[which]][2]))  # type: ignore[arg-type]

    return rewriting(change)


def _counted(number: int) -> Edit:
    """A request says which step it is."""
    step = having(text=f"{SYSTEM} Step {number}.")
    return in_request(number, part(Text, step, 0, "system"))


def _halves(text: Text) -> list[Text]:
    return [Text(text.text[:8]), Text(text.text[8:])]


_handed = case(prompt=(("system", SYSTEM), ("user", USER)))


def _tools(change: Callable[[tuple[ToolDeclaration, ...]], tuple[ToolDeclaration, ...]]) -> Any:
    return conversations._asking(lambda asked: replace(asked, tools=change(asked.tools)))


def _move_thinking(entries: list[Entry]) -> None:
    """The last thinking goes behind the part that follows it."""
    at = max((at for at, (_, each, _) in enumerate(entries) if isinstance(each, ThinkingPart)), default=None)
    if at is None:
        raise NothingToBreak
    entries[at], entries[at + 1] = entries[at + 1], entries[at]


@rewriting
def _words_for_results(entries: list[Entry]) -> None:
    """The user says two things in place of all results."""
    entries[:] = [each for each in entries if not isinstance(each[1], Result)]
    entries += [("user", Text("Well?"), "one"), ("user", Text("So?"), "two")]


_HISTORY = (
    *small_runs(
        "history/append-only",
        _THREE,
        ("prompt-other", "The system prompt is another.", [part(Text, having(text="You sail."), 0, "system")]),
        ("prompt-counted", "The system prompt has the number of the step.", [_counted(1), _counted(2)]),
        ("prompt-in-two", "The system prompt is said in two texts.", [part(Text, _halves, 0, "system")]),
        (
            "prompt-counted-and-text-lost",
            "The system prompt has the number of the step, and the model's text is left out.",
            [_counted(2), part(Text, gone, -1, "assistant")],
        ),
        ("prompt-gone", "The system prompt is not sent again.", [part(Text, gone, 0, "system")]),
        (
            "prompt-counted-handed",
            "The system prompt that was handed over has the number of the step.",
            [_handed, _counted(1), _counted(2)],
        ),
        (
            "prompt-other-handed",
            "The system prompt that was handed over is another.",
            [_handed, part(Text, having(text="You sail."), 0, "system")],
        ),
        (
            "prompt-other-in-a-program",
            "A program that brings its own changes its system prompt within a run.",
            [case(tools={}, prompt=()), part(Text, having(text="You sail."), 0, "system")],
        ),
        (
            "question-longer",
            "The question goes on.",
            [part(Text, having(text="May we enter the basin before noon? Or after?"), 0, "user")],
        ),
        ("question-gone", "The question is not sent again.", [part(Text, gone, 0, "user")]),
        (
            "old-text-other",
            "The text of an earlier turn is another.",
            [part(Text, having(text="Let me see."), 0, "assistant")],
        ),
        (
            "old-call-other",
            "A call of an earlier turn has other arguments.",
            [part(Call, having(arguments='{"basin": "x"}'), 0)],
        ),
        ("old-call-renamed", "A call of an earlier turn has another name.", [part(Call, having(name="enter"), 0)]),
        (
            "old-call-respelled",
            "Arguments of an earlier turn in another spelling.",
            [part(Call, having(arguments='{ "basin" :"n"}'), 0)],
        ),
        ("old-result-other", "A result of an earlier turn is another.", [part(Result, having(output='"old"'), 0)]),
        (
            "old-result-marked",
            "A result of an earlier turn is marked as a failure.",
            [part(Result, having(is_error=True), 0)],
        ),
        (
            "question-edited",
            "The caller has edited that turn.",
            [part(Text, having(text="Or?"), 0, "user"), case(edits=(2,))],
        ),
        (
            "question-edited-before",
            "The caller has edited another turn.",
            [part(Text, having(text="Or?"), 0, "user"), case(edits=(1,))],
        ),
        (
            "history-cut-off",
            "The history ends after the question.",
            [_without(Call, Result), part(Text, gone, -1, "assistant"), part(Text, gone, -1, "assistant")],
        ),
    ),
    *small_runs(
        "history/tools",
        _TWO,
        ("tool-gone", "A tool is offered no more.", [_tools(lambda tools: tools[1:])]),
        ("tools-in-another-order", "The tools are offered in another order.", [_tools(lambda tools: tools[::-1])]),
        (
            "tool-gone-and-added",
            "A tool is offered under another name.",
            [_tools(lambda tools: (replace(tools[0], name="own"), *tools[1:]))],
        ),
        (
            "tool-added",
            "A tool is offered that was not before.",
            [_tools(lambda tools: (*tools, ToolDeclaration("own", "Mine.", {"type": "object", "properties": {}})))],
        ),
        (
            "tools-other",
            "Two tools have other descriptions.",
            [_tools(lambda tools: tuple(replace(each, description="New.") for each in tools[:2]) + tools[2:])],
        ),
        ("tools-gone-edited", "The caller has edited that turn.", [_tools(lambda tools: tools[1:]), case(edits=(1,))]),
    ),
)

_TURN = (
    *small_runs(
        "history/model-text",
        _BETWEEN,
        ("text-sent-other", "The text goes back in other words.", [part(Text, having(text="Zwei."), -1, "assistant")]),
        (
            "text-sent-shorter",
            "The end of the text does not go back.",
            [part(Text, having(text="Tw"), -1, "assistant")],
        ),
        (
            "text-sent-not",
            "The text does not go back.",
            [part(Text, gone, -1, "assistant"), part(Text, gone, -1, "assistant")],
        ),
        (
            "text-sent-edited",
            "The caller has edited the turn.",
            [part(Text, having(text="Zwei."), -1, "assistant"), case(edits=(1,))],
        ),
    ),
    SmallRun(
        "blank-text-not-sent",
        "history/model-text",
        "Blank text need not go back.",
        PlainRun((Turn((Text("\n"), call("depth", basin="n"))), says("Yes."))),
        (part(Text, gone, -1, "assistant"),),
        RESPONSES,
    ),
    *small_runs(
        "history/model-calls",
        _TWO,
        (
            "call-sent-respelled",
            "Other white space and another order of members say the same.",
            [part(Call, having(arguments='{ "basin" :"s"}'))],
        ),
        (
            "call-sent-with-escapes",
            "A call goes back with its characters spelled as escapes.",
            [part(Call, having(arguments='{"basin": "\\u0073"}'))],
        ),
        (
            "call-sent-other",
            "A call goes back with another argument.",
            [part(Call, having(arguments='{"basin": "x"}'))],
        ),
        ("call-sent-renamed", "A call goes back under another name.", [part(Call, having(name="enter"))]),
        ("call-not-sent", "The last call does not go back.", [part(Call, gone)]),
        ("calls-not-sent", "No call goes back: one finding.", [_without(Call)]),
        (
            "call-sent-twice",
            "A call goes back that was not made.",
            [part(Call, lambda old: [old, replace(old, id="call_x", name="enter")])],
        ),
        (
            "two-calls-more",
            "Two calls go back that were not made.",
            [part(Call, lambda old: [old, replace(old, id="call_x"), replace(old, id="call_y")])],
        ),
        ("calls-sent-swapped", "The calls go back in another order.", [_swapped(Call, -1, -2)]),
        (
            "call-with-another-id",
            "A call goes back under another id than its result.",
            [part(Call, having(id="call_x"))],
        ),
        (
            "pair-with-another-id",
            "A call and its result go back under another id.",
            [part(Call, having(id="call_x")), part(Result, having(id="call_x"))],
        ),
        ("call-without-id", "A call goes back without an id.", [part(Call, having(id=""))]),
    ),
    SmallRun(
        "half-character-sent-whole",
        "history/model-calls",
        "Half a character of the model's goes back as the sign for one that cannot be read.",
        PlainRun((Turn((Call("depth", '{"basin": "\\ud83d"}', "call_1"),)), says("Yes."))),
        (part(Call, having(arguments='{"basin": "\N{REPLACEMENT CHARACTER}"}')),),
        CHAT,
    ),
    SmallRun(
        "request-that-is-no-json",
        "continuation/openai-chat",
        "The second request breaks off inside its JSON.",
        _TWO,
        (unreadable(-1),),
        CHAT,
    ),
    SmallRun(
        "history-continued",
        "history/model-calls",
        "The request names the response before, and has only what is new.",
        _TWO,
        (_continued,),
        RESPONSES,
    ),
    SmallRun(
        "history-continued-without-a-result",
        "history/results",
        "The request names the response before, and has the result of one of its two calls.",
        _TWO,
        (_continued, part(Result, gone, -1)),
        RESPONSES,
    ),
    SmallRun(
        "ids-left-out-with-names",
        "history/model-calls",
        "Gemini pairs by names where there are no ids.",
        _TWO,
        (conversations.leave_ids_out,),
        GEMINI,
    ),
    SmallRun(
        "ids-left-out-of-one",
        "history/model-calls",
        "One call and its result without ids.",
        _TWO,
        (part(Call, having(id="")), part(Result, having(id=""))),
        GEMINI,
    ),
    SmallRun(
        "ids-left-out-without-names",
        "history/model-calls",
        "Without ids the names must fit.",
        _TWO,
        (conversations.leave_ids_out, part(Result, having(name="depth"))),
        GEMINI,
    ),
    SmallRun(
        "ids-left-out-elsewhere",
        "history/model-calls",
        "Another wire has names in results, too, and pairs by ids alone.",
        _TWO,
        (conversations.leave_ids_out,),
        ("gemini-interactions",),
    ),
    SmallRun(
        "cut-call-mended",
        "history/model-calls",
        "Arguments that no wire can say may go back otherwise.",
        _CUT,
        (part(Call, having(arguments="{}")),),
        CHAT,
    ),
    SmallRun(
        "not-a-number-mended",
        "history/model-calls",
        "So may NaN, which is no JSON.",
        PlainRun((Turn((Call("depth", '{"basin": NaN}'),)), says("Yes."))),
        (part(Call, having(arguments='{"basin": null}')),),
        CHAT,
    ),
    SmallRun(
        "empty-arguments-sent",
        "history/model-calls",
        "An empty text and an empty object are the same.",
        PlainRun((Turn((Call("depth", ""),)), says("Yes."))),
        (part(Call, having(arguments="{}")),),
        CHAT,
    ),
    SmallRun(
        "empty-arguments-filled",
        "history/model-calls",
        "An empty text is not another object.",
        PlainRun((Turn((Call("depth", ""),)), says("Yes."))),
        (part(Call, having(arguments='{"basin": "n"}')),),
        CHAT,
    ),
    SmallRun(
        "reused-id-sent-anew",
        "history/model-calls",
        "A model that repeats an id over turns leaves a loop no other way.",
        _AGAIN,
        (part(Call, having(id="own-1")), part(Result, having(id="own-1"))),
        CHAT,
    ),
    SmallRun(
        "phase-of-no-mark",
        "history/model-phase",
        "Where the model gives no mark none is expected.",
        _TWO,
        (part(Text, having(phase="commentary"), -1, "assistant"),),
        RESPONSES,
    ),
    *[
        SmallRun(
            each.name,
            each.rule,
            each.summary,
            each.run,
            each.edits,
            ("openai-responses", "anthropic-messages", "gemini-generate"),
        )
        for each in small_runs(
            "history/model-thinking",
            _SIGNED,
            ("thinking-sent-whole", "Thinking goes back.", []),
            ("thinking-sent-not", "Thinking does not go back.", [conversations.drop_thinking]),
            (
                "thinking-sent-other",
                "Thinking goes back in other words.",
                [part(ThinkingPart, having(text="Then I look."))],
            ),
            (
                "thinking-sent-unsigned",
                "Thinking goes back without its signature.",
                [part(ThinkingPart, having(signature=""))],
            ),
            (
                "thinking-sent-url-safe",
                "Signatures in the other alphabet of base64.",
                [
                    part(
                        ThinkingPart,
                        lambda old: replace(
                            old, signature=old.signature.replace("+", "-").replace("/", "_").rstrip("=")
                        ),
                    )
                ],
            ),
            (
                "signature-of-a-call-gone",
                "The signature of a call does not go back.",
                [part(Call, having(signature=""), 0)],
            ),
        )
    ],
    *[
        SmallRun(
            each.name,
            each.rule,
            each.summary,
            each.run,
            each.edits,
            ("openai-responses", "anthropic-messages", "gemini-generate"),
        )
        for each in small_runs(
            "history/model-order",
            _BETWEEN,
            ("texts-first", "Both texts in front of the calls: for information.", [conversations.say_text_first]),
            ("texts-last", "Both texts behind the calls.", [conversations.text_behind_calls]),
            (
                "texts-and-calls-swapped",
                "The texts go first and the calls in another order.",
                [conversations.say_text_first, _swapped(Call, -1, -2)],
            ),
        )
    ],
)

_AS_WRITTEN = (
    SmallRun(
        "parts-in-between", "history/model-order", "A message of Chat has one text, in front of its calls.", _BETWEEN
    ),
    SmallRun("text-in-between", "history/model-order", "A text between two calls.", _MIDDLE),
    SmallRun(
        "blank-in-between",
        "history/model-order",
        "A blank text between two calls goes first.",
        PlainRun((Turn((call("depth", basin="n"), Text("\n"), call("tide", basin="s"))), says("Yes."))),
        (conversations.say_text_first,),
        RESPONSES,
    ),
)

_ORDER = tuple(
    SmallRun(
        each.name,
        each.rule,
        each.summary,
        each.run,
        each.edits,
        ("openai-responses", "anthropic-messages", "gemini-generate"),
    )
    for each in (
        *small_runs(
            "history/model-order",
            _MIDDLE,
            (
                "text-first-of-all",
                "A text between two calls goes first: for information.",
                [conversations.say_text_first],
            ),
            ("text-last-of-all", "It goes last.", [conversations.text_behind_calls]),
            (
                "text-first-calls-swapped",
                "It goes first, and the calls change places.",
                [conversations.say_text_first, _swapped(Call, -1, -2)],
            ),
            (
                "text-first-edited",
                "The caller has edited the turn.",
                [conversations.text_behind_calls, case(edits=(1,))],
            ),
        ),
        *small_runs(
            "history/model-order",
            _SIGNED,
            ("thinking-last-of-all", "Thinking goes back behind the text.", [rewriting(_move_thinking)]),
        ),
    )
)

_RESULTS = (
    *small_runs(
        "history/results",
        _TWO,
        ("result-not-sent", "The last result does not go back.", [part(Result, gone)]),
        ("results-not-sent", "No result goes back.", [_without(Result)]),
        (
            "result-under-another-id",
            "The last result goes back under an id of no call.",
            [part(Result, having(id="call_x"))],
        ),
        ("result-without-id", "The last result goes back without an id.", [part(Result, having(id=""))]),
        (
            "result-not-sent-edited",
            "The caller has edited the turn, and kept the call.",
            [part(Result, gone), case(edits=(1,))],
        ),
        (
            "call-and-result-edited",
            "The caller has taken a call out with its result.",
            [part(Result, gone), part(Call, gone), case(edits=(1,))],
        ),
        (
            "result-twice-edited",
            "The caller has kept a call, and two results go back.",
            [part(Result, lambda old: [old, old]), case(edits=(1,))],
        ),
        (
            "result-of-nothing-edited",
            "The caller has taken a call out, and not its result.",
            [part(Call, gone), case(edits=(1,))],
        ),
    ),
    *small_runs(
        "history/no-other-results",
        _TWO,
        ("result-sent-twice-over", "The last result goes back twice.", [part(Result, lambda old: [old, old])]),
        (
            "result-sent-of-nobody",
            "A result of no call goes back.",
            [part(Result, lambda old: [old, replace(old, id="call_x", name="enter")])],
        ),
        ("result-after-an-answer", "A result in a turn without calls.", []),
    ),
    *small_runs(
        "history/no-other-results",
        _NO_IDS,
        ("result-sent-twice-without-ids", "The last result goes back twice.", [part(Result, lambda old: [old, old])]),
    ),
    *small_runs(
        "history/result-after-call",
        _TWO,
        (
            "results-before-calls",
            "Both results go in front of the turn: one finding.",
            [conversations.answer_before_the_call, conversations.answer_before_the_call],
        ),
    ),
    *small_runs(
        "history/result-order",
        _TWO,
        ("results-swapped-with-ids", "Results with ids in another order: for information.", [_swapped(Result, -1, -2)]),
        (
            "results-in-another-order-promised",
            "Where the contract says in which order.",
            [_swapped(Result, -1, -2), case(profile="tool-runner")],
        ),
    ),
    SmallRun(
        "results-in-order-without-ids",
        "history/result-order",
        "Results without ids in the order of the calls.",
        _NO_IDS,
        (),
        GEMINI,
    ),
    SmallRun(
        "results-in-another-order-without-ids",
        "history/result-order",
        "Results without ids in another order.",
        _NO_IDS,
        (_swapped(Result, -1, -2),),
        GEMINI,
    ),
    SmallRun(
        "result-lost-without-ids",
        "history/results",
        "Of two results without ids one is lost.",
        _NO_IDS,
        (part(Result, gone),),
        GEMINI,
    ),
    SmallRun(
        "results-many-in-order",
        "history/result-order",
        "Of many results four are named.",
        PlainRun((Turn(tuple(call("depth", basin=each) for each in "abcdef")), says("Yes."))),
        (_swapped(Result, -1, -6),),
        ("openai-chat", "gemini-generate"),
    ),
    *small_runs(
        "history/result-name",
        _TWO,
        ("name-of-a-result-other", "A result has the name of another tool.", [part(Result, having(name="enter"))]),
        ("name-of-a-result-missing", "A result has no name.", [part(Result, having(name=""))]),
    ),
    SmallRun(
        "name-of-a-result-of-a-nameless-call",
        "history/result-name",
        "A call without a name has a result with one.",
        PlainRun((Turn((call("", "call_1", basin="n"),)), says("Yes."))),
        (part(Result, having(name="enter")),),
        GEMINI,
    ),
    *small_runs(
        "history/results-first",
        _TWO,
        (
            "word-between-results",
            "The user says something between two results.",
            [_message("user", "Well?", before=Result, which=-1)],
        ),
        (
            "word-before-results",
            "The user says something before all results.",
            [_message("user", "Well?", before=Result, which=-2)],
        ),
    ),
    SmallRun(
        "shared-id-sent-once",
        "history/results",
        "Of two calls with one id one goes back with its result.",
        _SHARED,
        (part(Result, gone), part(Call, gone)),
        CHAT,
    ),
    SmallRun(
        "shared-id-sent-second",
        "history/model-calls",
        "It may be the second.",
        _SHARED,
        (part(Result, gone, 0), part(Call, gone, 0)),
        CHAT,
    ),
    SmallRun(
        "shared-id-second-beside-another",
        "history/model-calls",
        "Of the two with one id the second goes back, and the third.",
        _SHARED_OF_THREE,
        (part(Result, gone, 0), part(Call, gone, 0)),
        CHAT,
    ),
    SmallRun(
        "words-in-place-of-results",
        "history/results-first",
        "Where no result goes back no text is before one.",
        _TWO,
        (_words_for_results,),
        ("openai-responses", "anthropic-messages"),
    ),
    *(
        SmallRun(
            f"shared-id-of-one-tool-{name}",
            "history/model-calls",
            "Two calls of one tool with one id: either may go back alone.",
            _SHARED_TOOL,
            (part(Result, gone, which), part(Call, gone, which)),
            CHAT,
        )
        for name, which in (("first", 1), ("second", 0))
    ),
    SmallRun(
        "shared-id-beside-another",
        "history/results",
        "Of three calls two have one id, and go back as one.",
        _SHARED_OF_THREE,
        (part(Result, gone, 1), part(Call, gone, 1)),
        CHAT,
    ),
    SmallRun(
        "shared-id-beside-another-lost",
        "history/results",
        "The third does not go back.",
        _SHARED_OF_THREE,
        (part(Result, gone, 1), part(Call, gone, 1), part(Result, gone), part(Call, gone)),
        CHAT,
    ),
    SmallRun(
        "shared-id-result-lost",
        "history/results",
        "Both calls go back, and one result.",
        _SHARED,
        (part(Result, gone),),
        CHAT,
    ),
    SmallRun(
        "shared-id-call-lost",
        "history/no-other-results",
        "One call goes back, and two results.",
        _SHARED,
        (part(Call, gone),),
        CHAT,
    ),
    SmallRun(
        "shared-id-and-another-call",
        "history/model-calls",
        "One of the two goes back, and a call that was not made.",
        _SHARED,
        (part(Result, gone), part(Call, having(id="call_2", name="enter"))),
        CHAT,
    ),
    SmallRun(
        "shared-ids-made-two",
        "history/model-calls",
        "The second goes back under an id of its own.",
        _SHARED,
        (part(Result, having(id="own")), part(Call, having(id="own"))),
        CHAT,
    ),
    SmallRun(
        "broken-turn-kept",
        "history/results",
        "A turn with arguments that are cut goes back with a failure.",
        _CUT,
        (),
        CHAT,
    ),
    SmallRun(
        "broken-turn-out",
        "history/results",
        "It may be left out as a whole.",
        _CUT,
        (_without(Call, Result), part(Text, gone, -1, "assistant")),
        CHAT,
    ),
    SmallRun(
        "broken-turn-out-but-text",
        "history/results",
        "Its text may go back alone.",
        _CUT,
        (_without(Call, Result),),
        CHAT,
    ),
    SmallRun(
        "broken-turn-run-and-out",
        "history/results",
        "It may not where its tool has run.",
        PlainRun(_CUT.turns),
        (_without(Call, Result),),
        CHAT,
    ),
    SmallRun(
        "whole-turn-out",
        "history/results",
        "A turn whose arguments are whole may not be left out.",
        _ONE,
        (_without(Call, Result),),
        CHAT,
    ),
)

_FAILS = PlainRun(_TWO.turns, failing=frozenset({"depth"}), outputs={"depth": {"note": "basin closed for repairs"}})
_ERRORS = (
    *small_runs(
        "history/result-error",
        _FAILS,
        ("failure-sent", "A failure goes back as one.", []),
        ("failure-sent-unmarked", "A failure goes back unmarked.", [part(Result, having(is_error=False), 0)]),
        ("success-sent-marked", "A success goes back marked as a failure.", [part(Result, having(is_error=True), 1)]),
        (
            "failure-sent-as-success",
            "What goes back has no word of a failure.",
            [part(Result, having(output='"all is well"'), 0)],
        ),
        (
            "failure-sent-in-words",
            "What goes back has a word that may mean a failure.",
            [part(Result, having(output='"it did not work"'), 0)],
        ),
        (
            "failure-sent-with-output",
            "What goes back contains what the tool said.",
            [part(Result, having(output='"basin closed for repairs, says depth"'), 0)],
        ),
        (
            "failure-untold",
            "The failure was not reported.",
            [drop(ToolResult, 0), part(Result, having(output='"all is well"', is_error=False), 0)],
        ),
        (
            "failure-then-success",
            "The last result that was reported counts.",
            [repeat(ToolResult), alter(ToolResult, 1, ok=True)],
        ),
        (
            "failure-edited",
            "The caller has edited the turn.",
            [part(Result, having(is_error=False, output='"all is well"'), 0), case(edits=(1,))],
        ),
    ),
    SmallRun(
        "failure-with-a-blank",
        "history/result-error",
        "A blank text in the output of a failure says nothing.",
        PlainRun(
            _TWO.turns, failing=frozenset({"depth"}), outputs={"depth": {"note": "closed for repairs", "more": " "}}
        ),
        (part(Result, having(output='"all is well"', is_error=False), 0),),
        CHAT,
    ),
    SmallRun(
        "failure-without-ids",
        "history/result-error",
        "Without ids it is not known whose result it is.",
        PlainRun(_NO_IDS.turns, failing=frozenset({"depth"})),
        (part(Result, having(output='"all is well"', is_error=False), 0),),
        GEMINI,
    ),
    SmallRun(
        "failure-alone-without-id",
        "history/result-error",
        "Of a turn with one call it is known.",
        PlainRun(
            (Turn((call("depth", "", basin="n"),)), says("Yes.")),
            failing=frozenset({"depth"}),
            outputs={"depth": "closed for repairs"},
        ),
        (part(Result, having(output='"all is well"', is_error=False), 0),),
        GEMINI,
    ),
    SmallRun(
        "failure-of-a-shared-id",
        "history/result-error",
        "Nor with an id that two calls have.",
        PlainRun(_SHARED.turns, failing=frozenset({"depth"}), outputs={"depth": "closed for repairs"}),
        (part(Result, having(output='"all is well"'), 0),),
        CHAT,
    ),
)

SMALL_RUNS = (*_AS_WRITTEN, *_HISTORY, *_TURN, *_ORDER, *_RESULTS, *_ERRORS)

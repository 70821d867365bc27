"""What a loop makes of a run that its caller cancels, and of an answer that was cut off so."""

from __future__ import annotations

from dataclasses import replace

from harness.trace import (
    Assistant,
    CallerRecord,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Result, Text, ThinkingPart, Turn
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, place
from harness_lab.mutants.traces.edits import alter, drop, repeat
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import (
    CALLS,
    CANCELLING,
    NEXT,
    act,
    acting,
    acting_before,
    acting_first,
    begins,
    nothing_follows,
    put,
    twice,
    without_act,
)
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    case,
    cut,
    gone,
    having,
    moved,
    part,
    respond,
    unanswered,
)

# --- cancelled ------------------------------------------------------------------------------------------------

_CANCELLED = PlainRun((CALLS, says("No.")), acts={2: CANCELLING})
_UNNAMED = PlainRun(
    (Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("No.")), acts={2: CANCELLING}
)
_UNNAMED_THREE = replace(
    _UNNAMED, turns=(Turn((*_UNNAMED.turns[0].calls, call("enter", "", basin="n"))), says("No.")), acts={2: CANCELLING}
)
_LATER = PlainRun(
    (CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")),
    acts={3: begins(), 4: CANCELLING},
)
_ON = PlainRun((CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: CANCELLING})
_ANSWERED = PlainRun((CALLS, says("Yes."), says("No.")), acts={3: CANCELLING})
_LATE_RESULT = acting_before("cancel", ToolResult, 1)
_BOTH_BEGUN = moved(ToolStart, 1, ToolResult, 0)
_SAYS_CANCELLED = part(Result, having(output="Cancelled by the user.", is_error=True))
_FAILS = alter(ToolResult, 1, ok=False, output="Cancelled by the user.")
UNENDED = (_LATE_RESULT, drop(ToolResult, 1))


def _begin_before_result(draft: TraceDraft) -> None:
    """The next run begins in front of the last result."""
    draft.records.insert(place(draft.records, ToolResult, -1), CallerRecord("run", NEXT))


_CANCELS = (
    *acting(
        "caller/cancelled",
        _CANCELLED,
        ("cancelled-behind-all", "The run is cancelled when its calls have ended.", []),
        ("ran-on", "A call ends well behind the cancel.", [_LATE_RESULT]),
        ("ran-on-and-failed", "A call ends behind the cancel, as one that failed.", [_LATE_RESULT, _FAILS]),
        (
            "ended-and-reported-later",
            "A call that had ended is reported behind the cancel.",
            [_LATE_RESULT, act("cancel", ended=("call_1", "call_2"))],
        ),
        (
            "another-had-ended",
            "A call ends well behind the cancel; another one had ended.",
            [_LATE_RESULT, act("cancel", ended=("call_1",))],
        ),
        ("both-ran-on", "Both calls begin and end behind the cancel.", [acting_before("cancel", ToolStart, 0)]),
        (
            "one-of-two-ran-on",
            "Both calls end behind the cancel, of which one had ended.",
            [_BOTH_BEGUN, acting_before("cancel", ToolResult, 0), act("cancel", ended=("call_2",))],
        ),
        ("cancelled-twice", "The caller cancels twice: one finding.", [_LATE_RESULT, twice("cancel")]),
        ("ran-on-to-the-end", "No run follows, and a call ends well.", [_LATE_RESULT, nothing_follows]),
        (
            "reported-in-the-next-run",
            "A call ends well in the next run, of which the cancel says nothing.",
            [_LATE_RESULT, without_act("run"), _begin_before_result],
        ),
    ),
    *acting(
        "caller/cancelled",
        _UNNAMED,
        (
            "unnamed-ran-on",
            "Calls without ids end behind the cancel.",
            [_BOTH_BEGUN, acting_before("cancel", ToolResult, 0)],
        ),
        (
            "unnamed-one-had-ended",
            "Two calls without ids end behind the cancel, of which one had ended.",
            [_BOTH_BEGUN, acting_before("cancel", ToolResult, 0), act("cancel", ended=("",))],
        ),
        (
            "unnamed-had-ended",
            "Two calls without ids are reported behind the cancel; both had ended.",
            [_BOTH_BEGUN, acting_before("cancel", ToolResult, 0), act("cancel", ended=("", ""))],
        ),
        (
            "unnamed-reported-before",
            "The one that had ended was reported in front of the cancel, so the other ran on.",
            [_LATE_RESULT, act("cancel", ended=("",))],
        ),
        (
            "unnamed-one-reported-before",
            "Both had ended; one was reported in front of the cancel.",
            [_LATE_RESULT, act("cancel", ended=("", ""))],
        ),
        (
            "unnamed-begun-later",
            "A call that begins behind the cancel had not ended before it.",
            [acting_before("cancel", ToolStart, 1), act("cancel", ended=("", ""))],
        ),
        (
            "unnamed-one-failed",
            "Of two calls without ids one fails behind the cancel, and one had ended.",
            [
                _BOTH_BEGUN,
                acting_before("cancel", ToolResult, 0),
                alter(ToolResult, 0, ok=False, output="Cancelled by the user."),
                act("cancel", ended=("",)),
            ],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/cancelled",
        _UNNAMED,
        (
            "unnamed-reported-again",
            "The one that had ended before is reported again; the other had ended, too.",
            [
                _BOTH_BEGUN,
                acting_before("cancel", ToolResult, 0),
                repeat(ToolResult, 0),
                acting_before("cancel", ToolResult, 1),
                act("cancel", ended=("", "")),
            ],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/cancelled",
        _UNNAMED_THREE,
        (
            "unnamed-two-ran-on",
            "Of three calls without ids one is reported before, and nothing is known of the others.",
            [
                moved(ToolStart, 1, ToolResult, 0),
                moved(ToolStart, 2, ToolResult, 0),
                acting_before("cancel", ToolResult, 1),
            ],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/cancelled",
        _LATER,
        (
            "ran-on-in-a-later-run",
            "A call of the second run ends behind its cancel.",
            [acting_before("cancel", ToolResult, 2)],
        ),
    ),
    *acting(
        "caller/cancelled",
        _ON,
        ("cancelled-in-a-later-turn", "The run is cancelled in its second turn.", []),
        ("asked-on", "The loop asks for another turn, and takes it.", [acting_before("cancel", TurnStart, 1)]),
        (
            "asked-on-and-given-up",
            "The loop asks for another turn, and gives up the answer.",
            [
                acting_before("cancel", TurnStart, 1),
                respond(1, end="closed"),
                drop(ToolResult, 2),
                drop(ToolStart, 2),
            ],
        ),
        (
            "asked-on-in-vain",
            "The loop asks for another turn, and there is no answer.",
            [acting_before("cancel", TurnStart, 1), unanswered(1), drop(ToolResult, 2), drop(ToolStart, 2)],
        ),
    ),
    *acting(
        "caller/cancelled",
        _ANSWERED,
        ("answer-had-come", "The answer had come when the run was cancelled.", [drop(Assistant, 1)]),
        (
            "answer-taken",
            "The answer stopped while the run was cancelled, and the loop has taken all of it.",
            [act("cancel", answering=True)],
        ),
        (
            "answer-given-up",
            "The answer stopped while the run was cancelled, and the loop has given it up.",
            [
                act("cancel", answering=True),
                cut(1, end="closed"),
                part(Text, gone, -1, "assistant"),
                drop(Assistant, 1),
            ],
        ),
        (
            "answer-before-taken",
            "The answer that was given up is the last one.",
            [act("cancel", answering=True), respond(0, end="closed")],
        ),
        (
            "answer-that-never-came",
            "Nothing came of the answer.",
            [act("cancel", answering=True), unanswered(1), part(Text, gone, -1, "assistant"), drop(Assistant, 1)],
        ),
        (
            "cancelled-before-a-request",
            "No request had been sent when the run was cancelled.",
            [act("cancel", answering=True), acting_first("cancel")],
        ),
    ),
    *acting(
        "caller/cancelled-result",
        _CANCELLED,
        ("cancelled-as-done", "The result of a call that did not end reads like success.", UNENDED),
        (
            "cancelled-as-returned",
            "The result of a call that did not end is what its tool returns.",
            [*UNENDED, case(returns={"tide": {"done": "tide"}})],
        ),
        (
            "cancelled-as-another",
            "The result of a call that did not end is what another tool returns.",
            [*UNENDED, case(returns={"depth": {"done": "tide"}})],
        ),
        (
            "cancelled-returns-a-failure",
            "The tool returns words of a failure, and these are the result of a call that did not end.",
            [
                *UNENDED,
                case(returns={"tide": "Nothing failed."}),
                part(Result, having(output="Nothing failed.")),
            ],
        ),
        (
            "cancelled-returns-nothing",
            "The tool returns an empty text, and so does the call that did not end.",
            [*UNENDED, case(returns={"tide": ""}), part(Result, having(output=""))],
        ),
        (
            "cancelled-in-words",
            "It says in words that it did not end.",
            [*UNENDED, part(Result, having(output="Cancelled."))],
        ),
        ("cancelled-and-marked", "It is marked as a failure.", [*UNENDED, _SAYS_CANCELLED]),
        (
            "cancelled-and-denied",
            "The user has decided about the call since.",
            [*UNENDED, act("run", resolved=(("tide", "deny"),))],
        ),
        (
            "cancelled-another-denied",
            "The user has decided about another call since.",
            [*UNENDED, act("run", resolved=(("depth", "deny"),))],
        ),
        (
            "cancelled-by-a-silent-loop",
            "The loop reports no results, so nobody knows which calls had ended.",
            [*UNENDED, drop(ToolResult, 0), case(emits=("turnStart", "assistant", "toolStart", "final"))],
        ),
        (
            "cancelled-cut-off",
            "The turn broke off.",
            [*UNENDED, cut(0, end="cut")],
        ),
        ("cancelled-and-lost", "The call that did not end has no result.", [*UNENDED, part(Result, gone)]),
    ),
    *acting(
        "caller/ended-result",
        _CANCELLED,
        ("ended-as-cancelled", "A call that had ended is said to have been cancelled.", [_SAYS_CANCELLED]),
        (
            "ended-as-another-value",
            "A call that had ended has another result than its tool returns.",
            [case(returns={"tide": {"metres": 3}})],
        ),
        ("ended-as-returned", "It has what its tool returns.", [case(returns={"tide": {"done": "tide"}})]),
        (
            "ended-in-other-words",
            "It has another result than was reported, and what its tool returns is not known.",
            [part(Result, having(output="The tide falls."))],
        ),
        (
            "failed-before-the-cancel",
            "A call that had failed is said to have failed.",
            [alter(ToolResult, 1, ok=False, output="Cancelled by the user."), _SAYS_CANCELLED],
        ),
        (
            "ended-and-unreported",
            "A call that had ended, and was never reported, is said to have been cancelled.",
            [*UNENDED, act("cancel", ended=("call_2",)), _SAYS_CANCELLED],
        ),
        (
            "failed-and-unreported",
            "A call that had failed, and was never reported, is said to have been cancelled.",
            [*UNENDED, act("cancel", ended=("call_2",), failed=("call_2",)), _SAYS_CANCELLED],
        ),
        (
            "another-failed",
            "A call had ended well and another failed; both are said to have been cancelled.",
            [
                _BOTH_BEGUN,
                acting_before("cancel", ToolResult, 0),
                drop(ToolResult, 0),
                drop(ToolResult, 0),
                case(emits=("turnStart", "assistant", "toolStart", "toolResult", "final")),
                act("cancel", ended=("call_1", "call_2"), failed=("call_1",)),
                part(Result, having(output="Cancelled by the user.", is_error=True), 0),
                _SAYS_CANCELLED,
            ],
        ),
    ),
)


# --- an answer that was cancelled -------------------------------------------------------------------------------

_MESSAGE = PlainRun((says("The basin is deep, and the tide is high."), says("No.")), acts={2: CANCELLING})
THOUGHT = "The chart has a basin in the north."
_THINKING = PlainRun((Turn((ThinkingPart(THOUGHT), Text("Yes, and"))), says("No.")), acts={2: CANCELLING})
_MESSAGE_AND_THINKING = PlainRun(
    (Turn((ThinkingPart(THOUGHT), Text(f"{THOUGHT} So yes."))), says("No.")), acts={2: CANCELLING}
)
_SHORT = PlainRun((Turn((ThinkingPart("Abcdefghijk"), Text("Yes, and"))), says("No.")), acts={2: CANCELLING})
_LONG_ENOUGH = PlainRun((Turn((ThinkingPart("Abcdefghijkl"), Text("Yes, and"))), says("No.")), acts={2: CANCELLING})
_CUT = cut(0, end="closed")


def says_first(text: str, role: str = "assistant") -> Edit:
    """A text of the model's stands in front of the first one."""
    return put(role, Text(text), before=Text)


def unthought(draft: TraceDraft) -> None:
    """The last request has no thinking."""

    def change(entries: list[Entry]) -> None:
        entries[:] = [each for each in entries if not isinstance(each[1], ThinkingPart)]

    rewriting(change)(draft)


_CUT_ANSWERS = (
    *acting(
        "caller/shown",
        _MESSAGE,
        ("shown-and-sent", "What was shown goes back.", [_CUT]),
        ("shown-and-lost", "What was shown does not go back.", [_CUT, part(Text, gone, -1, "assistant")]),
        (
            "shown-in-part",
            "The beginning was shown, and that goes back.",
            [
                _CUT,
                alter(Assistant, 0, text="The basin is"),
                part(Text, having(text="The  basin is"), -1, "assistant"),
            ],
        ),
        (
            "shown-and-cut",
            "Less goes back than was shown.",
            [_CUT, part(Text, having(text="The basin is deep"), -1, "assistant")],
        ),
        (
            "shown-later",
            "It was shown behind the cancel, and does not go back.",
            [_CUT, acting_before("cancel", Assistant, 0), part(Text, gone, -1, "assistant")],
        ),
        ("shown-whole-and-lost", "The answer was whole, and does not go back.", [part(Text, gone, -1, "assistant")]),
        (
            "shown-and-compacted",
            "The history has been compacted since.",
            [_CUT, act("run", compacted=True), part(Text, gone, -1, "assistant")],
        ),
    ),
    *acting(
        "caller/thought",
        _THINKING,
        ("thought-left-out", "What was thought does not go back.", [_CUT, unthought]),
        ("thought-as-said", "What was thought goes back as what was said.", [_CUT, unthought, says_first(THOUGHT)]),
        (
            "thought-as-said-in-part",
            "The beginning of what was thought goes back as what was said.",
            [_CUT, unthought, says_first("The chart has a ...")],
        ),
        (
            "thought-as-said-by-the-user",
            "What was thought goes back as what the user said.",
            [_CUT, unthought, says_first(THOUGHT, "user")],
        ),
        ("thought-and-ended", "The turn was whole.", [unthought, says_first(THOUGHT)]),
        ("nothing-came", "There was no answer.", [unanswered(0), unthought, says_first(THOUGHT)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _MESSAGE_AND_THINKING,
        ("thought-and-said", "The model has said what it thought.", [_CUT, unthought]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _SHORT,
        (
            "thought-of-eleven",
            "A thought of eleven letters could be anything.",
            [_CUT, unthought, says_first("Abcdefghijk")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _LONG_ENOUGH,
        ("thought-of-twelve", "A thought of twelve letters is known.", [_CUT, unthought, says_first("Abcdefghijkl")]),
        wires=ANTHROPIC,
    ),
)

CANCELLED: tuple[SmallRun, ...] = (*_CANCELS, *_CUT_ANSWERS)

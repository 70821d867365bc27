"""What a loop makes of what its caller does: it cancels a run, says something, begins another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.trace import (
    RAISED,
    Assistant,
    CallerDid,
    CallerRecord,
    Event,
    Failure,
    Final,
    Record,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Result, Text, ThinkingPart, Turn, WireName
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.edits import alter, drop, repeat
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    case,
    cut,
    gone,
    having,
    moved,
    part,
    respond,
    unanswered,
    unreadable,
)

__all__ = [
    "ACTS",
    "act",
    "acted",
    "acting",
    "acting_before",
    "acting_first",
    "before_results",
    "begins",
    "in_request",
    "no_request_follows",
    "say_again",
    "without_act",
]

_BOTH: tuple[WireName, ...] = ("openai-chat", "anthropic-messages")
_NEXT = "And after noon?"
_CALLS = Turn((Text("Let me look."), call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s")))
_CALLS_MORE = Turn((call("enter", "call_3", basin="n"),))
_CANCELLING = (CallerRecord("cancel"), CallerRecord("run", _NEXT))
_RAISED = Failure(RAISED, "It broke.")


def begins(text: str = _NEXT, **members: Any) -> tuple[CallerRecord, ...]:
    """The caller begins another run."""
    return (CallerRecord("run", text, **members),)


def acting(
    rule: str, run: PlainRun, *rows: tuple[str, str, Sequence[Edit]], wires: tuple[WireName, ...] = _BOTH
) -> tuple[SmallRun, ...]:
    """Small runs of one rule on these wires: (name, what it shows, edits) of each."""
    return tuple(SmallRun(name, rule, summary, run, tuple(edits), wires) for name, summary, edits in rows)


# --- edits of what the caller does --------------------------------------------------------------------------


def acted(records: Sequence[Record], did: CallerDid, which: int) -> int:
    """Where the caller does it."""
    found = [at for at, record in enumerate(records) if isinstance(record, CallerRecord) and record.did == did]
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


def act(did: CallerDid, which: int = 0, **members: Any) -> Edit:
    """The caller does it in another way."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, which)
        draft.records[at] = replace(draft.records[at], **members)

    return edit


def without_act(did: CallerDid, which: int = 0) -> Edit:
    """The caller does it not."""

    def edit(draft: TraceDraft) -> None:
        del draft.records[acted(draft.records, did, which)]

    return edit


def acting_before(did: CallerDid, kind: type[Event], which: int, which_act: int = 0) -> Edit:
    """The caller does it in front of this event."""

    def edit(draft: TraceDraft) -> None:
        record = draft.records.pop(acted(draft.records, did, which_act))
        draft.records.insert(place(draft.records, kind, which), record)

    return edit


def acting_first(did: CallerDid) -> Edit:
    """The caller does it before anything else happens."""

    def edit(draft: TraceDraft) -> None:
        draft.records.insert(0, draft.records.pop(acted(draft.records, did, 0)))

    return edit


def _twice(did: CallerDid) -> Edit:
    """The caller does it once more, right behind."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, 0)
        draft.records.insert(at, draft.records[at])

    return edit


def _nothing_follows(draft: TraceDraft) -> None:
    """Nothing is seen of the run that the caller begins last, nor that it does."""
    del draft.records[acted(draft.records, "run", -1) :]


def no_request_follows(did: CallerDid, *ends: Event) -> Edit:
    """What the caller does is the last that is seen but for this end of the run."""

    def edit(draft: TraceDraft) -> None:
        at = acted(draft.records, did, -1)
        last = event_record(draft.records, place(draft.records[:at], TurnStart, -1))
        draft.records[at + 1 :] = [replace(last, event=end) for end in ends]

    return edit


def _put(role: str, made: Any, *, before: type, which: int = -1) -> Edit:
    """Something more stands in front of a part of the last request."""

    def change(entries: list[Entry]) -> None:
        places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, before)]
        if not places:
            raise NothingToBreak
        entries.insert(places[which], (role, made, f"in front of {entries[places[which]][2]}"))  # type: ignore[arg-type]

    return rewriting(change)


# --- cancelled ------------------------------------------------------------------------------------------------

_CANCELLED = PlainRun((_CALLS, says("No.")), acts={2: _CANCELLING})
_UNNAMED = PlainRun(
    (Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("No.")), acts={2: _CANCELLING}
)
_UNNAMED_THREE = replace(
    _UNNAMED, turns=(Turn((*_UNNAMED.turns[0].calls, call("enter", "", basin="n"))), says("No.")), acts={2: _CANCELLING}
)
_LATER = PlainRun(
    (_CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")),
    acts={3: begins(), 4: _CANCELLING},
)
_ON = PlainRun((_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: _CANCELLING})
_ANSWERED = PlainRun((_CALLS, says("Yes."), says("No.")), acts={3: _CANCELLING})
_LATE_RESULT = acting_before("cancel", ToolResult, 1)
_BOTH_BEGUN = moved(ToolStart, 1, ToolResult, 0)
_SAYS_CANCELLED = part(Result, having(output="Cancelled by the user.", is_error=True))
_FAILS = alter(ToolResult, 1, ok=False, output="Cancelled by the user.")
_UNENDED = (_LATE_RESULT, drop(ToolResult, 1))


def _begin_before_result(draft: TraceDraft) -> None:
    """The next run begins in front of the last result."""
    draft.records.insert(place(draft.records, ToolResult, -1), CallerRecord("run", _NEXT))


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
        ("cancelled-twice", "The caller cancels twice: one finding.", [_LATE_RESULT, _twice("cancel")]),
        ("ran-on-to-the-end", "No run follows, and a call ends well.", [_LATE_RESULT, _nothing_follows]),
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
        ("cancelled-as-done", "The result of a call that did not end reads like success.", _UNENDED),
        (
            "cancelled-as-returned",
            "The result of a call that did not end is what its tool returns.",
            [*_UNENDED, case(returns={"tide": {"done": "tide"}})],
        ),
        (
            "cancelled-as-another",
            "The result of a call that did not end is what another tool returns.",
            [*_UNENDED, case(returns={"depth": {"done": "tide"}})],
        ),
        (
            "cancelled-returns-a-failure",
            "The tool returns words of a failure, and these are the result of a call that did not end.",
            [
                *_UNENDED,
                case(returns={"tide": "Nothing failed."}),
                part(Result, having(output="Nothing failed.")),
            ],
        ),
        (
            "cancelled-returns-nothing",
            "The tool returns an empty text, and so does the call that did not end.",
            [*_UNENDED, case(returns={"tide": ""}), part(Result, having(output=""))],
        ),
        (
            "cancelled-in-words",
            "It says in words that it did not end.",
            [*_UNENDED, part(Result, having(output="Cancelled."))],
        ),
        ("cancelled-and-marked", "It is marked as a failure.", [*_UNENDED, _SAYS_CANCELLED]),
        (
            "cancelled-and-denied",
            "The user has decided about the call since.",
            [*_UNENDED, act("run", resolved=(("tide", "deny"),))],
        ),
        (
            "cancelled-another-denied",
            "The user has decided about another call since.",
            [*_UNENDED, act("run", resolved=(("depth", "deny"),))],
        ),
        (
            "cancelled-by-a-silent-loop",
            "The loop reports no results, so nobody knows which calls had ended.",
            [*_UNENDED, drop(ToolResult, 0), case(emits=("turnStart", "assistant", "toolStart", "final"))],
        ),
        (
            "cancelled-cut-off",
            "The turn broke off.",
            [*_UNENDED, cut(0, end="cut")],
        ),
        ("cancelled-and-lost", "The call that did not end has no result.", [*_UNENDED, part(Result, gone)]),
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
            [*_UNENDED, act("cancel", ended=("call_2",)), _SAYS_CANCELLED],
        ),
        (
            "failed-and-unreported",
            "A call that had failed, and was never reported, is said to have been cancelled.",
            [*_UNENDED, act("cancel", ended=("call_2",), failed=("call_2",)), _SAYS_CANCELLED],
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

_MESSAGE = PlainRun((says("The basin is deep, and the tide is high."), says("No.")), acts={2: _CANCELLING})
_THOUGHT = "The chart has a basin in the north."
_THINKING = PlainRun((Turn((ThinkingPart(_THOUGHT), Text("Yes, and"))), says("No.")), acts={2: _CANCELLING})
_MESSAGE_AND_THINKING = PlainRun(
    (Turn((ThinkingPart(_THOUGHT), Text(f"{_THOUGHT} So yes."))), says("No.")), acts={2: _CANCELLING}
)
_SHORT = PlainRun((Turn((ThinkingPart("Abcdefghijk"), Text("Yes, and"))), says("No.")), acts={2: _CANCELLING})
_LONG_ENOUGH = PlainRun((Turn((ThinkingPart("Abcdefghijkl"), Text("Yes, and"))), says("No.")), acts={2: _CANCELLING})
_CUT = cut(0, end="closed")


def _says_first(text: str, role: str = "assistant") -> Edit:
    return _put(role, Text(text), before=Text)


def _unthought(draft: TraceDraft) -> None:
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
        ("thought-left-out", "What was thought does not go back.", [_CUT, _unthought]),
        ("thought-as-said", "What was thought goes back as what was said.", [_CUT, _unthought, _says_first(_THOUGHT)]),
        (
            "thought-as-said-in-part",
            "The beginning of what was thought goes back as what was said.",
            [_CUT, _unthought, _says_first("The chart has a ...")],
        ),
        (
            "thought-as-said-by-the-user",
            "What was thought goes back as what the user said.",
            [_CUT, _unthought, _says_first(_THOUGHT, "user")],
        ),
        ("thought-and-ended", "The turn was whole.", [_unthought, _says_first(_THOUGHT)]),
        ("nothing-came", "There was no answer.", [unanswered(0), _unthought, _says_first(_THOUGHT)]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _MESSAGE_AND_THINKING,
        ("thought-and-said", "The model has said what it thought.", [_CUT, _unthought]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _SHORT,
        (
            "thought-of-eleven",
            "A thought of eleven letters could be anything.",
            [_CUT, _unthought, _says_first("Abcdefghijk")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/thought",
        _LONG_ENOUGH,
        ("thought-of-twelve", "A thought of twelve letters is known.", [_CUT, _unthought, _says_first("Abcdefghijkl")]),
        wires=ANTHROPIC,
    ),
)


# --- what the user says -----------------------------------------------------------------------------------------

_WORDS = "Mind the crane."
_MESSAGE_TEXT = PlainRun((_CALLS, says("No.")), acts={2: (CallerRecord("say", _WORDS),)})
_EARLY_MESSAGE = PlainRun(
    (_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={2: (CallerRecord("say", _WORDS),)}
)
_LATE_MESSAGE = PlainRun(
    (_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: (CallerRecord("say", _WORDS),)}
)
_MESSAGE_TWICE = PlainRun(
    (_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
    acts={2: (CallerRecord("say", _WORDS),), 3: (CallerRecord("say", _WORDS),)},
)
_MESSAGE_IN_THE_SECOND_RUN = PlainRun(
    (_CALLS, says("Yes."), _CALLS_MORE, says("No.")), acts={3: begins(), 4: (CallerRecord("say", _WORDS),)}
)
_MESSAGE_AFTER_ALL = PlainRun((_CALLS, says("Yes."), says("No.")), acts={3: (CallerRecord("say", _WORDS),)})
_MESSAGE_CUT = PlainRun(
    (_CALLS, replace(says("Yes, as"), stop=FinishReason.MAX_TOKENS), says("No.")),
    acts={3: (CallerRecord("say", _WORDS),)},
)
_RUNS = PlainRun((_CALLS, says("Yes."), says("No.")), acts={3: begins()})
_RUNS_ON = PlainRun(
    (_CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: begins()}
)
_SAME_AGAIN = PlainRun((_CALLS, says("Yes."), says("Yes."), says("No.")), acts={3: begins(), 4: begins()})
_MESSAGE_THEN_RUN = PlainRun((_CALLS, says("Yes."), says("No.")), acts={3: (CallerRecord("say", _WORDS), *begins())})
_LOSE = part(Text, gone, -1, "user")


@rewriting
def say_again(entries: list[Entry]) -> None:
    """The last words of the request stand there once more."""
    entries.append((*entries[-1][:2], "once more"))


@rewriting
def _say_first_again(entries: list[Entry]) -> None:
    """The last words of the user's stand at the end once more."""
    found = [each for each in entries if each[0] == "user" and isinstance(each[1], Text)]
    entries.append((*found[-1][:2], "once more"))


def _both_in_one(words: str) -> Edit:
    return part(Text, lambda old: replace(old, text=words.format(old.text)), -1, "user")


def before_results(which: int) -> Edit:
    """The last words of the user's stand in front of a result."""

    def change(entries: list[Entry]) -> None:
        found = [at for at, each in enumerate(entries) if each[0] == "user" and isinstance(each[1], Text)]
        who, text, _ = entries.pop(found[-1])
        results = [at for at, each in enumerate(entries) if isinstance(each[1], Result)]
        entries.insert(results[which], (who, text, "moved"))

    return rewriting(change)


def _appended(draft: TraceDraft, role: str, text: str) -> None:
    rewriting(lambda entries: entries.append((role, Text(text), "appended")))(draft)  # type: ignore[arg-type]


def in_request(number: int, edit: Edit) -> Edit:
    """The edit of the last request is made in another one."""

    def change(draft: TraceDraft) -> None:
        at = requests(draft.records)[number]
        left = TraceDraft(draft.case, draft.records[: at + 1])
        edit(left)
        draft.records[at] = left.records[at]

    return change


def _only_the_last(draft: TraceDraft) -> None:
    def change(entries: list[Entry]) -> None:
        entries[:] = [*(each for each in entries if each[0] == "system"), entries[-1]]

    rewriting(change)(draft)


_SAYS = (
    *acting(
        "caller/message-sent",
        _MESSAGE_TEXT,
        ("said-and-sent", "What the user says is in the next request.", []),
        ("said-and-not-sent", "It is not.", [_LOSE]),
        ("said-among-words", "It is there among other words.", [_both_in_one("The user says: {0} Now.")]),
        (
            "said-in-spaces",
            "It is there in other white space.",
            [part(Text, having(text="Mind\n the  crane."), -1, "user")],
        ),
        ("said-in-part", "Only its beginning is there.", [part(Text, having(text="Mind the"), -1, "user")]),
        ("said-and-there-twice", "It is there twice.", [say_again]),
        ("said-twice-in-one", "It is there twice, in one message.", [_both_in_one("{0} {0}")]),
        ("said-and-empty", "The user says nothing.", [act("say", text=""), _LOSE]),
        (
            "said-and-never-asked",
            "The run goes on, and nothing is asked.",
            [no_request_follows("say", Final("", text="Yes."))],
        ),
        (
            "said-before-a-failure",
            "The run fails, so the caller may say it again.",
            [no_request_follows("say", Failure("internal", "It broke."))],
        ),
        (
            "said-before-the-limit",
            "The run ends at its limit.",
            [no_request_follows("say", Final("", "turn-limit")), case(turn_limit=1)],
        ),
        (
            "said-in-the-last-turn",
            "The run has no turn left.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=1)],
        ),
        (
            "said-in-the-last-turn-but-one",
            "The run has a turn left.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=2)],
        ),
        (
            "said-and-cancelled",
            "The run is cancelled.",
            [
                no_request_follows("say"),
                lambda draft: draft.records.append(CallerRecord("cancel")),
            ],
        ),
        (
            "said-behind-a-cancel",
            "The run was cancelled before it.",
            [
                lambda draft: draft.records.insert(acted(draft.records, "say", 0), CallerRecord("cancel")),
                no_request_follows("say", Final("", text="Yes.")),
            ],
        ),
        (
            "said-by-another",
            "The model has it as its own.",
            [part(Text, gone, -1, "user"), _put("assistant", Text(_WORDS), before=Text)],
        ),
    ),
    *acting(
        "caller/message-sent",
        _EARLY_MESSAGE,
        ("said-and-sent-on", "It is in all requests behind.", []),
        ("said-and-sent-once-more", "A later request has it once more.", [_say_first_again]),
        (
            "said-and-quoted-later",
            "A later request quotes it in other words of the user's.",
            [_put("user", Text(f"You said: {_WORDS} So?"), before=Result)],
        ),
        ("said-and-sent-later", "Only the request behind the next one has it.", [in_request(1, _LOSE)]),
    ),
    *acting(
        "caller/message-sent",
        _LATE_MESSAGE,
        ("said-late-and-lost", "It is in no request.", [_LOSE]),
        ("said-late-and-sent", "It is in the next request.", []),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_TWICE,
        ("same-words-twice", "The user says the same twice, and both are sent.", []),
        ("same-words-once", "The user says the same twice, and one is sent.", [_LOSE]),
        ("same-words-thrice", "The user says the same twice, and three are sent.", [say_again]),
        (
            "same-words-once-in-another-history",
            "The user says the same twice, and one is sent, behind other words than before.",
            [_LOSE, part(Text, having(text="A summary."), 0, "user")],
        ),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_AFTER_ALL,
        ("said-at-the-end", "Said when the model was done, and sent.", []),
        ("said-at-the-end-and-lost", "Said when the model was done, and not sent.", [_LOSE]),
        (
            "said-at-the-end-of-all",
            "Said when the model was done, and the run ends.",
            [no_request_follows("say", Final("", text="Yes."))],
        ),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_CUT,
        (
            "said-behind-a-cut",
            "The last answer was cut short, and the run ends.",
            [no_request_follows("say", Final("", "truncated", text="Yes, as"))],
        ),
        (
            "said-behind-a-cut-unsaid",
            "The last answer was cut short, and no end is reported.",
            [no_request_follows("say")],
        ),
        ("said-behind-a-cut-and-lost", "The last answer was cut short, and the next request lacks it.", [_LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_IN_THE_SECOND_RUN,
        (
            "said-in-the-second-run",
            "The second run has a turn left, though both together have none.",
            [no_request_follows("say", Final("", text="Yes.")), case(turn_limit=2)],
        ),
        (
            "said-in-a-cancelled-second-run",
            "The second run is cancelled behind a request that lacks it.",
            [_LOSE, lambda draft: draft.records.append(CallerRecord("cancel"))],
        ),
    ),
    *acting(
        "caller/message-sent",
        _RUNS,
        ("another-run", "Another run begins with what the user says.", []),
        ("another-run-without-words", "Another run begins without what the user says.", [_LOSE]),
        ("another-run-never-asks", "Another run begins, and asks nothing.", [no_request_follows("run")]),
        (
            "another-run-fails",
            "Another run begins, and fails before it asks.",
            [no_request_follows("run", Failure("internal", "It broke."))],
        ),
        (
            "another-run-breaks",
            "Another run begins, and its program breaks before it asks.",
            [no_request_follows("run", _RAISED)],
        ),
        (
            "another-command-breaks",
            "The command with which a coding agent was to go on breaks before it asks.",
            [no_request_follows("run", _RAISED), case(profile="coding-agent")],
        ),
        (
            "another-command-refuses",
            "The command with which a coding agent was to go on says that it has failed.",
            [no_request_follows("run", Failure("internal", "It broke.")), case(profile="coding-agent")],
        ),
        ("another-run-there-twice", "It is there twice.", [say_again]),
        (
            "another-run-forgets",
            "Another run begins, and has only what the user says now.",
            [_only_the_last],
        ),
    ),
    *acting(
        "caller/message-sent",
        _RUNS_ON,
        ("another-run-goes-on", "Another run has two turns.", []),
        ("another-run-says-it-again", "Its second request has the message once more.", [_say_first_again]),
        ("another-run-loses-it", "Its second request has lost it.", [_LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _SAME_AGAIN,
        ("same-run-again", "A third run begins with the same words.", []),
        ("same-run-again-and-lost", "The third run has the words of the second alone.", [_LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE_THEN_RUN,
        ("said-then-run", "What was said is sent in the next run.", []),
        ("said-then-run-and-lost", "What was said is not sent in the next run.", [part(Text, gone, -2, "user")]),
    ),
    *acting(
        "caller/message-last",
        _MESSAGE_TEXT,
        (
            "said-behind-results-in-two",
            "It is behind the results, in two parts.",
            [part(Text, lambda old: [replace(old, text=old.text[:4]), replace(old, text=old.text[4:])], -1, "user")],
        ),
        ("said-before-results", "It is in front of both results.", [before_results(0)]),
        ("said-between-results", "It is between two results.", [before_results(1)]),
        (
            "said-before-results-among-words",
            "It is in front of the results, among other words.",
            [_both_in_one("The user says: {0}"), before_results(0)],
        ),
        (
            "said-before-results-and-echoed",
            "It is in front of the results, and the model says the same words behind them.",
            [before_results(0), lambda draft: _appended(draft, "assistant", _WORDS)],
        ),
        (
            "said-before-and-behind",
            "It is in front of the results, and behind them.",
            [_put("user", Text(_WORDS), before=Result, which=0)],
        ),
    ),
    *acting(
        "caller/message-role",
        _MESSAGE_TEXT,
        (
            "said-as-the-models",
            "It is sent as the model's.",
            [_LOSE, lambda draft: _appended(draft, "assistant", _WORDS)],
        ),
        (
            "said-as-an-order",
            "It is sent as a system message.",
            [_LOSE, lambda draft: _appended(draft, "system", _WORDS)],
        ),
        (
            "said-as-both",
            "It is sent as the user's and as the model's.",
            [lambda draft: _appended(draft, "assistant", f"You say: {_WORDS}")],
        ),
    ),
)


# --- requests that cannot be read, and several acts ----------------------------------------------------------------

_CANCELLED_ON = PlainRun((_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={2: _CANCELLING})
_CANCELLED_TWICE = PlainRun(
    (says("Yes, the basin is deep."), says("Well, the tide is low."), says("No.")),
    acts={2: _CANCELLING, 3: (CallerRecord("cancel"), CallerRecord("run", "So?"))},
)
_THOUGHT_TWICE = PlainRun(
    (
        Turn((ThinkingPart("First of all, I wait."), Text("Yes."))),
        Turn((ThinkingPart(_THOUGHT), Text("Well,"))),
        says("No."),
    ),
    acts=_CANCELLED_TWICE.acts,
)
_CALLED_TWICE = PlainRun((_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts=_CANCELLED_TWICE.acts)

_RARE = (
    *acting(
        "caller/cancelled-result",
        _CANCELLED_ON,
        ("unreadable-behind-a-cancel", "The first request of the next run cannot be read.", [*_UNENDED, unreadable(1)]),
        ("unreadable-later", "The second request of the next run cannot be read.", [*_UNENDED, unreadable(2)]),
        ("unreadable-before-a-cancel", "The cancelled request cannot be read.", [*_UNENDED, unreadable(0)]),
        wires=CHAT,
    ),
    *acting(
        "caller/cancelled-result",
        _CALLED_TWICE,
        (
            "cut-and-then-cancelled",
            "Of two cancelled turns the first broke off, and the second has a result that reads like success.",
            [acting_before("cancel", ToolResult, -1, which_act=-1), drop(ToolResult, -1), cut(0, end="cut")],
        ),
        (
            "ended-behind-one-that-had-not",
            "The first call had not ended, and its result says so; the second had, and is said to have been cancelled.",
            [
                moved(ToolStart, 1, ToolResult, 0),
                drop(ToolResult, 0),
                part(Result, having(output="Cancelled by the user.", is_error=True), 0),
                part(Result, having(output="Cancelled by the user.", is_error=True), 1),
            ],
        ),
    ),
    *acting(
        "caller/shown",
        _CANCELLED_TWICE,
        (
            "shown-in-the-second-run",
            "Of two cancelled answers the first was whole; what was shown of the second is lost.",
            [cut(1, end="closed"), part(Text, gone, -1, "assistant")],
        ),
        (
            "shown-in-the-first-run",
            "What was shown of the first is lost in the request behind it alone.",
            [cut(0, end="closed"), in_request(1, part(Text, gone, -1, "assistant"))],
        ),
        ("shown-in-both", "What was shown of both goes back.", [cut(0, end="closed"), cut(1, end="closed")]),
        ("shown-and-unreadable", "The request behind it cannot be read.", [cut(0, end="closed"), unreadable(1)]),
        (
            "shown-and-compacted-before",
            "The history was compacted before the second answer, which is lost.",
            [
                cut(1, end="closed"),
                part(Text, gone, -1, "assistant"),
                act("run", 0, compacted=True),
            ],
        ),
        (
            "shown-in-two-without-a-space",
            "What was shown goes back in two messages, without the space between them.",
            [
                cut(1, end="closed"),
                part(
                    Text,
                    lambda old: [replace(old, text=old.text[:9]), replace(old, text=old.text[10:])],
                    -1,
                    "assistant",
                ),
            ],
        ),
        (
            "shown-in-two-messages",
            "What was shown goes back in two messages.",
            [
                cut(1, end="closed"),
                part(
                    Text,
                    lambda old: [replace(old, text=old.text[:9]), replace(old, text=old.text[9:])],
                    -1,
                    "assistant",
                ),
            ],
        ),
    ),
    *acting(
        "caller/thought",
        _THOUGHT_TWICE,
        (
            "thought-in-the-second-run",
            "Of two cancelled answers the first was whole; what was thought in the second goes back as said.",
            [cut(1, end="closed"), _unthought, _says_first(_THOUGHT)],
        ),
        (
            "thought-and-unanswered",
            "Nothing came of the first answer; what was thought in the second goes back as said.",
            [unanswered(0), cut(0, end="closed"), _unthought, _says_first(_THOUGHT)],
        ),
        (
            "thought-and-unreadable",
            "The request behind it cannot be read.",
            [cut(0, end="closed"), unreadable(1), _unthought, _says_first("First of all, I wait.")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/message-sent",
        _EARLY_MESSAGE,
        ("said-and-unreadable", "The next request cannot be read, and the one behind it has it.", [unreadable(1)]),
        (
            "said-and-unreadable-and-lost",
            "The next request cannot be read, and the one behind it lacks it.",
            [unreadable(1), _LOSE],
        ),
        ("said-and-unreadable-later", "The request behind the one that has it cannot be read.", [unreadable(2)]),
        ("said-behind-an-unreadable", "The request before it cannot be read.", [unreadable(0)]),
        (
            "said-behind-an-unreadable-twice",
            "The request before it cannot be read, and the next one has it twice.",
            [unreadable(0), in_request(1, say_again)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/message-sent",
        _EARLY_MESSAGE,
        (
            "said-and-echoed",
            "The model says the same words.",
            [_put("assistant", Text(_WORDS), before=Call)],
        ),
    ),
    *acting(
        "caller/message-sent",
        PlainRun(
            (_CALLS, says("Yes."), says("No.")),
            acts={3: (CallerRecord("say", _WORDS), *_CANCELLING)},
        ),
        ("said-then-cancelled", "What was said before a cancel is in the next run.", []),
        (
            "said-then-cancelled-and-lost",
            "What was said before a cancel is not in the next run.",
            [part(Text, gone, -2, "user")],
        ),
    ),
    *acting(
        "caller/message-sent",
        _CANCELLED_ON,
        ("said-again-behind-a-cancel", "What begins the run behind a cancel is sent once more.", [_say_first_again]),
    ),
    *acting(
        "caller/message-sent",
        PlainRun(
            (_CALLS, says("Yes."), says("Well."), says("No.")),
            acts={3: (CallerRecord("say", _WORDS), *begins()), 4: begins("So?")},
        ),
        (
            "said-to-a-cut-and-then-lost",
            "What was said while an answer was cut short is lost, and so is what begins a later run.",
            [cut(1, end="cut"), part(Text, gone, -1, "user"), part(Text, gone, -2, "user")],
        ),
        ("second-words-lost", "What begins the last run is lost, and all before it is there.", [_LOSE]),
        (
            "first-words-lost",
            "What was said is lost in all requests.",
            [in_request(2, part(Text, gone, -2, "user")), part(Text, gone, -3, "user")],
        ),
        (
            "both-words-twice",
            "What was said and what began a run are both sent once more at last: one finding.",
            [part(Text, lambda old: [old, old], -2, "user"), part(Text, lambda old: [old, old], -4, "user")],
        ),
    ),
    *acting(
        "caller/message-last",
        PlainRun(
            (_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
            acts={2: (CallerRecord("say", _WORDS),), 3: (CallerRecord("say", "And the rain."),)},
        ),
        (
            "said-twice-one-in-front",
            "What is said first is right, and what is said then is in front of the result.",
            [before_results(-1)],
        ),
        (
            "said-twice-one-lost",
            "What is said first is lost, and what is said then is in front of the result.",
            [in_request(1, _LOSE), part(Text, gone, -2, "user"), before_results(-1)],
        ),
        (
            "said-twice-unreadable",
            "The request behind what is said first cannot be read.",
            [unreadable(1), before_results(-1)],
        ),
    ),
    *acting(
        "caller/message-role",
        PlainRun(
            (_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
            acts={2: (CallerRecord("say", _WORDS),), 3: (CallerRecord("say", "And the rain."),)},
        ),
        (
            "said-twice-one-as-the-models",
            "What is said first is right, and what is said then is sent as an order.",
            [_LOSE, lambda draft: _appended(draft, "system", "And the rain.")],
        ),
        (
            "said-twice-one-unreadable",
            "The first request cannot be read, and what is said then is sent as an order.",
            [unreadable(1), _LOSE, lambda draft: _appended(draft, "system", "And the rain.")],
        ),
    ),
)

ACTS: tuple[SmallRun, ...] = (*_CANCELS, *_CUT_ANSWERS, *_SAYS, *_RARE)

"""Runs, messages and events that come one after another: what rules still know of the ones before, and what of those
that come later they must not know yet. Behind them, values that are seldom met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.trace import (
    RAISED,
    AgUiRecord,
    Assistant,
    CallerRecord,
    Event,
    EventRecord,
    Failure,
    Final,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, Result, Text, ThinkingPart, ToolDeclaration, Turn
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, place
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import (
    act,
    acted,
    acting,
    acting_before,
    acting_first,
    before_results,
    begins,
    in_request,
    no_request_follows,
    say_again,
)
from harness_lab.mutants.traces.small_runs.agui import behind, only, spoken
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    case,
    cut,
    emit,
    gone,
    having,
    moved,
    part,
    respond,
    unanswered,
    unreadable,
)

_WORDS, _MORE = "Mind the crane.", "And the rain."
_LOOK = Turn((Text("Let me look."), call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s")))
_ENTER = Turn((call("enter", "call_3", basin="n"),))
_CANCELLING = (CallerRecord("cancel"), *begins())
_MESSAGE_SENT = (CallerRecord("say", _WORDS),)
_RAISES = Failure(RAISED, "It broke.")


_LOSE = part(Text, gone, -1, "user")


def _reported(at: Callable[[TraceDraft], int], event: Event) -> Edit:
    """Something is reported there."""

    def edit(draft: TraceDraft) -> None:
        draft.records.insert(at(draft), EventRecord(event, None, 0))

    return edit


def _before_run(draft: TraceDraft) -> int:
    return acted(draft.records, "run", 0)


def _in_the_next_run(kind: type[Event], which: int = 0) -> Edit:
    """An event comes behind the beginning of the next run."""

    def edit(draft: TraceDraft) -> None:
        record = draft.records.pop(place(draft.records, kind, which))
        draft.records.insert(acted(draft.records, "run", 0) + 1, record)

    return edit


# --- a run that is cancelled ----------------------------------------------------------------------------------

_CANCELLED = PlainRun((_LOOK, says("No.")), acts={2: _CANCELLING})
_NAMED_AND_UNNAMED = PlainRun(
    (Turn((call("depth", "call_1", basin="n"), call("tide", "", basin="s"))), says("No.")), acts={2: _CANCELLING}
)
_UNNAMED = PlainRun(
    (Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("No.")), acts={2: _CANCELLING}
)
_TEXT = PlainRun((says("The basin is deep, and the tide is high."), says("No.")), acts={2: _CANCELLING})
_THOUGHTS = PlainRun(
    (
        Turn((ThinkingPart("The chart"), ThinkingPart("has a basin in the north."), Text("Yes, and"))),
        says("No."),
    ),
    acts={2: _CANCELLING},
)


def _in_two_messages(text: str, other: str) -> Edit:
    """The last text of the model goes back as two messages."""

    def change(entries: list[Entry]) -> None:
        at = max(at for at, each in enumerate(entries) if each[0] == "assistant" and isinstance(each[1], Text))
        entries[at : at + 1] = [("assistant", Text(text), "one"), ("assistant", Text(other), "another")]

    return rewriting(change)


def _thought_as_two_texts(draft: TraceDraft) -> None:
    """The two thoughts go back as two texts."""

    def change(entries: list[Entry]) -> None:
        entries[:] = [
            (role, Text(each.text) if isinstance(each, ThinkingPart) else each, where) for role, each, where in entries
        ]

    rewriting(change)(draft)


_CANCELS = (
    *acting(
        "caller/cancelled",
        PlainRun((_LOOK, _ENTER, says("No.")), acts={3: _CANCELLING}),
        (
            "asked-on-given-up-and-ended",
            "The loop asks for another turn, closes the answer before its end, and says that the run has ended.",
            [
                acting_before("cancel", TurnStart, 1),
                cut(1, end="closed"),
                part(Call, gone),
                part(Result, gone),
                drop(ToolResult, 2),
                drop(ToolStart, 2),
                _reported(_before_run, Final("")),
            ],
        ),
        (
            "asked-on-and-closed-behind-the-turn",
            "The loop asks for another turn, closes the answer behind its end, and says that the run has ended.",
            [
                acting_before("cancel", TurnStart, 1),
                respond(1, end="closed"),
                drop(ToolResult, 2),
                drop(ToolStart, 2),
                _reported(_before_run, Final("")),
            ],
        ),
    ),
    *acting(
        "caller/cancelled",
        _UNNAMED,
        (
            "begun-later-without-any-id",
            "A call that is reported without an id begins behind the cancel, and another one without an id had ended.",
            [
                alter(ToolStart, 1, id=""),
                alter(ToolResult, 1, id=""),
                acting_before("cancel", ToolStart, 1),
                act("cancel", ended=("",)),
            ],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/cancelled-result",
        _NAMED_AND_UNNAMED,
        (
            "ran-to-its-end-beside-an-unnamed",
            "A call without an id had ended. The one beside it, which has one, ends behind the cancel.",
            [
                moved(ToolStart, 1, ToolResult, 0),
                drop(ToolResult, 1),
                acting_before("cancel", ToolResult, 0),
                act("cancel", ended=("",)),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/cancelled-result",
        _NAMED_AND_UNNAMED,
        (
            "reported-too-late-beside-an-unnamed",
            "A call without an id had ended. The one beside it ends in the next run, where its result reads like "
            "success.",
            [
                moved(ToolStart, 1, ToolResult, 0),
                drop(ToolResult, 1),
                _in_the_next_run(ToolResult),
                act("cancel", ended=("",)),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/cancelled-result",
        _CANCELLED,
        (
            "ended-and-reported-as-unknown",
            "A call had ended well; the loop reports its end before the cancel, and not how it ended.",
            [alter(ToolResult, 1, ok=None), act("cancel", ended=("call_1", "call_2"))],
        ),
        (
            "cancelled-and-says-so-where-the-value-is-known",
            "The result of a call that did not end says so, and what its tool returns is known.",
            [
                acting_before("cancel", ToolResult, 1),
                drop(ToolResult, 1),
                case(returns={"tide": {"done": "tide"}}),
                part(Result, having(output="Cancelled by the user.", is_error=True)),
            ],
        ),
    ),
    *acting(
        "caller/cancelled-result",
        PlainRun((_LOOK, says("Yes."), says("No.")), acts={2: _CANCELLING, 3: begins("So?")}),
        (
            "cancelled-and-denied-too-late",
            "The result of a call that did not end reads like success, and the user decides about it a run later.",
            [
                acting_before("cancel", ToolResult, 1),
                drop(ToolResult, 1),
                act("run", -1, resolved=(("tide", "deny"),)),
            ],
        ),
    ),
    *acting(
        "caller/shown",
        _TEXT,
        (
            "shown-in-messages-of-their-own",
            "What was shown goes back in two messages of the model's.",
            [cut(0, end="closed"), _in_two_messages("The basin is deep,", " and the tide is high.")],
        ),
        (
            "shown-in-two-events",
            "It was shown in two pieces, and goes back as one message.",
            [
                cut(0, end="closed"),
                alter(Assistant, 0, text="The basin is deep,"),
                emit(Assistant, 0, Assistant(" and the tide is high.", "text-1"), behind=True),
            ],
        ),
    ),
    *acting(
        "caller/thought",
        _THOUGHTS,
        (
            "thoughts-as-two-texts",
            "Two thoughts go back as two texts: only both together are long enough to be known.",
            [cut(0, end="closed"), _thought_as_two_texts],
        ),
        wires=ANTHROPIC,
    ),
)


# --- what the user says, message by message ---------------------------------------------------------------------

_MESSAGE = PlainRun((_LOOK, says("No.")), acts={2: _MESSAGE_SENT})
_EARLY_MESSAGE = PlainRun((_LOOK, _ENTER, says("No.")), acts={2: _MESSAGE_SENT})
_TWO_MESSAGES = PlainRun((_LOOK, _ENTER, says("No.")), acts={2: _MESSAGE_SENT, 3: (CallerRecord("say", _MORE),)})
_ANOTHER_RUN = PlainRun((_LOOK, says("Yes."), says("No.")), acts={3: begins()})
_THREE_RUNS = PlainRun((_LOOK, says("Yes."), says("No.")), acts={3: (*begins(), *begins("So?"))})
_PROMPT = (("system", SYSTEM), ("user", f"{USER} {_WORDS}"))
_CODING_AGENT = case(profile="coding-agent")


def _behind_words(text: str) -> Edit:
    """The user's last words in the last request are followed by others."""
    return rewriting(lambda entries: entries.append(("user", Text(text), "behind")))


def _breaks_at_once(draft: TraceDraft) -> None:
    """The first command of a coding agent breaks before it asks, and the caller begins anew with the same words."""
    draft.records[:0] = [EventRecord(_RAISES, None, 0), CallerRecord("run", USER)]


def _breaks_behind_its_last_request(draft: TraceDraft) -> None:
    """The last run is over behind its request: its command has broken."""
    draft.records[acted(draft.records, "run", -1) + 3 :] = [EventRecord(_RAISES, None, 0)]


_SAYS = (
    *acting(
        "caller/message-sent",
        replace(_TWO_MESSAGES, end=Failure("http", "HTTP 500")),
        (
            "one-lost-and-one-twice-in-a-failing-run",
            "Of two messages the first is lost, the second is sent twice, and the run fails.",
            [
                in_request(1, _LOSE),
                part(Text, gone, -2, "user"),
                say_again,
                unanswered(2),
                drop(Assistant, -1),
            ],
        ),
    ),
    *acting(
        "caller/message-sent",
        PlainRun((_LOOK, says("Yes."), _ENTER, says("No.")), acts={3: begins()}),
        (
            "words-of-a-run-in-its-second-request",
            "The first request of another run lacks the words that begin it, and the second has them.",
            [in_request(2, _LOSE)],
        ),
    ),
    *acting(
        "caller/message-sent",
        replace(_MESSAGE, prompt=(("system", SYSTEM), ("user", _WORDS))),
        (
            "the-prompt-again-behind-a-summary",
            "The user says the prompt once more, which is summed up by then.",
            [part(Text, having(text="A summary."), 0, "user")],
        ),
    ),
    *acting(
        "caller/message-sent",
        PlainRun((_LOOK, _ENTER, says("No.")), acts={2: _MESSAGE_SENT, 3: _MESSAGE_SENT}),
        (
            "twice-before-it-is-said-again",
            "What the user says is sent twice, before the user says it again.",
            [in_request(1, say_again)],
        ),
    ),
    *acting(
        "caller/message-sent",
        replace(_MESSAGE, prompt=_PROMPT, case={"prompt": _PROMPT}),
        ("said-in-the-words-of-the-prompt", "The user says once more what was in the prompt.", []),
    ),
    *acting(
        "caller/message-sent",
        _EARLY_MESSAGE,
        (
            "nothing-said-in-two-empty-messages",
            "The user says nothing, and the requests behind it have two empty messages.",
            [
                act("say", text=""),
                part(Text, lambda _: [Text(""), Text("")], -1, "user"),
                in_request(1, part(Text, lambda _: [Text(""), Text("")], -1, "user")),
            ],
        ),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE,
        (
            "said-before-a-refusal",
            "It is said while tools run, and the run ends as refused.",
            [no_request_follows("say", Final("", "refused"))],
        ),
        ("said-before-all-and-lost", "It is said before the first request, and lost.", [acting_first("say"), _LOSE]),
    ),
    *acting(
        "caller/message-sent",
        PlainRun((_LOOK, says("No.")), acts={2: (*_MESSAGE_SENT, *begins())}),
        (
            "said-in-the-last-turn-before-a-run-that-never-asks",
            "It is said when the run has no turn left, and the next run asks nothing.",
            [no_request_follows("run"), case(turn_limit=1)],
        ),
    ),
    *acting(
        "caller/message-sent",
        PlainRun((says("Well."), _LOOK, says("No.")), acts={2: begins(), 3: _MESSAGE_SENT}),
        (
            "said-in-the-last-turn-behind-a-refused-request",
            "The first run is refused its request; the second one has no turn left when something is said.",
            [
                respond(0, status=529, headers={"content-type": "application/json"}, body=b"{}"),
                in_request(1, part(Text, gone, -1, "assistant")),
                drop(Assistant),
                drop(Final),
                _reported(_before_run, Failure("http", "HTTP 529")),
                no_request_follows("say", Final("", text="Yes.")),
                case(turn_limit=1),
            ],
        ),
    ),
    *acting(
        "caller/message-sent",
        _THREE_RUNS,
        (
            "one-command-breaks-and-one-never-asks",
            "Of a coding agent's commands the second breaks before it asks, and the third asks nothing.",
            [
                _CODING_AGENT,
                drop(Final, -1),
                no_request_follows("run"),
                _reported(lambda draft: acted(draft.records, "run", 0) + 1, _RAISES),
            ],
        ),
    ),
    *acting(
        "caller/message-sent",
        _THREE_RUNS,
        (
            "one-command-never-asks-and-one-breaks",
            "Of a coding agent's commands the second asks nothing, and the third breaks before it asks.",
            [
                _CODING_AGENT,
                drop(Final, -1),
                no_request_follows("run", _RAISES),
                _reported(lambda draft: acted(draft.records, "run", -1), TurnStart(1)),
            ],
        ),
    ),
    *acting(
        "caller/message-sent",
        replace(_ANOTHER_RUN, end=Failure("http", "HTTP 500")),
        ("words-of-a-run-lost-and-failing", "Another run lacks the words that begin it, and fails.", [_LOSE]),
    ),
    *acting(
        "caller/message-sent",
        _MESSAGE,
        (
            "said-behind-a-command-that-broke",
            "The first command of a coding agent breaks at once. In the second something is said, and never sent.",
            [_CODING_AGENT, _breaks_at_once, no_request_follows("say", Final("", text="Yes."))],
        ),
    ),
    *acting(
        "caller/message-sent",
        _ANOTHER_RUN,
        (
            "another-command-asks-and-breaks",
            "The command with which a coding agent goes on sends a request that cannot be read, and breaks.",
            [_CODING_AGENT, unreadable(2), _breaks_behind_its_last_request],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/message-last",
        _MESSAGE,
        (
            "said-before-results-and-more-behind",
            "It is in front of the results, and other words of the user's are behind them.",
            [before_results(0), _behind_words("Please.")],
        ),
    ),
)


# --- a history that the user has compacted ----------------------------------------------------------------------

_COMPACTING = PlainRun((_LOOK, says("Yes."), says("No.")), acts={3: begins("On.", compacted=True)})
_WITHOUT_ORDERS = part(Text, gone, 0, "system")


def _says_so_twice(draft: TraceDraft) -> None:
    """The record of the compaction says that it is one, as does that of the run behind it."""
    draft.records.insert(acted(draft.records, "run", 0), CallerRecord("compact", compacted=True))


_COMPACTED = (
    *acting(
        "caller/compacted",
        _COMPACTING,
        ("compacted-and-never-asked", "The run behind the compaction asks nothing.", [no_request_follows("run")]),
    ),
    *acting(
        "caller/compacted",
        PlainRun(
            (
                _LOOK,
                Turn((ThinkingPart("I look at the chart."), Text("The basin is deep. " * 30), Text("So yes."))),
                says("No."),
            ),
            acts={3: begins("On.", compacted=True)},
        ),
        ("compacted-with-an-answer-in-parts", "The last answer has a thought and two texts; all is as it was.", []),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/compacted-system",
        _COMPACTING,
        (
            "compacted-behind-an-unreadable",
            "The last request before the compaction cannot be read; what it goes on from had orders, which are gone.",
            [unreadable(1), _WITHOUT_ORDERS],
        ),
        (
            "compacted-and-marked-twice",
            "Two records say that it was compacted: one finding.",
            [_says_so_twice, _WITHOUT_ORDERS],
        ),
        wires=CHAT,
    ),
)


# --- AG-UI, event by event ----------------------------------------------------------------------------------------


def _of_call(*parts: str, id: str = "call_1") -> list[AgUiRecord]:
    return [AgUiRecord(f"TOOL_CALL_{each}", id) for each in parts]


_ANSWERED = PlainRun((Turn((Text("I look."), call("depth", "call_1", basin="n"))), says("Yes.")))

_EVENTS = (
    *acting(
        "agui/form",
        _ANSWERED,
        (
            "agui-nothing-has-a-form",
            "No event has the form of one.",
            [only(AgUiRecord("", wrong="no JSON: Expecting value"))],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "agui/after-end",
        _ANSWERED,
        (
            "agui-failed-twice-behind-the-end",
            "A run that has finished fails afterwards, twice.",
            [spoken, behind("RUN_FINISHED", AgUiRecord("RUN_ERROR"), AgUiRecord("RUN_ERROR"))],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "agui/closed",
        _ANSWERED,
        (
            "agui-five-left-open",
            "Five calls have not ended at the end: three are named.",
            [spoken, behind("RUN_STARTED", *(AgUiRecord("TOOL_CALL_START", f"call_{at}") for at in range(4, 9)))],
        ),
        (
            "agui-left-open-by-a-run-without-an-end",
            "The first run has no end and leaves two calls open; the second starts one anew, and ends it.",
            [
                spoken,
                behind(
                    "TOOL_CALL_RESULT",
                    *_of_call("START", id="call_8"),
                    *_of_call("START", id="call_9"),
                    AgUiRecord("RUN_STARTED", "run-2"),
                    *_of_call("START", "END", id="call_8"),
                ),
            ],
        ),
        (
            "agui-left-open-and-finished-twice",
            "A call has not ended when the run finishes, which it does twice: one finding.",
            [
                spoken,
                behind("TOOL_CALL_RESULT", *_of_call("START", id="call_8")),
                behind("RUN_FINISHED", AgUiRecord("RUN_FINISHED", "run-1")),
            ],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "agui/pairs",
        _ANSWERED,
        (
            "agui-two-without-a-start",
            "Two calls have arguments and an end, and no start: a finding for each.",
            [
                spoken,
                behind("RUN_STARTED", *_of_call("ARGS", "END", id="call_8"), *_of_call("ARGS", "END", id="call_9")),
            ],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "agui/fresh-id",
        _ANSWERED,
        (
            "agui-arguments-behind-their-end",
            "A call has more arguments behind its end, and does not start again.",
            [spoken, behind("TOOL_CALL_END", *_of_call("ARGS"))],
        ),
        (
            "agui-call-under-its-id-twice-more",
            "A call starts twice more under its id, the second time while it is open.",
            [spoken, behind("TOOL_CALL_END", *_of_call("START", "START", "END"))],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "agui/result-once",
        _ANSWERED,
        (
            "agui-call-under-its-id-again-and-answered",
            "A call starts again under its id, and has a result each time.",
            [spoken, behind("TOOL_CALL_RESULT", *_of_call("START", "END", "RESULT"))],
        ),
        wires=RESPONSES,
    ),
)


# --- arguments ------------------------------------------------------------------------------------------------

_LARGE = 10**400
_OF_AN_UNKNOWN_TYPE = ToolDeclaration(
    "depth",
    "The depth of a basin.",
    {"type": "object", "properties": {"basin": {"type": [{"of": "text"}, "string"]}}, "required": ["basin"]},
)

_ARGUMENTS = (
    *acting(
        "reported/input",
        PlainRun((Turn((call("depth", "call_1", basin=_LARGE),)), says("Yes."))),
        (
            "a-number-that-no-float-can-hold",
            "The model writes a number of 401 digits, and the loop reports another one.",
            [alter(ToolStart, 0, input={"basin": 1})],
        ),
    ),
    *acting(
        "retry/tool",
        PlainRun(
            (
                Turn((call("depth", "call_1", basin=3),)),
                Turn((call("depth", "call_2", basin=4),)),
                says("Yes."),
            ),
            tools=(_OF_AN_UNKNOWN_TYPE,),
            failing=frozenset({"depth"}),
            case={"profile": "pydantic-ai"},
        ),
        (
            "a-type-that-is-no-name",
            "Of the types that a tool declares for an argument one is an object, which names none.",
            [],
        ),
    ),
    *acting(
        "retry/tool",
        PlainRun(
            (
                Turn((call("depth", "call_1", basin="n"),)),
                Turn((call("depth", "call_2", basin="s"),)),
                says("Yes."),
            ),
            tools=(),
            failing=frozenset({"depth"}),
            case={"profile": "pydantic-ai"},
        ),
        (
            "failing-where-nothing-is-offered",
            "A tool fails in two turns, and no request offers any, so it cannot be missing.",
            [],
        ),
        wires=CHAT,
    ),
)

IN_SERIES: tuple[SmallRun, ...] = (*_CANCELS, *_SAYS, *_COMPACTED, *_EVENTS, *_ARGUMENTS)

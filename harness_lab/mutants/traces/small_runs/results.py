"""What becomes of results: what is reported of them, how they go back, and what is sent again behind an error."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.trace import (
    CallerRecord,
    Final,
    JsonValue,
    Record,
    RequestRecord,
    SocketRecord,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Refusal, Result, Text, Turn, Usage, WireName
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, event_record, place, requests
from harness_lab.mutants.traces.edits import alter, drop, repeat
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    GEMINI,
    RESPONSES,
    case,
    cut,
    gone,
    having,
    lacking,
    part,
    passed,
    resend,
    respond,
)

_TAGS: tuple[WireName, ...] = ("text-tags",)
_CALLS = Turn((Text("Let me look."), call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s")))
_TWO = PlainRun((_CALLS, says("Yes.")))
_ONE = PlainRun((Turn((call("depth", "call_1", basin="n"),)), says("Yes.")))


# --- what is reported ---------------------------------------------------------------------------------------------

_DEPTH: dict[str, JsonValue] = {"metres": 9, "safe": True}
_DECLARED = replace(
    _TWO, outputs={"depth": _DEPTH, "tide": {"high": True}}, case={"returns": {"depth": _DEPTH, "tide": {"high": True}}}
)


def _returning(output: JsonValue) -> PlainRun:
    """The tool returns this, which no scenario declares."""
    return replace(_TWO, outputs={"depth": output})


def _reported_empty(name: str, summary: str, output: JsonValue) -> tuple[SmallRun, ...]:
    words = f"Nothing, where {summary} went back."
    return acting(
        "reported/output", _returning(output), (f"nothing-{name}", words, [alter(ToolResult, output=None)]), wires=CHAT
    )


def _uses(**usage: int) -> Edit:
    return alter(Final, usage=usage)


def _in_front(*records: Record) -> Edit:
    """This has happened in front of the first request."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[0]
        draft.records[at:at] = records

    return edit


_SOCKETS = (SocketRecord(1, "refuse", status=503), SocketRecord(2, "open"), SocketRecord(2, "close"))

_REPORTED = (
    *_reported_empty("for-a-value", "an object with a value", {"metres": 9}),
    *_reported_empty("for-half-a-value", "an object with a value and a null", {"metres": 9, "safe": None}),
    *_reported_empty("for-an-empty-text", "an object with an empty text", {"name": ""}),
    *_reported_empty("for-an-empty-list", "an object with an empty list", {"names": []}),
    *_reported_empty("for-an-empty-object", "an object with an empty one", {"more": {}}),
    *_reported_empty("for-nothing", "an object without members", {}),
    *acting(
        "reported/output",
        _DECLARED,
        (
            "reported-other-and-failed",
            "A call that failed shows another value than the tool returns.",
            [alter(ToolResult, output={"metres": 5}, ok=False)],
        ),
        (
            "reported-empty-and-undecided",
            "Nothing, where nobody says whether the call has failed.",
            [alter(ToolResult, output=None, ok=None)],
        ),
        (
            "reported-as-of-another-and-unknown",
            "What another tool returned, where it is not known what this one returns.",
            [alter(ToolResult, output={"high": True}), case(returns={"tide": {"high": True}})],
        ),
        (
            "reported-as-json-with-a-newline",
            "Another value of a member, in a JSON text with a newline behind it.",
            [alter(ToolResult, output='{"metres": 5}\n')],
        ),
        (
            "reported-as-json-behind-a-space",
            "Another value of a member, in a text that begins with a space: that is no JSON text of an object.",
            [alter(ToolResult, output=' {"metres": 5}')],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/input",
        replace(_TWO, turns=(Turn((call("depth", "call_1", hour=11), call("tide", "call_2"))), says("Yes."))),
        (
            "input-empty-beside-a-call-without-arguments",
            "An empty input says nothing, and not the arguments of a call that has none.",
            [alter(ToolStart, input={})],
        ),
        (
            "input-of-the-first-of-two-starts",
            "A call is announced with another number, and once more under another name.",
            [repeat(ToolStart), alter(ToolStart, input={"hour": 12}), alter(ToolStart, 1, name="enter")],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/usage",
        replace(_ONE, turns=tuple([replace(turn, usage=Usage(10, 2)) for turn in _ONE.turns])),
        (
            "requests-and-a-refused-websocket",
            "A WebSocket that was refused may count as a request.",
            [_in_front(*_SOCKETS), _uses(requests=3)],
        ),
        (
            "requests-and-websockets",
            "A run counts one more.",
            [_in_front(*_SOCKETS), _uses(requests=4)],
        ),
        wires=RESPONSES,
    ),
)


# --- the value that goes back -------------------------------------------------------------------------------------


def _returns(value: JsonValue) -> PlainRun:
    """The scenario declares what the tool returns."""
    return replace(_ONE, outputs={"depth": value}, case={"returns": {"depth": value}})


def _sent(
    name: str, summary: str, value: JsonValue, output: str, *edits: Edit, wires: tuple[WireName, ...] = CHAT
) -> tuple[SmallRun, ...]:
    row = (f"sent-back-{name}", summary, [*edits, part(Result, having(output=output))])
    return acting("history/result-value", _returns(value), row, wires=wires)


def _sent_unknown(name: str, summary: str, output: str) -> tuple[SmallRun, ...]:
    run = replace(_ONE, case=passed())
    words = f"{summary} What the tool returned is not known."
    return acting(
        "history/result-value",
        run,
        (f"sent-back-{name}", words, [part(Result, having(output=output))]),
        wires=CHAT,
    )


_IN_ONE_TURN = drop(TurnStart, 1)


def _late(draft: TraceDraft) -> None:
    """The end of the call is reported behind the request with its result."""
    at = place(draft.records, ToolResult)
    record = draft.records.pop(at)
    draft.records.insert(requests(draft.records)[-1] + 1, replace(event_record([record], 0), offset=0))


_VALUES = (
    *_sent(
        "nothing-in-tags",
        "In a dialect without a form of results, nothing is as good as words.",
        None,
        "Done.",
        wires=_TAGS,
    ),
    *_sent(
        "other-in-tags", "In a dialect without a form of results, another value.", _DEPTH, '{"metres": 5}', wires=_TAGS
    ),
    *_sent(
        "printed-for-a-text",
        "The tool returned a text, and what Python prints goes back.",
        "Nine metres.",
        "{'metres': 9}",
    ),
    *_sent("false-as-printed", "A truth value goes back as Python prints it.", False, "False"),
    *_sent("as-blanks", "Blanks are no beginning of a value.", _DEPTH, " " * 10),
    *_sent_unknown(
        "printed-within", "What Python prints, as a member of an object.", json.dumps({"output": "{'a': None}"})
    ),
    *_sent_unknown("list-of-one", "A list of one text that breaks off.", json.dumps(['{"metres": 9'])),
    *_sent(
        "other-before-it-was-reported",
        "Another value goes back before the call is reported as ended: it may be a refusal.",
        _DEPTH,
        '{"metres": 5}',
        _IN_ONE_TURN,
        _late,
    ),
    *_sent(
        "other-and-reported-in-time",
        "Another value goes back when the call has been reported as ended.",
        _DEPTH,
        '{"metres": 5}',
        _IN_ONE_TURN,
    ),
    *_sent(
        "other-and-failed-at-last",
        "The call is reported as ok, and then as failed, and another value goes back.",
        _DEPTH,
        '{"metres": 5}',
        repeat(ToolResult),
        alter(ToolResult, 1, ok=False),
    ),
)


# --- how results go back ------------------------------------------------------------------------------------------

_FIVE = PlainRun((Turn(tuple(call("depth", f"call_{each}", basin=each) for each in "abcde")), says("Yes.")))
_UNNAMED = PlainRun((Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("Yes.")))
_BREAKS_OFF = PlainRun((Turn((Call("depth", '{"basin": "no', "call_1"),)), says("Yes.")), failing=frozenset({"depth"}))


def _exchanged(one: int, other: int) -> Edit:
    """Two results change places."""

    def change(entries: list[Entry]) -> None:
        found = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)]
        first, second = entries[found[one]], entries[found[other]]
        entries[found[one]], entries[found[other]] = (*second[:2], first[2]), (*first[:2], second[2])

    return rewriting(change)


def _results_in_front(draft: TraceDraft) -> None:
    """The results go back in front of the turn that they answer."""

    def change(entries: list[Entry]) -> None:
        turn = next(at for at, (role, _, _) in enumerate(entries) if role == "assistant")
        answers = [each for each in entries if isinstance(each[1], Result)]
        rest = [each for each in entries if not isinstance(each[1], Result)]
        entries[:] = [*rest[:turn], *answers, *rest[turn:]]

    rewriting(change)(draft)


_SENT = (
    *acting(
        "history/result-order",
        _TWO,
        (
            "results-exchanged-one-without-id",
            "Results go back in another order, and the last one without an id.",
            [_exchanged(0, 1), part(Result, having(id=""), -1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/result-order",
        _FIVE,
        ("results-exchanged-of-five", "Of five results the first and the last change places.", [_exchanged(0, 4)]),
        wires=CHAT,
    ),
    *acting(
        "history/result-after-call",
        _UNNAMED,
        ("results-without-ids-in-front", "Results without ids are in front of their calls.", [_results_in_front]),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "history/results-first",
        _TWO,
        (
            "words-where-the-turn-is-left-out",
            "The turn is left out, and the user says something in front of its results.",
            [
                lacking(Call),
                part(Text, gone, -1, "assistant"),
                rewriting(
                    lambda entries: entries.insert(
                        next(at for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)),
                        ("user", Text("So?"), "said first"),
                    )
                ),
            ],
        ),
        wires=("openai-chat", "openai-responses"),
    ),
    *acting(
        "history/result-error",
        replace(_ONE, failing=frozenset({"depth"}), outputs={"depth": {"note": "closed for repairs"}}),
        (
            "failure-reported-too-late",
            "What goes back has no word of a failure, which is reported behind it.",
            [_IN_ONE_TURN, _late, part(Result, having(output='"all is well"', is_error=False))],
        ),
        (
            "failure-reported-in-time",
            "What goes back has no word of a failure, which was reported before it.",
            [_IN_ONE_TURN, part(Result, having(output='"all is well"', is_error=False))],
        ),
    ),
    *acting(
        "history/results",
        _BREAKS_OFF,
        (
            "call-that-breaks-off-without-a-result",
            "A call that breaks off goes back without a result.",
            [lacking(Result)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/results",
        replace(_BREAKS_OFF, turns=(Turn((*_BREAKS_OFF.turns[0].calls, _CALLS.calls[1])), says("Yes."))),
        (
            "turn-that-breaks-off-and-ran-in-part",
            "A turn is left out in which one call breaks off, and the other ran.",
            [lacking(Call, Result)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/results",
        _UNNAMED,
        (
            "one-of-two-unnamed-calls-lost",
            "Of two calls without ids one goes back with its result.",
            [part(Call, gone, -1), part(Result, gone, -1)],
        ),
        wires=GEMINI,
    ),
    *acting(
        "history/model-calls",
        _TWO,
        (
            "calls-one-without-id",
            "A call goes back without its id, and the other with it; the results have none.",
            [
                part(Call, having(id=""), 0),
                part(Result, having(id=""), 0),
                part(Result, having(id=""), 1),
            ],
        ),
        (
            "results-one-without-id",
            "Calls go back without ids, and one result, too; the other has it.",
            [
                part(Call, having(id=""), 0),
                part(Call, having(id=""), 1),
                part(Result, having(id=""), 0),
            ],
        ),
        wires=GEMINI,
    ),
    *acting(
        "history/results",
        replace(_UNNAMED, case={"edits": (1,)}),
        (
            "unnamed-results-of-an-edited-turn-lost",
            "The caller has edited a turn, and its results are lost: of calls without ids nothing is said there.",
            [lacking(Result)],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
)


# --- what is sent again -------------------------------------------------------------------------------------------

_BROKEN = PlainRun((_CALLS, says("Yes.")), acts={2: (CallerRecord("say", "So?"),)})
_BROKEN_ONE = PlainRun(
    (Turn((call("depth", "call_1", basin="n"),)), says("Yes.")), acts={2: (CallerRecord("say", "So?"),)}
)
_BROKEN_UNNAMED = replace(_BROKEN_ONE, turns=(Turn((call("depth", "", basin="n"),)), says("Yes.")))
_BREAKS = cut(0, end="cut")


def _failed(
    name: str, summary: str, run: PlainRun, *edits: Edit, wires: tuple[WireName, ...] = CHAT
) -> tuple[SmallRun, ...]:
    results = (lacking(Result),) if run.turns[0].calls else ()
    return acting("retry/failed-attempt", run, (f"broken-{name}", summary, (_BREAKS, *results, *edits)), wires=wires)


_FAILED = (
    *_failed("call-kept", "The call of an answer that broke is sent back.", _BROKEN_ONE),
    *_failed("text-and-calls-kept", "The text and both calls of an answer that broke are sent back.", _BROKEN),
    *_failed(
        "call-under-another-name",
        "A call with the id of one that broke is of another tool.",
        _BROKEN_ONE,
        part(Call, having(name="enter")),
    ),
    *_failed(
        "call-under-another-id",
        "A call as the one that broke has another id.",
        _BROKEN_ONE,
        part(Call, having(id="call_x")),
    ),
    *_failed("call-without-its-id", "A call as the one that broke has no id.", _BROKEN_ONE, part(Call, having(id=""))),
    *_failed(
        "call-with-other-arguments",
        "A call with the id of the one that broke has other arguments.",
        _BROKEN_ONE,
        part(Call, having(arguments='{"basin": "s"}')),
    ),
    *_failed("unnamed-call-kept", "A call that came without an id is sent back.", _BROKEN_UNNAMED, wires=GEMINI),
    *_failed(
        "unnamed-call-under-an-own-id",
        "A call that came without an id is sent back under one of the loop's own.",
        _BROKEN_UNNAMED,
        part(Call, having(id="own")),
        wires=GEMINI,
    ),
    *_failed(
        "unnamed-call-with-other-arguments",
        "A call of the same tool as the one that broke without an id has other arguments.",
        _BROKEN_UNNAMED,
        part(Call, having(arguments='{"basin": "s"}')),
        wires=GEMINI,
    ),
    *_failed(
        "text-kept-as-blanks",
        "A text that begins with blanks is sent back as a blank.",
        replace(_BROKEN, turns=(says(" The tide is"), says("Yes."))),
        part(Text, having(text=" "), -1, "assistant"),
        wires=("openai-chat", "openai-responses"),
    ),
    *_failed(
        "refusal-kept",
        "The refusal of an answer that broke is sent back.",
        replace(_BROKEN, turns=(Turn((Refusal("I cannot say that."),), FinishReason.REFUSAL), says("Yes."))),
        wires=("openai-chat", "openai-responses"),
    ),
    *_failed(
        "text-kept-behind-another-question",
        "The text of an answer that broke is sent back behind another question.",
        replace(_BROKEN, turns=(says("The tide is"), says("Yes."))),
        part(Text, having(text="May we?"), 0, "user"),
    ),
)

_LATER = PlainRun((_CALLS, Turn((call("enter", "call_3", basin="n"),)), says("Yes.")))


def _sent_again(*outputs: str, status: int = 529) -> Edit:
    """The last request is refused, and sent again with other results."""

    def edit(draft: TraceDraft) -> None:
        resend(-1, status=status)(draft)
        for which, output in enumerate(outputs):
            part(Result, having(output=output), which)(draft)

    return edit


def _over_one_socket(draft: TraceDraft) -> None:
    """All requests come over one WebSocket."""
    for at in requests(draft.records):
        record = draft.records[at]
        assert isinstance(record, RequestRecord)  # noqa: S101 - what requests() looks for
        draft.records[at] = replace(record, connection=1)
    draft.records.insert(requests(draft.records)[0], SocketRecord(1, "open"))


_TOO_LONG = b'{"error": {"message": "maximum context length exceeded", "code": "context_length_exceeded"}}'

_MISTAKEN = Turn((call("depth", "call_1"),))

_AGAIN = (
    *acting(
        "retry/tool",
        PlainRun(
            (_MISTAKEN, replace(_MISTAKEN, parts=(call("depth", "call_2"),)), says("Yes.")),
            failing=frozenset({"depth"}),
            case={"profile": "pydantic-ai"},
        ),
        (
            "fault-in-a-turn-that-is-asked-for-again",
            "A tool fails in two turns; the second was asked for twice.",
            [resend(1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "retry/same-results",
        _TWO,
        ("results-sent-again", "A request that got an error is sent again.", [resend(-1)]),
        (
            "other-result-sent-again",
            "A request that got an error is sent again, and one result is another.",
            [_sent_again('{"done": "once more"}')],
        ),
        (
            "other-results-sent-again",
            "A request that got an error is sent again, and both results are others: one finding.",
            [_sent_again('{"done": "once more"}', '{"done": "as well"}')],
        ),
        (
            "other-result-sent-again-edited",
            "The caller has edited the turn that got an error, and a result is another.",
            [_sent_again('{"done": "once more"}'), case(edits=(2,))],
        ),
        (
            "shorter-result-sent-again",
            "A request was too long, and a result is shorter.",
            [_sent_again('{"done": "d"}', status=400), respond(1, body=_TOO_LONG)],
        ),
        (
            "other-result-behind-a-broken-answer",
            "An answer broke off over HTTP, and the next request has another result.",
            [
                resend(-1),
                respond(1, status=200, body=b"", headers={"content-type": "text/event-stream"}, end="cut"),
                part(Result, having(output='{"done": "once more"}')),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "retry/same-results",
        _UNNAMED,
        (
            "unnamed-results-sent-again",
            "Results without ids are others when the request is sent again: whose they are is not known.",
            [_sent_again('{"done": "once more"}', '{"done": "as well"}')],
        ),
        wires=GEMINI,
    ),
    *acting(
        "retry/same-results",
        _LATER,
        (
            "other-result-behind-a-sound-answer-on-a-websocket",
            "A result of before is another, and every answer was whole, over a WebSocket.",
            [_over_one_socket, part(Result, having(output='{"done": "once more"}'), 0)],
        ),
        wires=RESPONSES,
    ),
)


RESULTS: tuple[SmallRun, ...] = (*_REPORTED, *_VALUES, *_SENT, *_FAILED, *_AGAIN)

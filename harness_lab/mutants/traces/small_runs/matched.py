"""What rules match with each other: results with calls, parts with parts, what was sent with what was answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    Failure,
    Final,
    ResponseRecord,
    SocketRecord,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness.wire import Call, FinishReason, Refusal, Result, Text, ThinkingPart, Turn
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, requests, rewrite
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting, begins, in_request
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    case,
    cut,
    emit,
    gone,
    having,
    part,
    resend,
    respond,
    unreadable,
)
from harness_lab.mutants.traces.small_runs.declarations import ENDLESS
from harness_lab.mutants.traces.small_runs.sockets import at_request, over

# --- results and the calls that they are of ---------------------------------------------------------------------------

_DEPTH: dict[str, Any] = {"metres": 9}
_TIDE: dict[str, Any] = {"rises": "at noon"}
_SAY: dict[str, Any] = {"depth": _DEPTH, "tide": _TIDE}
_PAIR = (call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s"))
_ASKED = PlainRun((Turn(_PAIR), says("Yes.")), outputs=_SAY, case={"returns": _SAY})
_ASKED_TWICE = replace(_ASKED, turns=(Turn(_PAIR), *_ASKED.turns))
_UNNAMED = replace(_ASKED, turns=(Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), *_ASKED.turns[1:]))


def _results(*members: dict[str, Any]) -> Edit:
    """The last results of the last request have other members; what each says is exchanged before."""

    def change(entries: list[Entry]) -> None:
        found = [(at, each) for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)][-len(members) :]
        outputs = [each.output for _, each in reversed(found)]
        for (at, each), output, other in zip(found, outputs, members, strict=True):
            who, _, where = entries[at]
            entries[at] = (who, replace(each, **{"output": output, **other}), where)

    return rewriting(change)


_EXCHANGED = _results({}, {})
_EXCHANGED_WITHOUT_IDS = _results({"id": ""}, {"id": ""})
_OTHER_ORDERS = part(Text, having(text="You sail."), 0, "system")


def _exchanged_places(entries: list[Entry]) -> None:
    places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, Result)]
    one, other = places[-2:]
    entries[one], entries[other] = entries[other], entries[one]


_RESULTS = (
    *acting(
        "history/own-result",
        _ASKED,
        ("each-has-its-own", "Each call has the result of its own tool.", []),
        (
            "in-another-order",
            "The results go back in another order, each with its id.",
            [rewriting(_exchanged_places)],
        ),
        ("exchanged", "Each call has the result of the other tool.", [_EXCHANGED]),
        ("exchanged-without-ids", "The same, and no result has an id.", [_EXCHANGED_WITHOUT_IDS]),
        ("exchanged-and-one-without-id", "The same, and the first has no id.", [_results({"id": ""}, {})]),
        (
            "exchanged-in-another-history",
            "The same where the system prompt is another, too: whose results they are is not known.",
            [_EXCHANGED_WITHOUT_IDS, _OTHER_ORDERS],
        ),
        (
            "under-a-new-id",
            "A call goes back under another id, under which the other result is.",
            [part(Call, having(id="call_x"), -2), part(Result, having(id="call_x"))],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/own-result",
        _ASKED,
        (
            "exchanged-without-ids-of-another-name",
            "The results have no ids, and the second is of another tool by its name.",
            [_results({"id": ""}, {"id": "", "name": "enter"})],
        ),
        ("exchanged-by-name", "The results have no ids, and the names of the calls.", [_EXCHANGED_WITHOUT_IDS]),
        wires=GEMINI,
    ),
    *acting(
        "history/own-result",
        _UNNAMED,
        ("lost-without-ids", "Of two results without ids the first is lost.", [part(Result, gone, 0)]),
        wires=GEMINI,
    ),
    *acting(
        "history/own-result",
        _ASKED_TWICE,
        ("exchanged-under-ids-of-before", "The model has used both ids before.", [_EXCHANGED]),
        (
            "exchanged-under-ids-of-before-in-another-history",
            "The model has used both ids before, and the system prompt is another.",
            [_EXCHANGED, _OTHER_ORDERS],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/own-result",
        replace(_ASKED_TWICE, outputs={"depth": _TIDE, "tide": _DEPTH}),
        ("exchanged-twice", "The same ids twice, and each time the same wrong results.", []),
        wires=CHAT,
    ),
    *acting(
        "history/own-result",
        PlainRun(
            (Turn(tuple(call(name, basin="n") for name in ("depth", "tide", "enter", "leave", "moor"))), says("Yes.")),
            outputs={"depth": "It is so, sir."},
            case={"returns": dict.fromkeys(("tide", "enter", "leave", "moor"), "It is so, sir.")},
        ),
        ("of-one-of-four", "What a call has four other tools of the turn return.", []),
        wires=CHAT,
    ),
)

_CUT_OFF = replace(_ASKED, turns=(Turn(_PAIR, stop=FinishReason.MAX_TOKENS), says("Yes.")))
_WORDS = "The basin has nine metres."
_TORN = Turn((Call("depth", '{"basin": "no', "call_3"),))

_RAN = (
    *acting(
        "final/stopped-call",
        _CUT_OFF,
        (
            "begun-and-in-the-history",
            "No end is reported of calls that were begun; their results are in the next request.",
            [drop(ToolResult), drop(ToolResult)],
        ),
        (
            "begun-twice",
            "A call is begun twice, and the second time it is known with what.",
            [
                alter(ToolStart, 0, input=None),
                emit(ToolStart, 0, ToolStart("call_1", "depth", {"basin": "n"}), behind=True),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "execution/arguments",
        PlainRun(
            (
                Turn((call("depth", "call_1", basin="n"),), stop=FinishReason.MAX_TOKENS),
                Turn((call("depth", "call_2", basin="n"),)),
                _TORN,
                says("Yes."),
            ),
            outputs={"depth": _WORDS},
            silent=True,
        ),
        ("answered-as-behind-a-stopped-turn", "A call that broke off has the words of one that may run.", []),
        wires=CHAT,
    ),
)


# --- the history that a run returns -----------------------------------------------------------------------------------

_LOOKS = {"role": "assistant", "text": "Let me look.", "calls": [{"id": "call_1", "name": "depth"}]}
_ENDS = {"role": "assistant", "text": "Yes."}
LOOKED = PlainRun((Turn((Text("Let me look."), call("depth", "call_1", basin="n"))), says("Yes.")))


def _returned(
    name: str, summary: str, history: list[Any], *edits: Edit, run: PlainRun = LOOKED
) -> tuple[SmallRun, ...]:
    """A run that returns this history."""
    row = (f"returned-{name}", summary, [*edits, alter(Final, 0, history=history)])
    return acting("reported/history", run, row, wires=CHAT)


def _nameless(draft: TraceDraft) -> None:
    """No answer names its model."""
    for at, record in enumerate(draft.records):
        if isinstance(record, ResponseRecord):
            draft.records[at] = replace(record, body=record.body.replace(b'"model":"gpt-5.2"', b'"model":""'))


_RETURNED = (
    *_returned("with-words", "Entries that are no objects are beside those that are.", ["Well?", _LOOKS, _ENDS]),
    *_returned("of-braces", "An answer of braces is in no entry.", [_LOOKS, _ENDS], run=PlainRun((says("}{"),))),
    *_returned(
        "of-no-words", "An answer that is spelled like an entry without a member.", [{}], run=PlainRun((says("{}"),))
    ),
    *_returned(
        "without-a-broken-answer",
        "An answer that broke is not in it.",
        [_ENDS],
        cut(0, end="cut"),
        run=PlainRun((says("Well, it is so."), says("Yes."))),
    ),
    *_returned(
        "without-the-repeated-words",
        "The second answer is what the first one ended with, and it is there once.",
        [{"role": "assistant", "calls": ["depth"], "text": "Let me look."}],
        run=replace(LOOKED, turns=(*LOOKED.turns[:1], says("look."))),
    ),
    *_returned("without-the-first-letter", "The last answer lacks its first letter.", [_LOOKS, {"text": "es."}]),
    *_returned("without-the-last-mark", "The last answer lacks its full stop.", [_LOOKS, {"text": "Yes"}]),
    *_returned(
        "of-a-model-without-name",
        "No answer names its model, and the history does.",
        [{**_LOOKS, "model": "tide-1"}, _ENDS],
        _nameless,
    ),
    *_returned(
        "with-results-behind-others",
        "Results are behind an entry of the user's.",
        [_LOOKS, {"role": "user"}, {"results": [{"id": "call_1"}]}, _ENDS],
    ),
    *_returned(
        "with-calls-without-ids",
        "A call in an entry has no id, nor has its result.",
        [{**_LOOKS, "calls": [{"name": "depth"}]}, {"results": [{"name": "depth"}]}, _ENDS],
    ),
    *_returned(
        "without-blanks",
        "The user has asked with blanks around the words.",
        [{"role": "user", "text": USER}, _LOOKS, _ENDS],
        run=replace(
            LOOKED,
            prompt=(("system", SYSTEM), ("user", f" {USER}\n")),
            case={"prompt": (("system", SYSTEM), ("user", f" {USER}\n"))},
        ),
    ),
)

# --- runs of a conversation, each with what it was asked ----------------------------------------------------------

_PROMPT = {"prompt": (("system", SYSTEM), ("user", USER))}
_COMPACTED = PlainRun((says("Yes."), says("No.")), case=_PROMPT, acts={2: begins("And now?", compacted=True)})
_SWITCHED = replace(_COMPACTED, acts={2: begins("And now?", model="gpt-5.1")})
_NO_QUESTION = part(Text, gone, 0, "user")
_OTHER_PILOT = part(Text, having(text="You pilot boats."), 0, "system")


def _first_of_all(draft: TraceDraft) -> None:
    """The caller says something before all else, which is no run."""
    draft.records.insert(0, CallerRecord("say", "Well."))


def _answered_last(draft: TraceDraft) -> None:
    """The answer of the first run ends behind all else, and the second run has no end."""
    at = next(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
    draft.records.append(draft.records.pop(at))


_PARTS = (
    *acting(
        "offered/prompt",
        _COMPACTED,
        ("compacted-without-the-question", "The history was compacted, and the question is gone.", [_NO_QUESTION]),
        ("compacted-under-other-orders", "The history was compacted, and the orders are others.", [_OTHER_PILOT]),
        wires=CHAT,
    ),
    *acting(
        "offered/prompt",
        _SWITCHED,
        (
            "on-another-model-without-the-question",
            "The next run is on another model, the question is gone.",
            [_NO_QUESTION],
        ),
        wires=CHAT,
    ),
    *acting(
        "reported/history",
        replace(_COMPACTED, acts={2: begins("And now?")}),
        (
            "returned-by-the-first-run",
            "The caller has said something before the first run, whose history lacks the question.",
            [alter(Final, 0, history=[{"role": "user", "text": "Hm?"}, _ENDS]), _first_of_all],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/one-end",
        replace(_COMPACTED, acts={2: begins("And now?")}),
        (
            "answered-last",
            "The first answer ends last of all, and the second run never.",
            [_answered_last, drop(Final, 1), case(emits=("assistant", "final"))],
        ),
        wires=CHAT,
    ),
)

# --- WebSockets and what is said of them --------------------------------------------------------------------------

_CALLS = Turn((call("depth", "call_1", basin="n"),))
_OVER_SOCKETS = PlainRun((_CALLS, says("Yes.")))
_LOST = PlainRun((_CALLS, says("Yes.")), end=Failure("stream", "The connection has lasted too long."))
_LIMIT = "websocket_connection_limit_reached"


def _in_pieces(draft: TraceDraft) -> None:
    """The last text is emitted in two pieces, and what the run returns is not known."""
    alter(Assistant, 0, text="Yes, without the Web")(draft)
    emit(Assistant, 0, Assistant("Socket.", "text-2"), behind=True)(draft)
    alter(Final, 0, text=None)(draft)


def _fails_first(draft: TraceDraft) -> None:
    """The run fails in front of its last request, which it sends all the same."""
    at = requests(draft.records)[-1]
    draft.records.insert(at, draft.records.pop())


def _error_of(connection: int, *, behind_the_end: bool = False) -> Edit:
    """A WebSocket has lasted too long, when all else has happened."""

    def edit(draft: TraceDraft) -> None:
        at = len(draft.records) - (not behind_the_end)
        draft.records.insert(at, SocketRecord(connection, "error", error=_LIMIT))

    return edit


_SOCKETS = (
    *acting(
        "socket/fallback",
        replace(_OVER_SOCKETS, turns=(_CALLS, says("Yes, without the WebSocket."))),
        ("http-said-in-pieces", "The user reads it in two pieces.", [over((1, 0)), _in_pieces]),
        wires=RESPONSES,
    ),
    *acting(
        "socket/fallback",
        replace(_LOST, end=Failure("stream", "The WebSocket has lasted too long.")),
        ("http-said-in-an-error", "The user reads it in the error.", [over((1, 0))]),
        wires=RESPONSES,
    ),
    *acting(
        "socket/bounded",
        _OVER_SOCKETS,
        (
            "refused-ten-times-at-first",
            "Ten WebSockets are refused.",
            [over((0, 0)), at_request(0, "refuse", 10, status=503)],
        ),
        ("refused-eleven-times-at-first", "Eleven are.", [over((0, 0)), at_request(0, "refuse", 11, status=503)]),
        (
            "refused-around-an-error",
            "Eleven are refused, six of them behind an error over HTTP.",
            [over((0, 0)), resend(1), at_request(2, "refuse", 6, status=503), at_request(1, "refuse", 5, status=503)],
        ),
        (
            "refused-around-nothing",
            "Eleven are refused, six of them behind an empty answer.",
            [
                over((0, 0)),
                respond(0, body=b""),
                at_request(1, "refuse", 6, status=503),
                at_request(0, "refuse", 5, status=503),
            ],
        ),
        wires=RESPONSES,
    ),
    *acting(
        "socket/limit",
        _LOST,
        (
            "second-socket-lost",
            "The second WebSocket has lasted too long, and the run ends.",
            [over((1, 2)), _error_of(2)],
        ),
        (
            "socket-lost-and-asked-behind-the-end",
            "The run ends, and asks on another WebSocket all the same.",
            [over((1, 2)), at_request(1, "error", error=_LIMIT), _fails_first],
        ),
        (
            "socket-lost-behind-the-end",
            "It has lasted too long when the run has ended.",
            [over((1, 1)), _error_of(1, behind_the_end=True)],
        ),
        wires=RESPONSES,
    ),
)

# --- what is emitted, and what was said -----------------------------------------------------------------------------

_WROTE = ToolArguments("call_1", '{"basin": "n"}')


def _from_events(draft: TraceDraft) -> None:
    """What is reported was read from events of AG-UI."""
    draft.records.insert(0, AgUiRecord("RUN_STARTED", "run-1"))


_EMITTED = (
    *acting(
        "stream/arguments",
        _ASKED,
        (
            "arguments-of-one-without-start",
            "Of the first call only the result is reported, and of the second other arguments.",
            [emit(ToolStart, 1, ToolArguments("call_2", '{"basin": "x"}'), behind=True), drop(ToolStart, 0)],
        ),
        (
            "arguments-of-the-first",
            "The arguments of the first call are reported, and those of the second are not.",
            [emit(ToolStart, 0, _WROTE, behind=True)],
        ),
        (
            "arguments-of-none",
            "A loop that reports arguments, as it says, reports none.",
            [case(emits=("toolStart", "toolArguments", "toolResult", "final"))],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/one-id",
        LOOKED,
        (
            "two-messages-of-a-turn",
            "Over AG-UI a turn may be two messages.",
            [emit(Assistant, 0, Assistant("", "text-0"), behind=True), _from_events],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/fresh-id",
        LOOKED,
        (
            "two-pieces-under-an-old-id",
            "Two pieces of a turn have the id of the turn before: one finding.",
            [alter(Assistant, 1, text="Ye", id="text-1"), emit(Assistant, 1, Assistant("s.", "text-1"), behind=True)],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/text",
        PlainRun((Turn((Text("Well."), Refusal("I cannot."))),), end=Final("", "refused")),
        (
            "refusal-emitted",
            "The words of a refusal are emitted behind the text.",
            [emit(Assistant, 0, Assistant("I cannot.", "text-1"), behind=True)],
        ),
        wires=RESPONSES,
    ),
)

# --- another model, another provider --------------------------------------------------------------------------------

BOTH_CALLS = Turn((Text("Let me look."), *_PAIR))
TURNS = (BOTH_CALLS, says("Yes, at ten."), says("No."))
_MARK = "ab+/cd=="
_THOUGHT = ThinkingPart("I look at the chart.", signature=_MARK)
_MORE_THOUGHT = part(Text, lambda old: [_THOUGHT, old], -1, "assistant")
_SIGNED = PlainRun((Turn((_THOUGHT, *BOTH_CALLS.parts)), *TURNS[1:]), acts={3: begins(wire="anthropic-messages")})
_TO_ANTHROPIC = PlainRun(TURNS, outputs={"depth": {"a": 1, "b": 2}}, acts={3: begins(wire="anthropic-messages")})
_ON_AND_ON = PlainRun(
    (BOTH_CALLS, Turn((Text("I enter."), call("enter", "call_3", basin="n"))), *TURNS[1:]),
    acts={4: begins(wire="anthropic-messages")},
)

_SWITCHES = (
    *acting(
        "caller/ran-again",
        PlainRun((*TURNS, says("So?")), acts={3: begins(), 4: begins("So?")}),
        (
            "ran-again-two-runs-later",
            "A call of the first run ends well in the third.",
            [emit(Assistant, -1, ToolResult("call_1", "depth", {}, True))],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-thinking",
        _SIGNED,
        (
            "thinking-of-an-unreadable-request",
            "The request was no JSON whose answer is sent back elsewhere.",
            [unreadable(0), _MORE_THOUGHT],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        replace(_SIGNED, acts={3: begins(wire="openai-responses")}),
        (
            "thinking-of-an-unreadable-request-elsewhere",
            "The same at a provider of another wire.",
            [unreadable(0), _MORE_THOUGHT],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        PlainRun((BOTH_CALLS, Turn((_THOUGHT, Text("Yes."))), says("No.")), acts={3: begins(model="claude-opus-4-6")}),
        ("thinking-of-the-last-answer", "The last answer of before has thought it.", [_MORE_THOUGHT]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        PlainRun(TURNS, acts={3: begins(model="claude-opus-4-6")}),
        (
            "thinking-signed-with-nothing",
            "Thinking has padding for a signature.",
            [part(Text, lambda old: [ThinkingPart("Well.", signature="="), old], -1, "assistant")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        PlainRun(
            (BOTH_CALLS, Turn((Text("Well."), Refusal("I cannot."))), says("No.")), acts={3: begins(model="gpt-5.1")}
        ),
        ("switched-behind-a-refusal", "The model has declined, and another one is asked.", []),
        wires=RESPONSES,
    ),
    *acting(
        "caller/switched-history",
        _ON_AND_ON,
        (
            "switched-without-joined-words",
            "Words of two turns went back as one, and of one of them nothing is left.",
            [
                in_request(2, part(Text, having(text="Let me look.I enter."), -1, "assistant")),
                part(Text, gone, 1, "assistant"),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        _TO_ANTHROPIC,
        (
            "switched-without-loop-words",
            "The loop has put words of its own into the history, which the other model says later.",
            [in_request(1, part(Text, having(text="No."), -1, "assistant"))],
        ),
        (
            "switched-in-two-messages",
            "A text goes to the other provider in two parts.",
            [part(Text, lambda old: [replace(old, text="Let me"), replace(old, text=" look.")], 0, "assistant")],
        ),
        (
            "switched-with-a-result-too-deep",
            "A result goes there that is too deep to be read.",
            [part(Result, having(output="[" * 100_000), 0)],
        ),
        (
            "switched-in-another-order-of-members",
            "A result goes there with its members in another order.",
            [part(Result, having(output='{"b": 2, "a": 1}'), 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        replace(_TO_ANTHROPIC, acts={3: begins(wire="openai-chat")}),
        (
            "switched-with-broken-arguments",
            "A call goes there with arguments that are no JSON.",
            [part(Call, having(arguments='{"basin": "n'), 0)],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-history",
        PlainRun((_TORN, *TURNS[1:]), acts={3: begins(wire="anthropic-messages")}, failing=frozenset({"depth"})),
        (
            "switched-with-a-renamed-call",
            "A call whose arguments broke off goes there as one of another tool.",
            [part(Call, having(name="enter"))],
        ),
        wires=CHAT,
    ),
)

# --- the same parts in another spelling -------------------------------------------------------------------------------

_LONG = PlainRun(
    (Turn((_THOUGHT, Text("Let me look."), *_PAIR)), Turn((call("enter", "call_3", basin="n"),)), says("Yes."))
)
_SIGNED_CALLS = PlainRun(
    (Turn((replace(_PAIR[0], signature=_MARK), _PAIR[1])), Turn((call("enter", "call_3", basin="n"),)), says("Yes."))
)
_URL_SAFE = having(signature="ab-_cd")


def _of_the_model(body: Any) -> None:
    """The results stand in a turn of the model."""
    body["messages"][-1]["role"] = "assistant"


_SPELLED = (
    *acting(
        "history/append-only",
        _LONG,
        (
            "old-thinking-url-safe",
            "Old thinking has its signature in the other alphabet.",
            [part(ThinkingPart, _URL_SAFE, 0)],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "history/append-only",
        _SIGNED_CALLS,
        (
            "old-call-url-safe",
            "An old call has its signature in the other alphabet, and a new one another name.",
            [part(Call, _URL_SAFE, 0), part(Call, having(name="tide"))],
        ),
        wires=GEMINI,
    ),
    *acting(
        "history/append-only",
        PlainRun((*ENDLESS.turns[:1], Turn((call("enter", "call_3", basin="n"),)), says("Yes."))),
        (
            "old-call-too-deep",
            "An old call whose arguments are too deep to be read has other ones.",
            [part(Call, having(arguments='{"basin":' + "[" * 100_000), 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        ENDLESS,
        (
            "call-too-deep",
            "A call whose arguments are too deep to be read goes back with other ones.",
            [part(Call, having(arguments='{"basin":' + "[" * 100_000))],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        _ASKED,
        (
            "results-of-the-model",
            "The results are in a turn of the model.",
            [lambda draft: rewrite(draft.records, -1, _of_the_model)],
        ),
        wires=ANTHROPIC,
    ),
)

MATCHED: tuple[SmallRun, ...] = (
    *_EMITTED,
    *_SWITCHES,
    *_SPELLED,
    *_RESULTS,
    *_RAN,
    *_RETURNED,
    *_PARTS,
    *_SOCKETS,
)

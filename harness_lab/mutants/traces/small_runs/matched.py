"""What rules match with each other: results with calls, schemas with schemas, what was sent with what was answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    Event,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    ResponseRecord,
    SetCode,
    SocketRecord,
    ToolArguments,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Refusal, Result, Text, ThinkingPart, ToolDeclaration, Turn, wire
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import TraceDraft, later, requests, rewrite
from harness_lab.mutants.traces.edits import alter, drop, emit_last
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acts import acting, begins, in_request
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    asked_again,
    beside,
    case,
    cut,
    declared,
    emit,
    part,
    resend,
    respond,
    runs,
    unreadable,
)
from harness_lab.mutants.traces.small_runs.sockets import at_request, over

__all__ = ["MATCHED"]


def _to(**members: Any) -> Callable[[Any], Any]:
    return lambda old: replace(old, **members)


def _gone(_: Any) -> list[Any]:
    return []


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
_OTHER_ORDERS = part(Text, _to(text="You sail."), 0, "system")


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
            [part(Call, _to(id="call_x"), -2), part(Result, _to(id="call_x"))],
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
        ("lost-without-ids", "Of two results without ids the first is lost.", [part(Result, _gone, 0)]),
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
_LOOKED = PlainRun((Turn((Text("Let me look."), call("depth", "call_1", basin="n"))), says("Yes.")))


def _returned(
    name: str, summary: str, history: list[Any], *edits: Edit, run: PlainRun = _LOOKED
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
        run=replace(_LOOKED, turns=(*_LOOKED.turns[:1], says("look."))),
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
            _LOOKED,
            prompt=(("system", SYSTEM), ("user", f" {USER}\n")),
            case={"prompt": (("system", SYSTEM), ("user", f" {USER}\n"))},
        ),
    ),
)

# --- runs of a conversation, each with what it was asked ----------------------------------------------------------

_PROMPT = {"prompt": (("system", SYSTEM), ("user", USER))}
_COMPACTED = PlainRun((says("Yes."), says("No.")), case=_PROMPT, acts={2: begins("And now?", compacted=True)})
_SWITCHED = replace(_COMPACTED, acts={2: begins("And now?", model="gpt-5.1")})
_NO_QUESTION = part(Text, _gone, 0, "user")
_OTHER_PILOT = part(Text, _to(text="You pilot boats."), 0, "system")


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

# --- schemas, as they were declared and as they are offered -------------------------------------------------------

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _nested(depth: int, leaf: Any) -> Any:
    return _object(a=_nested(depth - 1, leaf)) if depth else leaf


def _combined(depth: int, leaf: Any) -> Any:
    """Schemas in each other, in ``allOf`` and in ``anyOf`` by turns."""
    return {("allOf", "anyOf")[depth % 2]: [_combined(depth - 1, leaf)]} if depth else leaf


_B, _C = _object(b=_TEXT), _object(c=_TEXT)
_SCHEMAS: tuple[tuple[str, str, Any, Any], ...] = (
    ("items-other", "A list's items are others, and it has no type.", {"items": _TEXT}, {"items": _NUMBER}),
    ("items-of-anything", "A list of anything may be anything.", {"items": {}}, {}),
    (
        "typed-at-last",
        "What has no type gets one, and its property another.",
        {"properties": {"b": _TEXT}},
        _object(b=_NUMBER),
    ),
    ("untyped-values", "Of a text with these values the values are left.", {**_TEXT, "enum": ["x"]}, {"enum": ["x"]}),
    ("deep-enough", "A text is offered as a number, as deep as is read.", _nested(22, _TEXT), _nested(22, _NUMBER)),
    ("too-deep", "The same one step deeper.", _nested(23, _TEXT), _nested(23, _NUMBER)),
    ("combined", "The same in 22 schemas of one schema.", _combined(22, _TEXT), _combined(22, _NUMBER)),
    ("combined-too-deep", "The same in one more.", _combined(23, _TEXT), _combined(23, _NUMBER)),
    ("inside-itself-by-all-of", "A part is the whole.", {"allOf": [{"$ref": "#"}]}, {}),
    ("inside-itself-by-any-of", "A part is the whole, or null.", {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, {}),
    ("required-as-tuple", "What is required is a tuple.", {**_B, "required": ("b",)}, _B),
    ("types-as-tuple", "The types are a tuple.", {"type": ("string",)}, _TEXT),
    ("required-of-objects", "What is required is no name.", {**_B, "required": [{"b": 1}, "b"]}, _B),
    ("value-other", "The only value is another.", {"const": "x"}, {"const": "y"}),
    ("value-of-a-list", "The only value is a list.", {"const": ["x", "y"]}, {"enum": ["x", "y"]}),
    ("values-no-json", "A value is a date, which is no JSON.", {"enum": [date(2026, 1, 1)]}, {"enum": ["2026-01-01"]}),
    ("own-property-gone", "A property beside allOf is gone.", {"properties": {"b": _TEXT}, "allOf": [_C]}, _C),
    ("own-items-first", "Items beside allOf.", {"items": _TEXT, "allOf": [{"items": _NUMBER}]}, {"items": _NUMBER}),
    ("items-of-all-of", "Items in allOf are others.", {"allOf": [{"items": _TEXT}]}, {"items": _NUMBER}),
    (
        "own-items-alone",
        "Items beside an allOf without any.",
        {"items": _TEXT, "allOf": [_C]},
        {**_C, "items": _NUMBER},
    ),
    ("own-values-first", "Values beside allOf.", {"enum": ["x"], "allOf": [{"enum": ["y"]}]}, {"enum": ["y"]}),
    (
        "alternatives-of-all-of-first",
        "Alternatives in allOf, and others beside it.",
        {"allOf": [{"anyOf": [_B, _C]}], "anyOf": [_object(d=_TEXT), _object(e=_TEXT)]},
        {"anyOf": [_object(d=_TEXT), _object(e=_TEXT)]},
    ),
    ("own-type-first", "A type beside a single alternative.", {**_TEXT, "anyOf": [_NUMBER]}, _NUMBER),
    (
        "alternative-types",
        "Alternatives of types are types.",
        {"anyOf": [_TEXT, _NUMBER]},
        {"type": ["string", "integer"]},
    ),
    (
        "alternative-types-described",
        "The same with a description of one.",
        {"anyOf": [{**_TEXT, "description": "A name."}, _NUMBER]},
        {"type": ["string", "integer"]},
    ),
    (
        "alternative-of-a-type",
        "One alternative is a type alone.",
        {"anyOf": [_TEXT, _C]},
        {"type": ["string", "object"]},
    ),
    ("alternative-of-words", "One alternative is no schema.", {"anyOf": ["text", _B, _C]}, {"anyOf": [_B, _C]}),
    (
        "alternatives-with-more",
        "An alternative has a property more.",
        {"anyOf": [_B, _C]},
        {"anyOf": [_object(b=_TEXT, x=_TEXT), _C]},
    ),
    (
        "required-six-gone",
        "Six required properties are optional.",
        {**_object(**dict.fromkeys("fbdeca", _TEXT)), "required": list("fbdeca")},
        _object(**dict.fromkeys("fbdeca", _TEXT)),
    ),
    (
        "required-undeclared",
        "One is offered that was only required.",
        {**_B, "required": ["z"]},
        _object(b=_TEXT, z=_TEXT),
    ),
)


def _offers(rule: str, name: str, summary: str, wanted: Any, offered: Any) -> SmallRun:
    tool = ToolDeclaration("chart", "A tool.", _object(a=offered, more=_TEXT))
    tools = {"chart": declared(_object(a=wanted, more=_TEXT))}
    return SmallRun(
        f"schema-{name}", rule, summary, PlainRun((says("Yes."),), tools=(tool,), case={"tools": tools}), (), CHAT
    )


_OFFERED = (
    *(_offers("offered/schema", *row) for row in _SCHEMAS),
    _offers(
        "offered/description",
        "own-description-first",
        "A description beside allOf, which has another.",
        {"description": "The name.", "allOf": [{"description": "A ship's."}]},
        {"description": "A ship's."},
    ),
)

# --- what is shown of a call when it begins -----------------------------------------------------------------------

_TWICE_NAMED = PlainRun((Turn((Call("depth", '{"basin": "north", "basin": "south"}', "call_1"),)), says("Yes.")))
_ENDLESS = PlainRun((Turn((Call("depth", '{"basin": ' + "[" * 100_000, "call_1"),), deltas="whole"), says("Yes.")))

_BEGUN = (
    *acting(
        "preview/start-input",
        _TWICE_NAMED,
        (
            "begun-with-the-first",
            "An argument comes twice, and its first value is shown.",
            [alter(ToolStart, 0, input={"basin": "nor"})],
        ),
        (
            "begun-with-neither",
            "An argument comes twice, and neither is shown.",
            [alter(ToolStart, 0, input={"basin": "east"})],
        ),
        (
            "begun-with-dots",
            "Dots replace the rest of a value.",
            [alter(ToolStart, 0, input={"basin": "sou..."})],
        ),
        (
            "begun-twice-otherwise",
            "A call begins with another value, and once more with its own.",
            [
                alter(ToolStart, 0, input={"basin": "east"}),
                emit(ToolStart, 0, ToolStart("call_1", "depth", {"basin": "south"}), behind=True),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "preview/start-input",
        _ENDLESS,
        ("begun-too-deep", "The arguments are too deep to be read.", [alter(ToolStart, 0, input={"basin": "n"})]),
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
        _LOOKED,
        (
            "two-messages-of-a-turn",
            "Over AG-UI a turn may be two messages.",
            [emit(Assistant, 0, Assistant("", "text-0"), behind=True), _from_events],
        ),
        wires=CHAT,
    ),
    *acting(
        "stream/fresh-id",
        _LOOKED,
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

_BOTH_CALLS = Turn((Text("Let me look."), *_PAIR))
_TURNS = (_BOTH_CALLS, says("Yes, at ten."), says("No."))
_MARK = "ab+/cd=="
_THOUGHT = ThinkingPart("I look at the chart.", signature=_MARK)
_MORE_THOUGHT = part(Text, lambda old: [_THOUGHT, old], -1, "assistant")
_SIGNED = PlainRun((Turn((_THOUGHT, *_BOTH_CALLS.parts)), *_TURNS[1:]), acts={3: begins(wire="anthropic-messages")})
_TO_ANTHROPIC = PlainRun(_TURNS, outputs={"depth": {"a": 1, "b": 2}}, acts={3: begins(wire="anthropic-messages")})
_ON_AND_ON = PlainRun(
    (_BOTH_CALLS, Turn((Text("I enter."), call("enter", "call_3", basin="n"))), *_TURNS[1:]),
    acts={4: begins(wire="anthropic-messages")},
)

_SWITCHES = (
    *acting(
        "caller/ran-again",
        PlainRun((*_TURNS, says("So?")), acts={3: begins(), 4: begins("So?")}),
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
        PlainRun((_BOTH_CALLS, Turn((_THOUGHT, Text("Yes."))), says("No.")), acts={3: begins(model="claude-opus-4-6")}),
        ("thinking-of-the-last-answer", "The last answer of before has thought it.", [_MORE_THOUGHT]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        PlainRun(_TURNS, acts={3: begins(model="claude-opus-4-6")}),
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
            (_BOTH_CALLS, Turn((Text("Well."), Refusal("I cannot."))), says("No.")), acts={3: begins(model="gpt-5.1")}
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
                in_request(2, part(Text, _to(text="Let me look.I enter."), -1, "assistant")),
                part(Text, _gone, 1, "assistant"),
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
            [in_request(1, part(Text, _to(text="No."), -1, "assistant"))],
        ),
        (
            "switched-in-two-messages",
            "A text goes to the other provider in two parts.",
            [part(Text, lambda old: [replace(old, text="Let me"), replace(old, text=" look.")], 0, "assistant")],
        ),
        (
            "switched-with-a-result-too-deep",
            "A result goes there that is too deep to be read.",
            [part(Result, _to(output="[" * 100_000), 0)],
        ),
        (
            "switched-in-another-order-of-members",
            "A result goes there with its members in another order.",
            [part(Result, _to(output='{"b": 2, "a": 1}'), 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        replace(_TO_ANTHROPIC, acts={3: begins(wire="openai-chat")}),
        (
            "switched-with-broken-arguments",
            "A call goes there with arguments that are no JSON.",
            [part(Call, _to(arguments='{"basin": "n'), 0)],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-history",
        PlainRun((_TORN, *_TURNS[1:]), acts={3: begins(wire="anthropic-messages")}, failing=frozenset({"depth"})),
        (
            "switched-with-a-renamed-call",
            "A call whose arguments broke off goes there as one of another tool.",
            [part(Call, _to(name="enter"))],
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
_URL_SAFE = _to(signature="ab-_cd")


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
            [part(Call, _URL_SAFE, 0), part(Call, _to(name="tide"))],
        ),
        wires=GEMINI,
    ),
    *acting(
        "history/append-only",
        PlainRun((*_ENDLESS.turns[:1], Turn((call("enter", "call_3", basin="n"),)), says("Yes."))),
        (
            "old-call-too-deep",
            "An old call whose arguments are too deep to be read has other ones.",
            [part(Call, _to(arguments='{"basin":' + "[" * 100_000), 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        _ENDLESS,
        (
            "call-too-deep",
            "A call whose arguments are too deep to be read goes back with other ones.",
            [part(Call, _to(arguments='{"basin":' + "[" * 100_000))],
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

# --- what a tool ran on -----------------------------------------------------------------------------------------------

_SCHEMA = _object(city=_TEXT, days=_NUMBER, tags={"type": "array"})
_CHART = (ToolDeclaration("chart", "A chart.", _SCHEMA), ToolDeclaration("other", "Another.", _SCHEMA))
_ULM: dict[str, Any] = {"city": "Ulm"}
_BONN: dict[str, Any] = {"city": "Bonn"}
_CHARTS = (call("chart", "call_1", **_ULM), call("chart", "call_2", **_ULM))
_UNTOLD: dict[str, Any] = {"emits": ("final", "assistant")}


def _begun_beside(draft: TraceDraft) -> None:
    """The harness says that the call of the other conversation has begun."""
    at = requests(draft.records)[1]
    draft.records.insert(at, EventRecord(ToolStart("call_1", "chart", _BONN), 0, conversation=1))


def _ran(name: str, summary: str, made: Sequence[Call], *edits: Edit, **members: Any) -> SmallRun:
    run = PlainRun((Turn(tuple(made)), says("Yes.")), tools=_CHART, case=members)
    return SmallRun(f"chart-{name}", "execution/model-arguments", summary, run, edits, CHAT)


_RAN_ON = (
    _ran(
        "elsewhere-and-here",
        "The first call is run by somebody else, and the second one here on something else.",
        (call("other", "call_1", **_ULM), _CHARTS[1]),
        case(kinds={"other": "external"}, inputs={"call_1": _BONN, "call_2": _BONN}),
    ),
    _ran(
        "on-nothing-and-on-another",
        "A call is run on a list, and once more on something else.",
        _CHARTS[:1],
        alter(ToolStart, 0, input=[1]),
        emit(ToolStart, 0, ToolStart("call_1", "chart", _BONN), behind=True),
        **_UNTOLD,
    ),
    _ran(
        "begun-twice",
        "A call that is run on something else begins twice.",
        _CHARTS[:1],
        emit(ToolStart, 0, ToolStart("call_1", "chart"), behind=True),
        inputs={"call_1": _BONN},
    ),
    _ran(
        "under-the-id-of-another",
        "Under the id of the call another tool is run, too.",
        _CHARTS[:1],
        emit(ToolStart, 0, ToolStart("call_1", "other", _BONN), behind=True),
        **_UNTOLD,
    ),
    _ran(
        "beside",
        "A call of another conversation has the id of an input.",
        _CHARTS[1:],
        beside(PlainRun((Turn(_CHARTS[:1]), says("Yes.")), tools=_CHART)),
        _begun_beside,
        inputs={"call_1": _BONN},
    ),
    SmallRun(
        "chart-of-a-stopped-turn",
        "execution/model-arguments",
        "A call is run on what a call of a stopped turn has; that one is not judged.",
        PlainRun(
            (
                Turn((call("chart", "call_1", **_BONN),), stop=FinishReason.MAX_TOKENS),
                Turn(_CHARTS[1:]),
                says("Yes."),
            ),
            tools=_CHART,
            case={"inputs": {"call_1": {"city": "Kiel"}, "call_2": _BONN}},
        ),
        (),
        CHAT,
    ),
    SmallRun(
        "chart-without-an-id",
        "execution/model-arguments",
        "What a call without an id ran on is not known by its id.",
        PlainRun((Turn((call("chart", "", **_ULM),)), says("Yes.")), tools=_CHART, case={"inputs": {"": _BONN}}),
        (),
        GEMINI,
    ),
    SmallRun(
        "charts-without-ids",
        "execution/model-arguments",
        "Two calls have no ids, and one is run on something else.",
        PlainRun(
            (Turn((call("chart", "", **_ULM), call("other", "", **_ULM))), says("Yes.")), tools=_CHART, case=_UNTOLD
        ),
        (alter(ToolStart, 0, input=_BONN),),
        GEMINI,
    ),
    _ran(
        "on-a-number-too-large",
        "A word is converted to a number beyond those of JavaScript.",
        (call("chart", "call_1", days="many"),),
        alter(ToolStart, 0, input=None),
        inputs={"call_1": {"days": 10**400}},
    ),
    SmallRun(
        "chart-on-a-text-too-deep",
        "execution/model-arguments",
        "A text that is too deep to be read is converted to a list.",
        PlainRun(
            (Turn((call("chart", "call_1", tags="[" * 100_000),), deltas="whole"), says("Yes.")),
            tools=_CHART,
            case={"inputs": {"call_1": {"tags": ["a"]}}},
        ),
        (alter(ToolStart, 0, input=None),),
        CHAT,
    ),
)

# --- a run as a whole -----------------------------------------------------------------------------------------------


def _request(number: int, **members: Any) -> Edit:
    """Another request."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[number]
        draft.records[at] = replace(draft.records[at], **members)

    return edit


def _goes_on(draft: TraceDraft) -> None:
    """The second request names the response to the first, which is not stored, and has only the results."""
    response = draft.records[requests(draft.records)[0] + 1]
    assert isinstance(response, ResponseRecord)  # noqa: S101 - what follows it
    reply = wire("openai-responses").parse(response.headers["content-type"], response.body)

    def shorten(body: Any) -> None:
        body["previous_response_id"] = reply.id
        body["input"] = [each for each in body["input"] if each.get("type") == "function_call_output"]

    for number in (0, 1):
        rewrite(draft.records, number, lambda body: body.update(store=False))
    rewrite(draft.records, 1, shorten)


_SAME_CALL = Turn((call("depth", "call_1", basin="n"),))
_FAILED = Failure("internal", "It broke.")

_WHOLE = (
    *acting(
        "order/one-end",
        PlainRun(runs("depth"), silent=True, case={"emits": ("final",)}),
        ("silent-and-declared", "A loop that emits its end, as it says, emits nothing.", []),
        wires=CHAT,
    ),
    *acting(
        "order/one-end",
        _LOOKED,
        (
            "ended-twice-with-words-between",
            "Something is said between two ends of a run.",
            [emit_last(Assistant("So.", "text-2"), _FAILED)],
        ),
        wires=CHAT,
    ),
    *acting(
        "continuation/openai-chat",
        _LOOKED,
        ("asked-on-another-wire", "A request goes to the path of another wire.", [_request(1, path="/v1/messages")]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        PlainRun(_TURNS, acts={3: begins(wire="anthropic-messages")}),
        ("switched-from-tags", "The calls of before were tags in a text.", [part(Call, _gone, 0)]),
        wires=("text-tags",),
    ),
    *acting(
        "caller/continued",
        PlainRun((_BOTH_CALLS, says("Yes."), says("No.")), acts={3: begins()}),
        (
            "run-again-beside-another",
            "There is another conversation, and a call goes back under another name.",
            [beside(_LOOKED), in_request(1, part(Call, _to(name="enter")))],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        PlainRun((_SAME_CALL, says("Yes."), _SAME_CALL, says("No.")), acts={3: begins(model="gpt-5.1")}),
        (
            "own-id-before-the-next-run",
            "A call goes back under another id, which the model uses again in the next run.",
            [in_request(1, part(Call, _to(id="own-1"))), in_request(1, part(Result, _to(id="own-1")))],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/open-call",
        PlainRun((_SAME_CALL, says("Yes."), _SAME_CALL), acts={3: begins(model="gpt-5.1")}, stops_at=3, end=_FAILED),
        (
            "failed-with-an-old-id",
            "The model uses the id of a call of the first run, and the second one fails.",
            [drop(ToolResult, -1), case(emits=("toolStart", "toolResult", "final", "error"))],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        _LOOKED,
        *(
            (f"own-ids-in-{dialect}", f"A call goes back under another id: {dialect}.", [case(dialect=dialect), *ids])
            for dialect in ("index-zero", "late-ids")
            for ids in ([part(Call, _to(id="own-1")), part(Result, _to(id="own-1"))],)
        ),
        wires=CHAT,
    ),
    *acting(
        "continuation/openai-responses",
        _LOOKED,
        *(
            (f"continued-behind-{name}", f"A request that goes on is answered with {words}, and sent again.", edits)
            for name, words, edits in (
                ("overload", "HTTP 529", [over((1, 1)), _goes_on, resend(1)]),
                ("a-refusal", "HTTP 400", [over((1, 1)), _goes_on, resend(1, status=400)]),
                ("nothing", "nothing", [over((1, 1)), _goes_on, resend(1, status=0)]),
                ("no-answer", "HTTP 399", [over((1, 1)), _goes_on, resend(1, status=399)]),
                (
                    "overload-on-a-stream",
                    "HTTP 529 on another stream",
                    [over((1, 1)), _goes_on, _request(1, lane="a"), resend(1)],
                ),
                ("overload-of-no-json", "HTTP 529, as it is no JSON", [over((1, 1)), resend(1), unreadable(1)]),
            )
        ),
        wires=RESPONSES,
    ),
)

# --- turns, and the requests and the tools that belong to them --------------------------------------------------------

_LIMITED = replace(_LOOKED, case={"turn_limit": 2, "profile": "hugind"})
_BROKEN_AND_AGAIN = (asked_again(1), cut(1, end="cut"))
_FIRST_BROKEN = (asked_again(0), cut(0, end="cut"))


def _between(*events: Event) -> Edit:
    """Something is reported between the first answer and the second request."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[1]
        draft.records[at:at] = [EventRecord(event, 0, 0) for event in events]

    return edit


def _breaks_and_is_sent_whole(connections: tuple[int, int], change: Callable[[Any], None] | None = None) -> Edit:
    """The second request names what is before it, its answer breaks off, and it is sent again with the whole input."""

    def edit(draft: TraceDraft) -> None:
        over((connections[0], connections[0]))(draft)
        at = requests(draft.records)[-1]
        whole, response, rest = draft.records[at], draft.records[at + 1], draft.records[at + 2 :]
        _goes_on(draft)
        assert isinstance(whole, RequestRecord)  # noqa: S101 - what requests() looks for
        assert isinstance(response, ResponseRecord)  # noqa: S101 - what follows it
        broken = response.body[: response.body.index(b"event: response.output_item.added")]
        draft.records[at + 1 :] = [
            replace(response, body=broken, end="cut"),
            replace(whole, exchange=whole.exchange + 1, connection=connections[1]),
            *map(later, (response, *rest)),
        ]
        if change is not None:
            rewrite(draft.records, -1, change)

    return edit


def _spoken_as_order(body: Any) -> None:
    next(each for each in body["input"] if each.get("role") == "user")["role"] = "developer"


def _without_tools(body: Any) -> None:
    del body["tools"][1:]


_FILE = {"path": "a.html"}
_FILES = (ToolDeclaration("create_file", "Writes a file.", _object(path=_TEXT, content=_TEXT)),)
_TWO_FILES = PlainRun(
    (
        Turn((call("create_file", "", **_FILE), call("create_file", "", **_FILE, content="<p>one</p>"))),
        says("Yes."),
    ),
    tools=_FILES,
)
_SHOWN = emit(ToolStart, 0, SetCode("<p>one", "own-1-0", preview=True), behind=True)

_OF_TURNS = (
    *acting(
        "guardrail/limit-reported",
        _LIMITED,
        ("limit-and-asked-again", "The answer to the last turn breaks, and is asked for again.", [*_BROKEN_AND_AGAIN]),
        (
            "limit-and-asked-again-otherwise",
            "It is asked for again in a request that has another setting.",
            [*_BROKEN_AND_AGAIN, lambda draft: rewrite(draft.records, -1, lambda body: body.update(temperature=0))],
        ),
        (
            "limit-and-asked-for-another",
            "Another one is asked for.",
            [*_BROKEN_AND_AGAIN, part(Text, _to(text="May we?"), 0, "user")],
        ),
        (
            "limit-and-no-json-again",
            "The same in requests that are no JSON.",
            [*_BROKEN_AND_AGAIN, unreadable(1), unreadable(2)],
        ),
        wires=CHAT,
    ),
    *acting(
        "guardrail/limit-reported",
        _LIMITED,
        *(
            (
                f"limit-and-sent-whole-{name}",
                f"The last answer breaks, and is sent again whole: {words}.",
                [edit],
            )
            for name, words, edit in (
                ("on-another-socket", "on another WebSocket", _breaks_and_is_sent_whole((1, 2))),
                ("over-http", "over HTTP", _breaks_and_is_sent_whole((1, 0))),
                ("from-http", "on a WebSocket, instead of HTTP", _breaks_and_is_sent_whole((0, 1))),
                ("as-orders", "the user's words are orders", _breaks_and_is_sent_whole((1, 2), _spoken_as_order)),
                ("with-a-tool", "with one tool alone", _breaks_and_is_sent_whole((1, 2), _without_tools)),
            )
        ),
        wires=RESPONSES,
    ),
    *acting(
        "stream/text",
        PlainRun((Turn((Text("One."),), stop=FinishReason.PAUSE), says("Two."))),
        (
            "continued-by-its-token",
            "A long answer is continued by its token, in one turn, and its end is not emitted whole.",
            [drop(TurnStart, 0), drop(TurnStart, 0), alter(Assistant, 1, text="Tw")],
        ),
        (
            "broken-and-continued-by-its-token",
            "The same where the first answer breaks, and is asked for again.",
            [drop(TurnStart, 0), drop(TurnStart, 0), alter(Assistant, 1, text="Tw"), *_FIRST_BROKEN],
        ),
        wires=("gemini-interactions",),
    ),
    *acting(
        "stream/text",
        _LOOKED,
        (
            "turns-not-announced",
            "No turn is announced, and the end of the second one's text is lost.",
            [drop(TurnStart, 0), drop(TurnStart, 0), alter(Assistant, 1, text="Ye")],
        ),
        (
            "turns-not-announced-and-broken",
            "No turn is announced; the second answer breaks, and its beginning is emitted before the next.",
            [
                drop(TurnStart, 0),
                drop(TurnStart, 0),
                *_BROKEN_AND_AGAIN,
                lambda draft: draft.records.insert(
                    requests(draft.records)[2], EventRecord(Assistant("Ye", "text-0"), 1, 0)
                ),
            ],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/failed-turn",
        _LOOKED,
        (
            "broken-and-the-same-id",
            "An answer breaks; the next one has a call of the same id, which runs.",
            [*_FIRST_BROKEN],
        ),
        (
            "arguments-of-a-broken-answer",
            "Arguments are reported of the answer that breaks.",
            [*_FIRST_BROKEN, _between(ToolArguments("call_1", '{"basin": "n"}'))],
        ),
        (
            "code-of-a-broken-answer",
            "A code is reported of the answer that breaks.",
            [*_FIRST_BROKEN, _between(SetCode("<p>", "call_1"))],
        ),
        ("answered-with-nothing", "The last request gets no answer.", [respond(1, status=0, body=b"")]),
        ("answer-reset-behind-all", "The connection is reset behind an answer with a call.", [respond(0, end="reset")]),
        ("answer-cut-behind-all", "The connection is cut behind an answer with a call.", [respond(0, end="cut")]),
        (
            "refused-and-under-an-own-id",
            "A request is refused, and sent again; the call is reported under another id.",
            [resend(0), alter(ToolStart, 0, id="own-1"), alter(ToolResult, 0, id="own-1")],
        ),
        (
            "broken-and-under-an-own-id",
            "An answer breaks, and is asked for again; the call is reported under another id.",
            [*_FIRST_BROKEN, alter(ToolStart, 0, id="own-1"), alter(ToolResult, 0, id="own-1")],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/failed-turn",
        PlainRun((Turn((call("depth", "", basin="n"),)), says("Yes."))),
        (
            "begun-in-a-broken-answer-without-an-id",
            "A call without an id is begun in the answer that breaks.",
            [*_FIRST_BROKEN, _between(ToolStart("own-0", "depth"))],
        ),
        (
            "begun-twice-without-an-id",
            "A call without an id begins twice, the second time as one of another tool.",
            [emit(ToolStart, 0, ToolStart("own-1-0", "tide"), behind=True)],
        ),
        (
            "ended-twice-without-an-id",
            "A call without an id has two results, the second one of another tool.",
            [drop(ToolStart), emit(ToolResult, 0, ToolResult("own-1-0", "tide", {}, True), behind=True)],
        ),
        (
            "reported-without-an-id",
            "A call without an id is reported without one, as one of another tool.",
            [alter(ToolStart, 0, id="", name="tide"), alter(ToolResult, 0, id="", name="tide")],
        ),
        wires=GEMINI,
    ),
    *acting(
        "preview/prefix",
        _TWO_FILES,
        (
            "shown-of-the-second",
            "Of two calls without ids the second has content, and the first tool shows some.",
            [_SHOWN],
        ),
        wires=GEMINI,
    ),
    *acting(
        "preview/prefix",
        replace(_TWO_FILES, turns=(Turn(_TWO_FILES.turns[0].calls[::-1]), says("Yes."))),
        (
            "shown-of-the-first",
            "Of two calls without ids the first has content, and the first tool shows some.",
            [_SHOWN],
        ),
        wires=GEMINI,
    ),
)

MATCHED: tuple[SmallRun, ...] = (
    *_OF_TURNS,
    *_RAN_ON,
    *_WHOLE,
    *_EMITTED,
    *_SWITCHES,
    *_SPELLED,
    *_RESULTS,
    *_RAN,
    *_RETURNED,
    *_PARTS,
    *_OFFERED,
    *_BEGUN,
    *_SOCKETS,
)

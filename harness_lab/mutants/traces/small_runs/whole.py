"""Runs as a whole: their turns, and the requests and the tools that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.trace import (
    Assistant,
    Event,
    EventRecord,
    Failure,
    RequestRecord,
    ResponseRecord,
    SetCode,
    ToolArguments,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Result, Text, ToolDeclaration, Turn, wire
from harness_lab.mutants.traces.draft import TraceDraft, later, requests, rewrite
from harness_lab.mutants.traces.edits import alter, drop, emit_last
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting, begins, in_request
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    GEMINI,
    RESPONSES,
    asked_again,
    beside,
    case,
    cut,
    emit,
    gone,
    having,
    part,
    resend,
    respond,
    runs,
    unreadable,
)
from harness_lab.mutants.traces.small_runs.declarations import schema_of_object
from harness_lab.mutants.traces.small_runs.matched import BOTH_CALLS, LOOKED, TURNS
from harness_lab.mutants.traces.small_runs.sockets import over

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
        LOOKED,
        (
            "ended-twice-with-words-between",
            "Something is said between two ends of a run.",
            [emit_last(Assistant("So.", "text-2"), _FAILED)],
        ),
        wires=CHAT,
    ),
    *acting(
        "continuation/openai-chat",
        LOOKED,
        ("asked-on-another-wire", "A request goes to the path of another wire.", [_request(1, path="/v1/messages")]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        PlainRun(TURNS, acts={3: begins(wire="anthropic-messages")}),
        ("switched-from-tags", "The calls of before were tags in a text.", [part(Call, gone, 0)]),
        wires=("text-tags",),
    ),
    *acting(
        "caller/continued",
        PlainRun((BOTH_CALLS, says("Yes."), says("No.")), acts={3: begins()}),
        (
            "run-again-beside-another",
            "There is another conversation, and a call goes back under another name.",
            [beside(LOOKED), in_request(1, part(Call, having(name="enter")))],
        ),
        wires=CHAT,
    ),
    *acting(
        "history/model-calls",
        PlainRun((_SAME_CALL, says("Yes."), _SAME_CALL, says("No.")), acts={3: begins(model="gpt-5.1")}),
        (
            "own-id-before-the-next-run",
            "A call goes back under another id, which the model uses again in the next run.",
            [in_request(1, part(Call, having(id="own-1"))), in_request(1, part(Result, having(id="own-1")))],
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
        LOOKED,
        *(
            (f"own-ids-in-{dialect}", f"A call goes back under another id: {dialect}.", [case(dialect=dialect), *ids])
            for dialect in ("index-zero", "late-ids")
            for ids in ([part(Call, having(id="own-1")), part(Result, having(id="own-1"))],)
        ),
        wires=CHAT,
    ),
    *acting(
        "continuation/openai-responses",
        LOOKED,
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

_LIMITED = replace(LOOKED, case={"turn_limit": 2, "profile": "hugind"})
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


_TEXT = {"type": "string"}
_FILE = {"path": "a.html"}
_FILES = (ToolDeclaration("create_file", "Writes a file.", schema_of_object(path=_TEXT, content=_TEXT)),)
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
            [*_BROKEN_AND_AGAIN, part(Text, having(text="May we?"), 0, "user")],
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
        LOOKED,
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
        LOOKED,
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

WHOLE: tuple[SmallRun, ...] = (*_OF_TURNS, *_WHOLE)

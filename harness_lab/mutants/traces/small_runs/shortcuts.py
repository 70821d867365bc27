"""Runs in which a rule must not leave off early: what has no part in a mistake stands in front of one that is made.

Besides, what comes at a moment: subagents over AG-UI, and texts, starts and previews while a response arrives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    EventRecord,
    Failure,
    Final,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.wire import Call, FinishReason, Refusal, Text, ThinkingPart, ToolDeclaration, Turn, Usage, wire
from harness_lab.mutants.traces.draft import TraceDraft, event_record, insert, place, requests, rewrite
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.agui import behind, spoken
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    asked_again,
    case,
    cut,
    declared,
    emit,
    resend,
)

# --- subagents ----------------------------------------------------------------------------------------------

_SPOKEN = PlainRun((says("Yes."),))
_STARTED, _FINISHED, _FAILED = (AgUiRecord(f"SUBAGENT_{part}", "helper") for part in ("STARTED", "FINISHED", "ERROR"))


def _agui(name: str, rule: str, summary: str, *records: AgUiRecord) -> SmallRun:
    """A run that begins with these events of AG-UI."""
    return SmallRun(name, rule, summary, _SPOKEN, (spoken, behind("RUN_STARTED", *records)), RESPONSES)


_SUBAGENTS = (
    _agui(
        "agui-subagents",
        "agui/pairs",
        "A subagent starts and finishes, and starts again and fails.",
        *(_STARTED, _FINISHED, _STARTED, _FAILED),
    ),
    _agui("agui-subagent-finished-only", "agui/pairs", "A subagent finishes that has not started.", _FINISHED),
    _agui("agui-subagent-failed-only", "agui/pairs", "A subagent fails that has not started.", _FAILED),
    _agui("agui-subagent-twice", "agui/pairs", "A subagent starts twice.", _STARTED, _STARTED, _FINISHED),
    *(
        _agui(
            f"agui-{name}-under-its-id-again",
            "agui/fresh-id",
            "A message starts and ends again under its id.",
            *(AgUiRecord(f"{type}_{part}", "again") for part in ("START", "END", "START", "END")),
        )
        for name, type in (("text", "TEXT_MESSAGE"), ("thought", "REASONING_MESSAGE"))
    ),
    _agui("agui-subagent-left-open", "agui/closed", "A subagent has not ended at the end.", _STARTED),
)

# --- while a response arrives -------------------------------------------------------------------------------

_BATCH = 8
"""Events of the stream that a loop may collect before it emits what they say."""


def _ends(draft: TraceDraft, number: int = 0) -> list[int]:
    """Where the events of a response end, each of which is a piece now."""
    found = [at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord)]
    response = draft.records[found[number]]
    assert isinstance(response, ResponseRecord)  # noqa: S101 - what was looked for
    sizes = [len(event) + 2 for event in response.body.split(b"\n\n")[:-1]]
    draft.records[found[number]] = replace(response, chunks=tuple(sizes))
    return list(accumulate(sizes))


def _body(draft: TraceDraft, number: int) -> ResponseRecord:
    return [each for each in draft.records if isinstance(each, ResponseRecord)][number]


def _shown(kind: type[Assistant] | type[Thinking], which: int, *moments: tuple[int, int], number: int = 0) -> Edit:
    """A text comes in pieces: (how many characters more, and behind which character of it they come)."""

    def edit(draft: TraceDraft) -> None:
        ends, response = _ends(draft, number), _body(draft, number)
        speaker, kind_of_body = wire(draft.case.wire), response.headers["content-type"]
        turns = [speaker.parse(kind_of_body, response.body[:end]).turn for end in ends]
        known = [_length(turn, kind) for turn in turns]
        at = place(draft.records, kind, which)
        record = event_record(draft.records, at)
        whole, start = record.event, 0
        assert isinstance(whole, Assistant | Thinking)  # noqa: S101 - what place() looks for
        pieces: list[EventRecord] = []
        for length, behind_character in moments:
            offset = ends[next(i for i, there in enumerate(known) if there >= behind_character)]
            event = replace(whole, text=whole.text[start : start + length])
            pieces.append(replace(record, event=event, offset=offset))
            start += length
        draft.records[at : at + 1] = pieces

    return edit


def _length(turn: Turn, kind: type[Assistant] | type[Thinking]) -> int:
    if kind is Assistant:
        return len(turn.text)
    return sum(len(part.text) for part in turn.parts if isinstance(part, ThinkingPart))


def _emitted_late(length: int) -> Edit:
    """So much of the text of the first answer comes at its end, in front of the second request."""

    def edit(draft: TraceDraft) -> None:
        end = _ends(draft)[-1]
        emitted = event_record(draft.records, place(draft.records, Assistant))
        assert isinstance(emitted.event, Assistant)  # noqa: S101 - what place() looks for
        late = replace(emitted, event=replace(emitted.event, text=emitted.event.text[:length]), exchange=0, offset=end)
        draft.records.insert(requests(draft.records)[1], late)

    return edit


_PACED: dict[str, Any] = {"paced": True}
_LONG = "You may enter the north basin before noon, and the south basin at any time."
_SAYS = PlainRun((Turn((Text(_LONG),), deltas="character"),), case=_PACED)
_EACH = tuple((1, at) for at in range(1, len(_LONG) + 1))
_LATE = ((len(_LONG), len(_LONG)),)
_LOOKS_FIRST = PlainRun((Turn((call("depth", basin="n"),)), Turn((Text(_LONG),), deltas="character")), case=_PACED)
_THINKS = "The tide is low at noon."
_BETWEEN = PlainRun(
    (Turn((Text("Let me think."), ThinkingPart(_THINKS), Text(_LONG)), deltas="character"),), case=_PACED
)

_TEXTS = (
    SmallRun(
        "text-late-then-as-known",
        "timing/text",
        "The first piece says one of five characters that have come, the next all that have come till then.",
        _SAYS,
        (_shown(Assistant, 0, (1, 5), (13, 14), *_EACH[14:]),),
        CHAT,
    ),
    SmallRun(
        "text-late-of-an-answer-that-came-again",
        "timing/text",
        "Of a turn that was asked for twice it is not known which answer a piece is of.",
        _SAYS,
        (asked_again(0), cut(0, events=9), _emitted_late(20), _shown(Assistant, 1, *_EACH, number=1)),
        CHAT,
    ),
    SmallRun(
        "text-late-behind-a-turn-without-text",
        "timing/text",
        "The first turn has no text, and the text of the second comes at its end.",
        _LOOKS_FIRST,
        (_shown(Assistant, 0, *_LATE, number=1),),
        CHAT,
    ),
    SmallRun(
        "text-in-front-of-thoughts-and-behind",
        "timing/text",
        "A text comes in two pieces, then thoughts, then more text, each as it arrives.",
        _BETWEEN,
        (
            _shown(Assistant, 1, *((1, 13 + at) for _, at in _EACH)),
            _shown(Thinking, 0, *_EACH[: len(_THINKS)]),
            _shown(Assistant, 0, (7, 7), (6, 13)),
        ),
        ANTHROPIC,
    ),
)

_PAGE = "<p>Brot und Brezeln</p>" * 6
_LONG_PAGE = "<p>Brot und Brezeln</p>" * 40
_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}


def _creates(page: str, *pages: str) -> PlainRun:
    """Pages are written in one turn, their code a character in each event."""
    calls = tuple(
        Call("create_file", json.dumps({"path": "index.html", "content": each}), f"call_{number}")
        for number, each in enumerate((page, *pages), 1)
    )
    return PlainRun(
        (Turn(calls, deltas="character"), says("Done.")),
        tools=(ToolDeclaration("create_file", "Creates a file.", _SCHEMA),),
        case={"profile": "screenshot-to-code", "tools": {"create_file": {}}, **_PACED},
        end=Final(page),
    )


_WRITES = _creates(_PAGE)


def _previewed(page: str, *known: int, which: int = 0) -> Edit:
    """A call starts, and previews all that is known, when a loop must know so many characters of its code. At the end
    it shows all of it."""

    def edit(draft: TraceDraft) -> None:
        ends, response = _ends(draft), _body(draft, 0)
        turn = wire(draft.case.wire).parse(response.headers["content-type"], response.body).turn
        arguments = [each.arguments for each in turn.calls]
        arrivals = wire(draft.case.wire).arrivals(response.headers["content-type"], response.body, arguments)
        assert arrivals is not None  # noqa: S101 - each event has one character
        before = arguments[which].index(page)
        came = [ends.index(arrivals[which].offsets[before + each - 1]) for each in known]
        result, id = place(draft.records, ToolResult, which), f"call_{which + 1}"
        insert(draft.records, result, SetCode(page, id, preview=True), SetCode(page, id))
        start = place(draft.records, ToolStart, which)
        record = event_record(draft.records, start)
        moments = [replace(record, offset=ends[at + _BATCH + 1]) for at in came]
        draft.records[start : start + 1] = [
            moments[0],
            *(
                replace(moment, event=SetCode(page[:length], id, preview=True))
                for moment, length in zip(moments, known, strict=True)
            ),
        ]

    return edit


def _start_is(**members: Any) -> Edit:
    """The first toolStart has another moment."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, ToolStart)
        draft.records[at] = replace(event_record(draft.records, at), **members)

    return edit


def _starts_again(draft: TraceDraft) -> None:
    """The call is shown to start once more, in front of its result."""
    start = event_record(draft.records, place(draft.records, ToolStart))
    insert(draft.records, place(draft.records, ToolResult), start.event)


def _starts() -> Iterator[SmallRun]:
    for known in (79, 80, 81):
        summary = f"A create_file starts when {known} characters of its code are known."
        yield SmallRun(f"started-at-{known}", "timing/start", summary, _WRITES, (_previewed(_PAGE, known),), CHAT)
    for name, summary, edits in (
        ("again", "It starts in time, and once more at the end.", (_previewed(_PAGE, 80), _starts_again)),
        (
            "in-the-next-answer",
            "Its start is reported of the next answer.",
            (_previewed(_PAGE, 81), _start_is(exchange=1)),
        ),
    ):
        yield SmallRun(f"started-{name}", "timing/start", summary, _WRITES, edits, CHAT)
    yield SmallRun(
        "started-late-behind-another",
        "timing/start",
        "The first of two calls has no start, and the second starts late.",
        _creates(_PAGE, _PAGE),
        (_previewed(_PAGE, 81, which=1), _previewed(_PAGE, 80), drop(ToolStart)),
        CHAT,
    )
    in_time = (*range(80, 721, 80), 810)
    for last in (900, 911, 912):
        yield SmallRun(
            f"previewed-at-{last}-of-810",
            "timing/preview",
            f"A long page of which 810 characters are shown is shown anew when {last} are known.",
            _creates(_LONG_PAGE),
            (_previewed(_LONG_PAGE, *in_time, last),),
            CHAT,
        )


# --- answers and results ------------------------------------------------------------------------------------

_REFUSES = PlainRun((Turn((Text("No."), Refusal("I cannot say that."))),), end=Final("", "refused"))
_LOOKS = PlainRun((Turn((Text("Let me look."), call("depth", "c1", basin="n"))), says("Yes.")))
_FOUND: Any = {"basin": "north", "metres": 4}
_BOTH = PlainRun(
    (Turn((call("depth", "c1", basin="n"), call("tide", "c2", basin="n"))), says("Yes.")),
    outputs={"depth": _FOUND, "tide": _FOUND},
    case={"returns": {"depth": _FOUND, "tide": _FOUND}},
)
_USED = PlainRun(
    (
        Turn((call("depth", "c1", basin="n"),), usage=Usage(100, 20, reasoning=5, cached=10)),
        Turn((Text("Yes."),), usage=Usage(200, 30)),
    )
)


def _early(which: int) -> Edit:
    """The result of a call is there before its arguments."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, ToolResult, which)
        draft.records[at] = replace(event_record(draft.records, at), offset=10)

    return edit


def _sent_back(number: int, output: Any, which: int = -1) -> Edit:
    """A request of Chat has another result."""

    def change(request: Any) -> None:
        request["messages"][which]["content"] = json.dumps(output)

    return lambda draft: rewrite(draft.records, number, change)


_ANSWERS = (
    SmallRun(
        "text-lost-of-an-answer-behind-an-error",
        "stream/text",
        "A request that was refused is sent again, and the end of the text is lost.",
        PlainRun((says("Yes, you may."),)),
        (resend(0), alter(Assistant, 0, text="Yes, you")),
        CHAT,
    ),
    SmallRun(
        "text-without-the-refusal-behind-a-broken-answer",
        "stream/text",
        "Of an answer that broke the beginning was shown, and of the next one the text without its refusal.",
        _REFUSES,
        (asked_again(0), cut(0, events=3), alter(Assistant, 0, text="NNo.")),
        CHAT,
    ),
    SmallRun(
        "text-lost-behind-a-broken-answer",
        "stream/text",
        "An answer broke, and its beginning was shown; the text of the next turn is another.",
        _LOOKS,
        (
            asked_again(0),
            cut(0, events=6),
            alter(Assistant, 0, text="LetLet me look."),
            alter(Assistant, 1, text="No."),
        ),
        CHAT,
    ),
    SmallRun(
        "ran-early-behind-one-without-events",
        "preview/early-run",
        "The first of two calls is not reported, and the second has a result before its arguments came.",
        _BOTH,
        (_early(1), drop(ToolStart), drop(ToolResult)),
        CHAT,
    ),
    SmallRun(
        "two-tools-return-the-same",
        "history/own-result",
        "Two tools have the same to say, and each call has it.",
        _BOTH,
        (),
        (*CHAT, *ANTHROPIC),
    ),
    SmallRun(
        "result-of-another-until-an-error",
        "history/own-result",
        "A result is that of another call; the request is refused, and is sent again with the right one.",
        replace(
            _BOTH,
            outputs={"depth": _FOUND, "tide": {"hour": 11}},
            case={"returns": {"depth": _FOUND, "tide": {"hour": 11}}},
        ),
        (resend(1), _sent_back(1, _FOUND)),
        CHAT,
    ),
    *(
        SmallRun(f"usage-{name}", "reported/usage", summary, _USED, (alter(Final, 0, usage=usage), *edits), RESPONSES)
        for name, summary, usage, edits in (
            (
                "low-beside-cached",
                "It says how many tokens are cached, so the input may not lack them.",
                {"input": 290, "cached": 10},
                [],
            ),
            (
                "behind-an-error",
                "A request that was refused has used nothing.",
                {"input": 300, "output": 50},
                [resend(1)],
            ),
        )
    ),
)


# --- what is offered ----------------------------------------------------------------------------------------


def _offers(name: str, summary: str, of_case: Sequence[Any], offered: Sequence[Any]) -> SmallRun:
    """A tool with an argument that may have these values; the request says these."""
    tool = ToolDeclaration("depth", "A tool.", _one_of(offered))
    run = PlainRun((says("Yes."),), tools=(tool,), case={"tools": {"depth": declared(_one_of(of_case))}})
    return SmallRun(name, "offered/schema", summary, run, (), CHAT)


def _one_of(values: Sequence[Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"gauge": {"enum": list(values)}}}


_OFFERS = (
    _offers("true-for-one", "It may be 1, and is offered as true.", [1, 2], [True, 2]),
    _offers("one-for-one", "It is offered as it is.", [1, 2], [1, 2]),
)

# --- turns and ends -----------------------------------------------------------------------------------------

_HALVES = PlainRun(
    (Turn((Text("You may enter "),), stop=FinishReason.PAUSE), says("the basin.")),
    end=Final("", text="You may enter the basin."),
)
_TWO_CALLS = PlainRun((*_LOOKS.turns[:1], Turn((Text("Now the tide."), call("tide", "c2", basin="n"))), says("Yes.")))
_NO_START: tuple[Edit, ...] = (drop(TurnStart), drop(TurnStart))

_TURNS = (
    SmallRun(
        "long-answer-shown-at-once",
        "stream/text",
        "A request that was refused is sent again; its answer is continued by its token, and both are shown as one.",
        _HALVES,
        (resend(0), *_NO_START, drop(Assistant), alter(Assistant, 0, text="You may enter the basin.")),
        ("gemini-interactions",),
    ),
    SmallRun(
        "long-answer-cut-in-a-character",
        "stream/text",
        "An answer that is continued ends with half a character, and both are shown as one.",
        replace(
            _HALVES,
            turns=(Turn((Text("A roll: \ud83e"),), stop=FinishReason.PAUSE), says("\udd50.")),
            end=Final("", text=""),
        ),
        (*_NO_START, drop(Assistant), alter(Assistant, 0, text="A roll: 🥐.")),
        ("gemini-interactions",),
    ),
    SmallRun(
        "text-lost-in-a-turn-that-was-asked-for-twice",
        "stream/text",
        "No turn is announced, the first request was refused and sent again, and the text of its turn is lost.",
        _LOOKS,
        (resend(0), *_NO_START, drop(Assistant)),
        CHAT,
    ),
    SmallRun(
        "text-lost-behind-turns-that-were-not-announced",
        "stream/text",
        "Only the last of three turns is announced, so it is the second; its text is lost.",
        _TWO_CALLS,
        (*_NO_START, alter(TurnStart, 0, turn=1), alter(Assistant, 2, text="No.")),
        CHAT,
    ),
    *(
        SmallRun(
            f"thought-of-{len(thought) - 1}-returned",
            "final/thinking",
            "A run returns what was thought, in so many characters without the space.",
            PlainRun((Turn((ThinkingPart(thought), Text("Yes."))),), end=Final("", text=f"{thought} Yes.")),
            (),
            (*RESPONSES, *ANTHROPIC),
        )
        for thought in ("Low tide", "Low tides")
    ),
    SmallRun(
        "error-in-front-of-the-final",
        "order/one-end",
        "A run that has failed says that it is complete.",
        _SPOKEN,
        (emit(Final, 0, Failure("http", "HTTP 500")),),
        CHAT,
    ),
    SmallRun(
        "no-final-of-a-loop-that-says-no-errors",
        "order/one-end",
        "The loop says that it reports ends, but no errors, and reports none.",
        _SPOKEN,
        (drop(Final), case(emits=("turnStart", "assistant", "final"))),
        CHAT,
    ),
    *(
        SmallRun(
            f"silent-and-cancelled-{name}",
            "caller/cancelled-result",
            summary,
            PlainRun(
                (*_LOOKS.turns[:1], says("No.")),
                silent=True,
                acts={2: (CallerRecord("cancel"), CallerRecord("run", "And after noon?"))},
                case=more,
            ),
            (),
            CHAT,
        )
        for name, summary, more in (
            ("undeclared", "Nobody has seen an event of a run that was cancelled.", {}),
            (
                "declared",
                "The loop says that it reports results, and nobody has seen an event.",
                {"emits": ("toolResult",)},
            ),
        )
    ),
    SmallRun(
        "no-text-where-the-contract-has-it",
        "stream/text",
        "The contract has texts reported, and the loop has reported none.",
        _SPOKEN,
        (drop(Assistant), case(profile="screenshot-to-code")),
        CHAT,
    ),
)

SHORTCUTS: tuple[SmallRun, ...] = (*_SUBAGENTS, *_TEXTS, *_starts(), *_ANSWERS, *_OFFERS, *_TURNS)

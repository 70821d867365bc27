"""Runs that are reported over AG-UI: the order of its events, and the arguments of calls as the user gets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from harness.trace import (
    AgUiRecord,
    Assistant,
    Event,
    EventRecord,
    Failure,
    Final,
    ToolArguments,
    ToolResult,
    ToolStart,
)
from harness.wire import FinishReason, Text, Turn
from harness_lab.mutants.traces.draft import TraceDraft, insert, places
from harness_lab.mutants.traces.edits import drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import RESPONSES

_CALLS = Turn((Text("I look."), call("depth", "call_1", basin="n")))
_RUN = PlainRun((_CALLS, says("Yes.")), outputs={"depth": {"metres": 4}})
_FAILS = PlainRun((_CALLS, Turn((call("tide", "call_2", basin="n"),))), end=Failure("http", "HTTP 500"), stops_at=2)
_CUT = PlainRun((replace(_CALLS, stop=FinishReason.MAX_TOKENS),), end=Final("", "truncated"), stops_at=1)


# --- the protocol -------------------------------------------------------------------------------------------


def spoken(draft: TraceDraft) -> None:
    """The same in events of AG-UI, each in front of what was read from it."""
    spoken: list[Any] = [AgUiRecord("RUN_STARTED", "run-1")]
    for record in draft.records:
        if isinstance(record, EventRecord):
            spoken += _in_agui(record.event)
        spoken.append(record)
    draft.records[:] = spoken


def _in_agui(event: Event) -> Iterator[AgUiRecord]:
    match event:
        case Assistant(_, id):
            yield from (AgUiRecord(f"TEXT_MESSAGE_{part}", id) for part in ("START", "CONTENT", "END"))
        case ToolStart(id):
            yield from (AgUiRecord(f"TOOL_CALL_{part}", id) for part in ("START", "ARGS", "END"))
        case ToolResult(id):
            yield AgUiRecord("TOOL_CALL_RESULT", id)
        case Final():
            yield AgUiRecord("RUN_FINISHED", "run-1")
        case Failure():
            yield AgUiRecord("RUN_ERROR")


def _at(draft: TraceDraft, type: str, which: int = 0) -> int:
    """Where an event of this type is."""
    found = [at for at, each in enumerate(draft.records) if isinstance(each, AgUiRecord) and each.type == type]
    return found[which]


def _without(type: str, which: int = 0) -> Edit:
    def edit(draft: TraceDraft) -> None:
        del draft.records[_at(draft, type, which)]

    return edit


def behind(type: str, *records: AgUiRecord, which: int = 0) -> Edit:
    """Something comes behind an event of this type."""

    def edit(draft: TraceDraft) -> None:
        at = _at(draft, type, which) + 1
        draft.records[at:at] = records

    return edit


def _before(type: str, *records: AgUiRecord, which: int = 0) -> Edit:
    """Something comes in front of an event of this type."""

    def edit(draft: TraceDraft) -> None:
        at = _at(draft, type, which)
        draft.records[at:at] = records

    return edit


def _again(type: str, which: int = 0) -> Edit:
    def edit(draft: TraceDraft) -> None:
        at = _at(draft, type, which)
        draft.records.insert(at, draft.records[at])

    return edit


def _about(type: str, id: str) -> Edit:
    """An event of this type is about something else."""

    def edit(draft: TraceDraft) -> None:
        at = _at(draft, type)
        record = draft.records[at]
        assert isinstance(record, AgUiRecord)  # noqa: S101 - what _at() looks for
        draft.records[at] = replace(record, id=id)

    return edit


def only(*records: AgUiRecord) -> Edit:
    """These are all events of AG-UI."""

    def edit(draft: TraceDraft) -> None:
        draft.records[:] = [*records, *(each for each in draft.records if not isinstance(each, AgUiRecord))]

    return edit


def _rows(rule: str, run: PlainRun, *rows: tuple[str, str, Sequence[Edit]]) -> tuple[SmallRun, ...]:
    return tuple(SmallRun(name, rule, summary, run, tuple(edits), RESPONSES) for name, summary, edits in rows)


_STEP = (AgUiRecord("STEP_STARTED", "look"), AgUiRecord("STEP_FINISHED", "look"))
_THOUGHT = tuple(
    AgUiRecord(type, "thought")
    for type in (
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    )
)
_NEXT = (AgUiRecord("RUN_STARTED", "run-2"), AgUiRecord("RUN_FINISHED", "run-2"))

_ORDER: tuple[SmallRun, ...] = (
    *_rows(
        "agui/form",
        _RUN,
        (
            "agui-no-json",
            "An event is no JSON.",
            [spoken, behind("RUN_STARTED", AgUiRecord("", wrong="no JSON: Expecting value"))],
        ),
        (
            "agui-member-missing",
            "An event has not what it needs.",
            [spoken, behind("RUN_STARTED", AgUiRecord("CUSTOM", wrong="CUSTOM needs 'name' (a text), and has none"))],
        ),
        ("agui-in-order", "Every event comes in its place.", [spoken]),
        (
            "agui-unknown-type",
            "An event is of a type that AG-UI has not.",
            [spoken, behind("RUN_STARTED", AgUiRecord("TEXT_SUNG"))],
        ),
        (
            "agui-steps-and-thoughts",
            "Steps and reasoning begin and end.",
            [spoken, behind("RUN_STARTED", *_THOUGHT, *_STEP)],
        ),
    ),
    *_rows(
        "agui/run-first",
        _RUN,
        ("agui-run-never-started", "The run has no start.", [spoken, _without("RUN_STARTED")]),
        (
            "agui-something-before-the-run",
            "Something comes before the run starts.",
            [spoken, _before("RUN_STARTED", AgUiRecord("CUSTOM"))],
        ),
    ),
    *_rows(
        "agui/run-first",
        _FAILS,
        ("agui-only-an-error", "A run that cannot start has an error only.", [only(AgUiRecord("RUN_ERROR"))]),
    ),
    *_rows(
        "agui/one-run",
        _RUN,
        ("agui-run-in-a-run", "The run starts twice.", [spoken, _again("RUN_STARTED")]),
    ),
    *_rows(
        "agui/after-end",
        _RUN,
        ("agui-after-the-end", "Something comes behind the end.", [spoken, behind("RUN_FINISHED", *_STEP)]),
        ("agui-ended-twice", "The run finishes twice.", [spoken, _again("RUN_FINISHED")]),
        (
            "agui-error-behind-the-end",
            "A run that has finished fails afterwards.",
            [spoken, behind("RUN_FINISHED", AgUiRecord("RUN_ERROR"))],
        ),
        ("agui-another-run", "Another run follows.", [spoken, behind("RUN_FINISHED", *_NEXT)]),
        (
            "agui-something-behind-another-run",
            "Something comes behind the end of another run.",
            [spoken, behind("RUN_FINISHED", *_NEXT, *_STEP)],
        ),
    ),
    *_rows(
        "agui/after-end",
        _FAILS,
        ("agui-run-behind-an-error", "Another run follows an error.", [spoken, behind("RUN_ERROR", *_NEXT)]),
        ("agui-step-behind-an-error", "Something follows an error.", [spoken, behind("RUN_ERROR", *_STEP)]),
    ),
    *_rows(
        "agui/run-ended",
        _RUN,
        ("agui-without-an-end", "The run has no end.", [spoken, _without("RUN_FINISHED")]),
        (
            "agui-second-run-without-an-end",
            "Another run has no end.",
            [spoken, behind("RUN_FINISHED", _NEXT[0])],
        ),
    ),
    *_rows("agui/run-ended", _FAILS, ("agui-ended-by-an-error", "The run ends with an error.", [spoken])),
    *_rows(
        "agui/pairs",
        _RUN,
        ("agui-text-without-a-start", "A text does not start.", [spoken, _without("TEXT_MESSAGE_START")]),
        ("agui-text-started-twice", "A text starts twice.", [spoken, _again("TEXT_MESSAGE_START")]),
        ("agui-text-ended-twice", "A text ends twice.", [spoken, _again("TEXT_MESSAGE_END")]),
        ("agui-call-without-a-start", "Arguments are of another call.", [spoken, _about("TOOL_CALL_ARGS", "call_2")]),
        ("agui-step-finished-only", "A step ends that has not begun.", [spoken, behind("RUN_STARTED", _STEP[1])]),
        (
            "agui-thought-without-a-start",
            "Reasoning has content before its message starts.",
            [spoken, behind("RUN_STARTED", _THOUGHT[0], *_THOUGHT[2:])],
        ),
        (
            "agui-two-texts-at-once",
            "Two texts are open at once, under two ids.",
            [
                spoken,
                _before("TEXT_MESSAGE_CONTENT", AgUiRecord("TEXT_MESSAGE_START", "other")),
                behind("TEXT_MESSAGE_END", AgUiRecord("TEXT_MESSAGE_END", "other")),
            ],
        ),
    ),
    *_rows(
        "agui/closed",
        _RUN,
        ("agui-text-left-open", "A text has not ended at the end.", [spoken, _without("TEXT_MESSAGE_END")]),
        ("agui-call-left-open", "A call has not ended at the end.", [spoken, _without("TOOL_CALL_END")]),
        (
            "agui-left-open-in-the-first-run",
            "A text has not ended at the end of the first run, and another run follows.",
            [spoken, _without("TEXT_MESSAGE_END"), behind("RUN_FINISHED", *_NEXT)],
        ),
        ("agui-step-left-open", "A step has not ended at the end.", [spoken, behind("RUN_STARTED", _STEP[0])]),
    ),
    *_rows(
        "agui/closed",
        _FAILS,
        ("agui-left-open-by-an-error", "A run that fails leaves a text open.", [spoken, _without("TEXT_MESSAGE_END")]),
    ),
    *_rows(
        "agui/fresh-id",
        _RUN,
        (
            "agui-call-under-its-id-again",
            "A call starts and ends again under its id.",
            [
                spoken,
                behind("TOOL_CALL_END", *(AgUiRecord(f"TOOL_CALL_{part}", "call_1") for part in ("START", "END"))),
            ],
        ),
        (
            "agui-steps-of-two-agents",
            "A subagent has a step with the name of one that is open.",
            [spoken, behind("RUN_STARTED", _STEP[0], *(replace(each, owner="helper") for each in _STEP), _STEP[1])],
        ),
        (
            "agui-step-again",
            "A step comes twice, one after the other.",
            [spoken, behind("RUN_STARTED", *_STEP, *_STEP)],
        ),
    ),
    *_rows(
        "agui/result-known",
        _RUN,
        ("agui-result-of-nothing", "A result is of an unknown call.", [spoken, _about("TOOL_CALL_RESULT", "call_7")]),
        (
            "agui-result-of-an-earlier-run",
            "A result is of a call in the messages of the run.",
            [
                spoken,
                behind(
                    "RUN_STARTED",
                    AgUiRecord("MESSAGES_SNAPSHOT", calls=("call_0",)),
                    AgUiRecord("TOOL_CALL_RESULT", "call_0"),
                ),
            ],
        ),
    ),
    *_rows(
        "agui/result-once",
        _RUN,
        ("agui-result-twice", "A call has two results.", [spoken, _again("TOOL_CALL_RESULT")]),
    ),
)


# --- arguments ----------------------------------------------------------------------------------------------


def _arguments(*pieces: str) -> Edit:
    """The arguments of the call, as the user gets them."""

    def edit(draft: TraceDraft) -> None:
        for at in places(draft.records, ToolStart):
            insert(draft.records, at + 1, *(ToolArguments("call_1", piece) for piece in pieces))

    return edit


_ARGUMENTS: tuple[SmallRun, ...] = (
    *_rows(
        "stream/arguments",
        _RUN,
        ("arguments-in-pieces", "The arguments come in pieces.", [_arguments('{"bas', 'in": ', '"n"}')]),
        ("arguments-anew", "They are written anew, with other spaces.", [_arguments('{ "basin":"n" }')]),
        ("arguments-not-whole", "The last piece is lost.", [_arguments('{"bas', 'in": ')]),
        ("arguments-twice", "A piece comes twice.", [_arguments('{"bas', 'in": ', 'in": ', '"n"}')]),
        ("arguments-out-of-order", "Two pieces are exchanged.", [_arguments('in": ', '{"bas', '"n"}')]),
        ("arguments-others", "They are others.", [_arguments('{"basin": "s"}')]),
    ),
    *_rows(
        "stream/arguments",
        _CUT,
        (
            "arguments-of-a-cut-call",
            "A call that was cut off shows its beginning.",
            [drop(ToolResult), _arguments('{"basin": ')],
        ),
        ("arguments-made-up", "A call that was cut off shows others.", [drop(ToolResult), _arguments("{}")]),
    ),
)

AGUI: tuple[SmallRun, ...] = (*_ORDER, *_ARGUMENTS)

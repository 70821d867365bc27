"""The protocol AG-UI: in which order its events come, and that each has what it needs.

What the events say is for other rules, which compare it with what the model has sent. These look at the protocol alone,
so they judge a recorded stream without the requests of its loop, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from harness.finding import Finding, broken
from harness.rules.model import rule
from harness.rules.trace_view import TraceView
from harness.trace import AgUiRecord

_PROTOCOL: Final = "AG-UI 1.0: https://docs.ag-ui.com/concepts/events"
_VERIFIED: Final = "verifyEvents of @ag-ui/client 1.0, which refuses the stream"

_Place = tuple[int, AgUiRecord]
_Part = Literal["start", "content", "end"]
_Key = tuple[str, str, str]

_PARTS: Final[Mapping[str, tuple[str, _Part]]] = {
    "TEXT_MESSAGE_START": ("text message", "start"),
    "TEXT_MESSAGE_CONTENT": ("text message", "content"),
    "TEXT_MESSAGE_END": ("text message", "end"),
    "TOOL_CALL_START": ("tool call", "start"),
    "TOOL_CALL_ARGS": ("tool call", "content"),
    "TOOL_CALL_END": ("tool call", "end"),
    "REASONING_START": ("reasoning", "start"),
    "REASONING_END": ("reasoning", "end"),
    "REASONING_MESSAGE_START": ("reasoning message", "start"),
    "REASONING_MESSAGE_CONTENT": ("reasoning message", "content"),
    "REASONING_MESSAGE_END": ("reasoning message", "end"),
    "STEP_STARTED": ("step", "start"),
    "STEP_FINISHED": ("step", "end"),
    "SUBAGENT_STARTED": ("subagent", "start"),
    "SUBAGENT_FINISHED": ("subagent", "end"),
    "SUBAGENT_ERROR": ("subagent", "end"),
}
"""What has a beginning and an end: what it is, and which part of it an event is."""

_ENDS: Final = frozenset({"RUN_FINISHED", "RUN_ERROR"})
_KEPT: Final = frozenset({"text message", "tool call", "reasoning message"})
"""What stays in the user's program under its id when it is over."""


def _records(view: TraceView) -> Iterator[_Place]:
    """The events of the protocol that have the form of one."""
    return ((at, record) for at, record in _all(view) if not record.wrong)


def _all(view: TraceView) -> Iterator[_Place]:
    return ((at, record) for at, record in enumerate(view.trace.records) if isinstance(record, AgUiRecord))


@rule(
    "agui/form",
    "MUST",
    "unsafe",
    "Every event is a JSON object with the members that its type needs.",
    why="The client of the protocol ends the stream with an error at such an event, and the user sees no answer.",
    source=_PROTOCOL,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right: {agui-in-order: [Every event comes in its place., over_agui]}
    wrong:
      agui-no-json: [An event is no JSON., over_agui, {agui_behind: [RUN_STARTED,
          {AgUiRecord: '', wrong: 'no JSON: Expecting value'}]}]
    """,
)
def _form(view: TraceView) -> Iterator[Finding]:
    for at, record in _all(view):
        if record.wrong:
            yield broken(at, f"an event of AG-UI{f', {record.type}' if record.type else ''}", record.wrong)


@rule(
    "agui/run-first",
    "MUST",
    "unsafe",
    "The first event is RUN_STARTED; where a run cannot start, RUN_ERROR.",
    why="The client refuses the stream, and the user sees no answer.",
    source=_VERIFIED,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong: {agui-run-never-started: [The run has no start., over_agui, {agui_without: RUN_STARTED}]}
    """,
)
def _run_first(view: TraceView) -> Iterator[Finding]:
    first = next(_records(view), None)
    if first is not None and first[1].type not in ("RUN_STARTED", "RUN_ERROR"):
        yield broken(first[0], "RUN_STARTED as the first event", first[1].type)


@rule(
    "agui/one-run",
    "MUST",
    "unsafe",
    "A run has ended before another one of the same stream starts.",
    why="The client refuses the stream; another one would mix two answers.",
    source=_VERIFIED,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong: {agui-run-in-a-run: [The run starts twice., over_agui, {agui_again: RUN_STARTED}]}
    """,
)
def _one_run(view: TraceView) -> Iterator[Finding]:
    active = ""
    for at, record in _records(view):
        if record.type == "RUN_STARTED":
            if active:
                yield broken(at, f"the end of run {active} before another one starts", f"RUN_STARTED {record.id}")
            active = record.id
        elif record.type in _ENDS:
            active = ""


@rule(
    "agui/after-end",
    "MUST",
    "unsafe",
    "After RUN_FINISHED only another run comes, or RUN_ERROR, and after RUN_ERROR only another run.",
    why="The client refuses the stream, and what comes late is lost.",
    source=_VERIFIED,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right:
      agui-error-behind-the-end: [A run that has finished fails afterwards., over_agui, {agui_behind: [RUN_FINISHED,
          {AgUiRecord: RUN_ERROR}]}]
    wrong: {agui-ended-twice: [The run finishes twice., over_agui, {agui_again: RUN_FINISHED}]}
    """,
)
def _after_end(view: TraceView) -> Iterator[Finding]:
    ended = ""
    for at, record in _records(view):
        if ended and not _may_follow(ended, record.type):
            yield broken(at, f"nothing of the run after {ended}", record.type)
            return
        if record.type in _ENDS:
            ended = record.type
        elif record.type == "RUN_STARTED":
            ended = ""


def _may_follow(end: str, type: str) -> bool:
    return type == "RUN_STARTED" or (end == "RUN_FINISHED" and type == "RUN_ERROR")


@rule(
    "agui/run-ended",
    "MUST",
    "unsafe",
    "A run that has started ends with RUN_FINISHED or RUN_ERROR.",
    why="The user's program shows an agent that works for ever, or takes a broken answer for a whole one.",
    source=_PROTOCOL,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong: {agui-without-an-end: [The run has no end., over_agui, {agui_without: RUN_FINISHED}]}
    """,
)
def _run_ended(view: TraceView) -> Iterator[Finding]:
    records = list(_records(view))
    active = False
    for _, record in records:
        active = record.type == "RUN_STARTED" or (active and record.type not in _ENDS)
    if active:
        at, last = records[-1]
        yield broken(at, "RUN_FINISHED or RUN_ERROR as the last event", f"{last.type}, and no end")


@rule(
    "agui/pairs",
    "MUST",
    "unsafe",
    "A message, tool call, reasoning, step or subagent starts before its content and its end, and does not start "
    "again before it has ended.",
    why="The client refuses the stream; another one has nowhere to put the content.",
    source=_VERIFIED,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [Yes.]}
    wrong:
      agui-subagent-failed-only: [A subagent fails that has not started., over_agui, {agui_behind: [RUN_STARTED,
          {AgUiRecord: SUBAGENT_ERROR, id: helper}]}]
    """,
)
def _pairs(view: TraceView) -> Iterator[Finding]:
    open_ones: set[_Key] = set()
    missed: set[_Key] = set()  # one finding is enough for all that follows from it
    for at, record in _records(view):
        if record.type == "RUN_STARTED":
            open_ones.clear()
        if record.type not in _PARTS:
            continue
        what, part = _PARTS[record.type]
        key = _key(what, record)
        if key in missed:
            continue
        if (part == "start") is (key in open_ones):
            missed.add(key)
            yield broken(at, _expectation(what, record.id, part), record.type)
        elif part == "start":
            open_ones.add(key)
        elif part == "end":
            open_ones.discard(key)


def _key(what: str, record: AgUiRecord) -> _Key:
    """What is open: steps have names, which each agent has for itself, and all else has ids."""
    return what, record.id, record.owner if what == "step" else ""


def _expectation(what: str, id: str, part: _Part) -> str:
    if part == "start":
        return f"the end of {what} {id} before it starts again"
    return f"the start of {what} {id} before its {'end' if part == 'end' else 'content'}"


@rule(
    "agui/closed",
    "MUST",
    "unsafe",
    "At RUN_FINISHED all that has started has ended.",
    why="The client refuses the stream, and the last message or call is never complete.",
    source=_VERIFIED,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [Yes.]}
    wrong:
      agui-subagent-left-open: [A subagent has not ended at the end., over_agui, {agui_behind: [RUN_STARTED,
          {AgUiRecord: SUBAGENT_STARTED, id: helper}]}]
    """,
)
def _open_at_end(view: TraceView) -> Iterator[Finding]:
    open_ones: dict[_Key, None] = {}
    for at, record in _records(view):
        if record.type == "RUN_FINISHED" and open_ones:
            left = ", ".join(f"{what} {id}" for what, id, _ in list(open_ones)[:3])
            yield broken(at, f"the end of all that has started: {left}", "RUN_FINISHED")
        if record.type in ("RUN_STARTED", *_ENDS):
            open_ones.clear()
        if record.type not in _PARTS:
            continue
        what, part = _PARTS[record.type]
        if part == "start":
            open_ones[_key(what, record)] = None
        elif part == "end":
            open_ones.pop(_key(what, record), None)


@rule(
    "agui/fresh-id",
    "MUST",
    "unsafe",
    "A message or tool call that is over does not start again under its id.",
    why="The user's program adds the new text, or the new arguments, to those of the one before.",
    source=_PROTOCOL,
    needs=("ag-ui",),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong:
      agui-call-under-its-id-again: [A call starts and ends again under its id., over_agui,
          {agui_behind: [TOOL_CALL_END, {AgUiRecord: TOOL_CALL_START, id: call_1},
          {AgUiRecord: TOOL_CALL_END, id: call_1}]}]
    """,
)
def _fresh_id(view: TraceView) -> Iterator[Finding]:
    over: set[tuple[str, str]] = set()
    for at, record in _records(view):
        if record.type not in _PARTS or _PARTS[record.type][0] not in _KEPT:
            continue
        what, part = _PARTS[record.type]
        key = (what, record.id)
        if part == "end":
            over.add(key)
        elif part == "start" and key in over:
            over.remove(key)
            yield broken(at, f"another id than {record.id}: that {what} is over", record.type)


@rule(
    "agui/result-known",
    "MUST",
    "unsafe",
    "A result belongs to a tool call that has started before, in this run or an earlier one.",
    why="The user sees a result of nothing, and the call stays without one.",
    source=_PROTOCOL,
    needs=("ag-ui",),
    scope="case",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong:
      agui-result-of-nothing: [A result is of an unknown call., over_agui,
          {agui_about: TOOL_CALL_RESULT, id: call_7}]
    """,
)
def _result_known(view: TraceView) -> Iterator[Finding]:
    known: set[str] = set()
    for at, record in _records(view):
        known.update(record.calls)
        if record.type == "TOOL_CALL_START":
            known.add(record.id)
        elif record.type == "TOOL_CALL_RESULT" and record.id not in known:
            yield broken(at, f"TOOL_CALL_START of {record.id} before its result", "TOOL_CALL_RESULT")


@rule(
    "agui/result-once",
    "MUST",
    "unsafe",
    "A tool call has one result.",
    why="The history that the user's program sends next has two results of one call, which providers refuse.",
    source=_PROTOCOL,
    needs=("ag-ui",),
    scope="case",
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    wrong: {agui-result-twice: [A call has two results., over_agui, {agui_again: TOOL_CALL_RESULT}]}
    """,
)
def _result_once(view: TraceView) -> Iterator[Finding]:
    answered: set[str] = set()
    for at, record in _records(view):
        if record.type == "TOOL_CALL_START":
            answered.discard(record.id)
        elif record.type == "TOOL_CALL_RESULT":
            if record.id in answered:
                yield broken(at, f"one result of {record.id}", "another TOOL_CALL_RESULT")
            answered.add(record.id)

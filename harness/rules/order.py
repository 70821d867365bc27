"""What a loop reports of a tool call: that it begins, once, by which name, and that it has ended."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from harness.finding import Finding, broken
from harness.rules.contracts import CONTRACTS
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.returned import asks_anew
from harness.rules.trace_view import SCREENSHOT_TO_CODE, TraceView
from harness.rules.turns import Ask, LoopTurn, ReportedCall, ReportedTool
from harness.trace import Assistant, Event, EventRecord, Failure, Final, Thinking, ToolResult, ToolStart, TurnStart
from harness.trace.files import event_kind

_FLOW = "Agent Tool-Calling Flow, Tool Execution: the lifecycle of a tool call"
_STREAM = "Agent Tool-Calling Flow, Response Streaming to Frontend"
_SURVEY = "survey of agent loops on scripted model endpoints, November 2026"


def _tools(view: TraceView) -> Iterator[tuple[LoopTurn, ReportedTool]]:
    for turn in view.turns:
        for tool in turn.tools.values():
            yield turn, tool


@rule(
    "order/tool-start-once",
    "MUST",
    "unsafe",
    "A tool call is announced by exactly one toolStart.",
    why="A user interface opens one entry per toolStart; a second one shows a call that was never made.",
    source=_FLOW,
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.]}
    wrong: {start-twice: [The second call is announced twice., {repeat: ToolStart, which: 1}]}
    """,
)
def _start_once(view: TraceView) -> Iterator[Finding]:
    for turn, tool in _tools(view):
        for at, _ in tool.starts[1:]:
            yield broken(at, f"one toolStart for {tool.id}", f"{_nth(tool.starts, at)} toolStart in turn {turn.number}")


@rule(
    "order/tool-started",
    "MUST",
    "unsafe",
    "Every toolArguments, setCode and toolResult of a tool call has a toolStart.",
    why="A result without a start has no entry to go to and is lost.",
    source=_FLOW,
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.]}
    right: {start-never: [A loop that emits no toolStart needs none., {drop: ToolStart}, {drop: ToolStart}]}
    wrong: {start-missing: [The second call has no toolStart., {drop: ToolStart, which: 1}]}
    """,
)
def _missing_start(view: TraceView) -> Iterator[Finding]:
    if not view.emits(ToolStart):
        return
    for _, tool in _tools(view):
        if not tool.starts:
            at, event = _first_event(tool)
            yield broken(at, f"a toolStart for {tool.id}", f"{event_kind(event)} of a tool that was never started")


@rule(
    "order/tool-start-first",
    "MUST",
    "unsafe",
    "The toolStart of a call comes before its arguments, its first setCode and its toolResult.",
    why="A preview or a result that overtakes its start has no entry to go to.",
    source=_FLOW,
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    wrong: {code-before-start: [A code comes before the start., {early_code: <p>}]}
    """,
)
def _start_first(view: TraceView) -> Iterator[Finding]:
    for _, tool in _tools(view):
        at, event = _first_event(tool)
        if tool.starts and not isinstance(event, ToolStart):
            yield broken(at, f"toolStart of {tool.id} first", f"{event_kind(event)} before its toolStart")


def _first_event(tool: ReportedTool) -> tuple[int, Event]:
    """The first of all that is reported of a tool, and its place."""
    events: list[tuple[int, Event]] = [*tool.starts, *tool.arguments, *tool.codes, *tool.results]
    return min(events + [(at, preview) for at, _, preview in tool.previews])


@rule(
    "order/tool-result-once",
    "MUST",
    "unsafe",
    "A tool call has at most one toolResult.",
    why="A second result means that the tool ran twice, or that the user reads so.",
    source=_FLOW,
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.]}
    wrong: {result-twice: [The second call ends twice., {repeat: ToolResult, which: 1}]}
    """,
)
def _result_once(view: TraceView) -> Iterator[Finding]:
    for turn, tool in _tools(view):
        for at, _ in tool.results[1:]:
            got = f"{_nth(tool.results, at)} toolResult in turn {turn.number}"
            yield broken(at, f"one toolResult for {tool.id}", got)


@rule(
    "order/tool-result-reported",
    "MUST",
    "unsafe",
    "Every executed tool call is followed by its toolResult.",
    why="Without it the user sees a call that runs for ever.",
    source=_FLOW,
    aliases=("order/tool-result-told",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.]}
    right: {results-never: [A loop that emits no toolResult needs none., {drop: ToolResult}, {drop: ToolResult}]}
    wrong:
      result-missing: ['The second call has no toolResult, and its result was sent.', {drop: ToolResult, which: 1}]
    """,
)
def _result_reported(view: TraceView) -> Iterator[Finding]:
    """A call was executed if its code was set, or if the next request brings its result and nobody has cancelled it."""
    if not view.emits(ToolResult):
        return
    next_of = {answered.number: ask for answered, ask in view.continuations}
    for turn in view.turns:
        for call in turn.calls:
            tool, following = call.tool, next_of.get(call.ask.number)
            if tool is not None and tool.results:
                continue
            shown_at = tool.ran_at if tool is not None else None
            at = shown_at
            if at is None and following is not None and _is_answered(view, call, following):
                at = following.at
            if at is not None:
                why = "its code was set" if shown_at is not None else "the next request went out"
                got = f"{_none_of_its_own(turn, call)}, though {why}"
                yield broken(at, f"a toolResult for {_id(call.call.id)} ({call.call.name})", got)


def _is_answered(view: TraceView, call: ReportedCall, following: Ask) -> bool:
    """Whether the request that goes on shows that the call was executed. That it has the result is for
    ``history/results`` to see; only where the caller may have left the turn out, the call need not be there at all."""
    if not call.ask.runnable or view.was_left(call.ask, following) or asks_anew(view, call.ask):
        return False
    if not view.edited(call.ask) or following.full is None:
        return True
    return any(result.id and result.id == call.call.id for each in following.full.messages for result in each.results)


def _none_of_its_own(turn: LoopTurn, call: ReportedCall) -> str:
    """What was reported in its place, where the model gave its id to another call too."""
    namesake = turn.tools.get(call.call.id or "") if call.tool is None else None
    results = len(namesake.results) if namesake is not None else 0
    return f"none of its own ({results} reported under that id, which another call has too)" if results else "none"


@rule(
    "order/tool-id",
    "MUST",
    "unsafe",
    "Tool events carry the ids of calls that the model made; an invented id only where the model sent none or one "
    "twice.",
    why="The id is what ties a message to a call; under another one, a call that was never made is shown.",
    source=_FLOW,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{call: depth, id: '', with: {basin: n}}, {call: tide, id: '', with: {basin: s}}], Yes.]}
    right: {ids-of-its-own: 'Where the model sends no ids, a loop makes them up.'}
    wrong:
      ids-of-its-own-too-many: ['Of calls without ids there were two, and three are reported.',
          {emit: [ToolResult, -1, {ToolStart: x, name: enter}], behind: true}]
    """,
)
def _tool_id(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        if not turn.sound:
            continue
        matched = {call.tool.id for call in turn.calls if call.tool is not None}
        own = [call.call.id for call in turn.calls if call.call.id and call.tool is None]
        for tool in turn.tools.values():
            if tool.id not in matched:
                made = ", ".join(_id(call.call.id) for call in turn.calls) or "none"
                expected = f"a call of the model ({made})" if not own else f"the id {own[0]}"
                yield broken(_first_place(tool), expected, f"a tool reported under the id {tool.id}")


def _first_place(tool: ReportedTool) -> int:
    return tool.starts[0][0] if tool.starts else _first_event(tool)[0]


@rule(
    "order/tool-name",
    "MUST",
    "unsafe",
    "toolStart and toolResult name the tool that the model called.",
    why="A user who approves or reviews calls must read the name of what runs.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.]}
    wrong: {name-of-result-other: [A result with the name of another tool., {alter: ToolResult, name: enter}]}
    """,
)
def _tool_name(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is None or not call.ask.sound:
                continue
            events: list[tuple[int, ToolStart | ToolResult]] = [*call.tool.starts, *call.tool.results]
            for at, event in events:
                if call.call.name and event.name != call.call.name:
                    got = f"{event_kind(event)} names it {event.name!r}"
                    yield broken(at, f"{call.tool.id} is a call of {call.call.name!r}", got)


@rule(
    "order/tool-ids-fresh",
    "MUST",
    "unsafe",
    "A tool id that was reported in one turn is not reported again in a later one.",
    why="State kept by tool id (preview lengths, entries on a screen) would leak from one call into another.",
    source=_SURVEY + " (a loop skips previews of a reused id)",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [Let me look.,
        {call: tide, with: {basin: north}}], Yes.]}
    wrong:
      id-of-an-earlier-turn: [A call is reported under the id of an earlier turn's.,
          {alter: ToolStart, which: 1, id: a}, {alter: ToolResult, which: 1, id: a}, {alter: ToolStart, id: a},
          {alter: ToolResult, id: a}]
    """,
)
def _tool_ids_fresh(view: TraceView) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for turn, tool in _tools(view):
        earlier = seen.setdefault(tool.id, turn.number)
        if earlier != turn.number:
            yield broken(
                _first_place(tool), f"an id not used before turn {turn.number}", f"{tool.id} of turn {earlier}"
            )


@rule(
    "order/call-order",
    "SHOULD",
    "style",
    "Where calls run one after another, their toolResults are emitted in the order of the calls.",
    why="Another order makes two runs of the same conversation look different.",
    source=_SURVEY,
    needs=("events", "exchanges"),
    profiles=tuple([name for name, contract in CONTRACTS.items() if contract.execution == "in-order"]),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}},
        {call: enter, with: {basin: north}}], Yes.], case: {profile: tool-runner}}
    right: {calls-in-order: Three calls in order.}
    wrong:
      calls-swapped: [The last two end in the other order., {moved: ToolResult, which: 2, to: ToolResult,
          to_which: 1}]
    """,
)
def _call_order(view: TraceView) -> Iterator[Finding]:
    """Only calls that the loop runs by itself: output calls come first, and others wait for somebody."""
    for turn in view.turns:
        ended = [
            (call.tool.results[0][0], call.tool.id)
            for call in turn.calls
            if call.tool is not None and call.tool.results and view.kind(call) == "function"
        ]
        for (at, id), (last_at, last) in zip(ended, accumulate(ended, max), strict=True):
            if at < last_at:
                yield broken(at, f"the toolResult of {last} before that of {id}, as they were called", f"{id} first")


@rule(
    "order/deltas-first",
    "MUST",
    "style",
    "The text and thinking of a turn are emitted before the first toolResult of that turn.",
    why="The design runs tools after the model's turn has ended; an early start and previews may come in between.",
    source=_STREAM + ": the typical sequence of a turn",
    profiles=(SCREENSHOT_TO_CODE,),
    proof="""
    run: {turns: [[{ThinkingPart: Hm.}, Let me look., {call: depth, with: {basin: n}}], Yes.],
        case: {profile: screenshot-to-code}}
    right:
      text-behind-start: [An early start may come before the text., {moved: ToolStart, which: 0, to: Assistant,
          to_which: 0}]
    wrong:
      both-behind-result: ['Thinking and text do: one finding.', {moved: ToolStart, which: 0, to: Thinking,
          to_which: 0}, {moved: ToolResult, which: 0, to: Thinking, to_which: 0}]
    """,
)
def _deltas_first(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        ended: tuple[int, str] | None = None
        for at, record in turn.events:
            event = record.event
            if isinstance(event, ToolResult):
                ended = ended or (at, event.id)
            elif ended is not None and isinstance(event, Assistant | Thinking):
                expected = f"all of turn {turn.number}'s text and thinking before its first toolResult"
                yield broken(at, expected, f"{event_kind(event)} after the toolResult of {ended[1]}")
                break


def _nth(events: list[tuple[int, ToolStart]] | list[tuple[int, ToolResult]], at: int) -> str:
    place = [place for place, _ in events].index(at) + 1
    return {2: "a second", 3: "a third"}.get(place, f"a {place}th")


def _id(call_id: str | None) -> str:
    return call_id or quote("")


# --- the run: its turns counted, one end, and nothing after it -----------------------------------------------

# A run that waits for an approval or for a result from elsewhere says so with ``final`` and outcome ``deferred``.
# That is an end only while nobody resumes it.

_FINALIZATION = "Agent Tool-Calling Flow, Finalization"


@rule(
    "order/nothing-after-end",
    "MUST",
    "unsafe",
    "After final or error the loop emits no event and sends no request; after final 'deferred' the run may go on.",
    why="The receiver has closed the channel: later events are lost, and later requests cost money without a use.",
    source=_FINALIZATION,
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    wrong: {request-after-end: [A request after the end., {moved: Final, which: 0, to: TurnStart, to_which: 1}]}
    """,
)
def _nothing_after_end(view: TraceView) -> Iterator[Finding]:
    if view.end is None:
        return
    end_at, end = view.end
    asked = {ask.at for ask in view.asks}
    for at, record in enumerate(view.trace.records[end_at + 1 :], end_at + 1):
        if isinstance(record, EventRecord) and not isinstance(record.event, Final | Failure):
            got = event_kind(record.event)
        elif at in asked:
            got = "another request to the model"
        else:
            continue
        yield broken(at, f"nothing after {event_kind(end)}", got)
        return


@rule(
    "order/one-end",
    "MUST",
    "unsafe",
    "A run ends with exactly one final or error. While calls wait, it emits final 'deferred' each time it stops.",
    why="Without an end the user waits for ever; with two, one of them is wrong.",
    source=_FINALIZATION,
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right: {no-end: [The run has no end., {drop: Final}]}
    wrong: {two-ends: [Two finals., {repeat: Final}]}
    """,
)
def _one_end(view: TraceView) -> Iterator[Finding]:
    first = view.end
    if first is not None:
        later = [*view.ends[1:], *(waits for waits in view.deferrals if waits[0] > first[0])]
        for at, end in later:
            yield broken(at, f"one end: {event_kind(first[1])}", f"a second end: {event_kind(end)}")
    elif view.emits(Final, Failure) and not _waits(view):
        yield broken(len(view.trace.records) - 1, "final or error as the last event", "neither of them")


def _waits(view: TraceView) -> bool:
    """Whether the run was left waiting: the model was asked nothing after the event that reports it."""
    return bool(view.deferrals) and not (view.asks and view.asks[-1].at > view.deferrals[-1][0])


@rule(
    "order/turn-count",
    "MUST",
    "style",
    "turnStart counts 1, 2, 3 and so on.",
    why="The turn number is what limits and reports refer to.",
    source="Agent Tool-Calling Flow, Core Tool-Calling Loop",
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [Let me look.,
        {call: tide, with: {basin: north}}], Yes.]}
    right: {turns-untold: [A loop that counts no turns., {drop: TurnStart}, {drop: TurnStart}, {drop: TurnStart}]}
    wrong: {turns-from-zero: [The first turn is 0., {alter: TurnStart, turn: 0}]}
    """,
)
def _turn_count(view: TraceView) -> Iterator[Finding]:
    for number, (at, start) in enumerate(view.emitted(TurnStart), 1):
        if start.turn != number:
            yield broken(at, f"turnStart {number}", f"turnStart {start.turn}")
            return

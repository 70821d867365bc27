"""What a loop reports of the calls that it runs and of the run: no other input, no other result, no other sum.

``output`` and ``input`` are summaries for a user, so only what contradicts the call is found, and an output that says
nothing of a result. What a loop does not report at all is not expected of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.finding import Finding, broken
from harness.rules.arguments import members, same_number
from harness.rules.emptiness import says_nothing
from harness.rules.evidence import json_difference, json_words
from harness.rules.model import rule
from harness.rules.run_evidence import answers, call_words
from harness.rules.run_result import RETURNED, what_returns
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import JsonValue, SocketRecord, ToolResult, ToolStart
from harness.wire.results import is_distinct

_RESULT = "Agent Tool-Calling Flow, Tool Execution: toolResult has the tool's name, output and ok"
_START = "Agent Tool-Calling Flow, Tool Execution: toolStart has a summary of the call's input"


def _ended_calls(view: TraceView) -> Iterator[tuple[ReportedCall, int, ToolResult]]:
    """The calls that the loop reports as ended, each with its last result."""
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is not None and call.tool.results and view.kind(call) == "function":
                yield (call, *call.tool.results[-1])


@rule(
    "reported/output",
    "SHOULD",
    "unsafe",
    "The output of a toolResult says what the tool returned: it is not empty where the tool returned something, "
    "nor what another tool of the turn returned; of a member it shows the value, or its beginning.",
    why="The user sees another result than the model, and cannot notice what the agent does wrong.",
    source=_RESULT,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], Yes.], outputs: {depth: {metres: 9}}}
    wrong:
      nothing-for-a-value: ['Nothing, where an object with a value went back.', {alter: ToolResult, output: null}]
    """,
)
def _output(view: TraceView) -> Iterator[Finding]:
    for call, at, result in _ended_calls(view):
        if result.ok is False or result.name != call.call.name:
            continue
        # Where nobody says whether it is ok, it may be the empty output of a failure.
        if result.ok and _has_returned(view, call) and result.output in (None, "", {}, []):
            yield broken(at, f"{call_words(call)} with what the tool returned", f"output {json_words(result.output)}")
        elif (found := _contradiction(view, call, _as_value(result.output))) is not None:
            yield broken(at, f"{call_words(call)} with {found[0]}", found[1])


def _has_returned(view: TraceView, call: ReportedCall) -> bool:
    """Whether the tool is known to have returned something: by the scenario, or by the object that went back of it."""
    if call.call.name in view.case.returns:
        return is_distinct(view.case.returns[call.call.name])
    answer = answers(view, call.ask).get(call.index)
    sent = members(answer.result.output) if answer is not None else None
    return not any(map(says_nothing, sent.values())) if sent else False


def _contradiction(view: TraceView, call: ReportedCall, output: JsonValue) -> tuple[str, str] | None:
    """What an output says otherwise than the tool: the return of another call, or another value of a member."""
    returns = view.case.returns
    value = returns.get(call.call.name)
    if value is None or output == value:
        return None
    for other in call.ask.calls:
        if is_distinct(returns.get(other.name)) and output == returns[other.name]:
            expected, got = json_difference(value, output)
            return expected, f"what {other.name} returned: {got}"
    if isinstance(value, dict) and isinstance(output, dict):
        for name, each in output.items():
            if name in value and _differ(value[name], each):
                expected, got = json_difference(value[name], each)
                return f"{name!r} as the tool returned it: {expected}", got
    return None


def _as_value(output: JsonValue) -> JsonValue:
    """The output; of a text that is a JSON object that object, since a protocol may have texts only."""
    value = members(output) if isinstance(output, str) and output.startswith("{") else None
    return output if value is None else value


def _differ(value: JsonValue, shown: JsonValue) -> bool:
    """Whether two plain values of one kind are not the same; a text may be a beginning."""
    if isinstance(value, str) and isinstance(shown, str):
        return not value.startswith(shown.rstrip(".… "))
    plain = bool | int | float
    same_kind = isinstance(value, bool) is isinstance(shown, bool)
    return isinstance(value, plain) and isinstance(shown, plain) and same_kind and not same_number(value, shown)


@rule(
    "reported/ok",
    "MUST",
    "unsafe",
    "A call of a tool that raises an error is not reported as ok.",
    why="The user believes that something was done which was not.",
    source=_RESULT,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{call: depth, with: {basin: north, hour: 11, safe: true}},
        {call: tide, with: {basin: south, hour: 12, safe: false}}], Yes.], failing: [depth],
        case: {raises: [depth]}}
    right: {failure-reported: A tool that raises is reported as failed.}
    wrong: {failure-reported-as-ok: [It is reported as ok., {alter: ToolResult, ok: true}]}
    """,
)
def _ok(view: TraceView) -> Iterator[Finding]:
    for call, at, result in _ended_calls(view):
        if result.ok and call.call.name in view.case.raises:
            yield broken(at, f"{call_words(call)} as failed, since the tool raises an error", "ok")


@rule(
    "reported/input",
    "MUST",
    "unsafe",
    "What a toolStart shows of a call are not the arguments of another call of the turn, and its numbers and truth "
    "values are those that the model wrote.",
    why="The user approves of, or watches, a call that is not made.",
    source=_START,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: 1}},
        {call: tide, id: call_2, with: {basin: 2}}], Yes.]}
    right:
      input-of-a-twin: [Two calls with the same arguments., {run: {turns: [[{call: depth, with: {hour: 1}},
          {call: tide, with: {hour: 1}}], Yes.]}}]
    wrong:
      second-input-other: [Of the second call another number is shown., {alter: ToolStart, which: 1,
          input: {basin: 3}}]
    """,
)
def _input(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            start = _start(call)
            made = members(call.call.arguments)
            if start is None or made is None or not isinstance(shown := start[1].input, dict):
                continue
            if (found := _other_input(call, made, shown)) is not None:
                yield broken(start[0], f"{call_words(call)} with {found[0]}", found[1])


def _start(call: ReportedCall) -> tuple[int, ToolStart] | None:
    if call.tool is None or not call.tool.starts or call.tool.starts[0][1].name != call.call.name:
        return None
    return call.tool.starts[0]


def _other_input(call: ReportedCall, made: Mapping[str, Any], shown: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    for other in call.ask.calls:
        if shown and shown == members(other.arguments) != made:
            expected, got = json_difference(dict(made), dict(shown))
            return expected, f"the arguments of another call: {got}"
    for name, each in shown.items():
        if name in made and not isinstance(made[name], str) and _differ(made[name], each):
            expected, got = json_difference(made[name], each)
            return f"{name!r} as the model wrote it: {expected}", got
    return None


# --- the run ------------------------------------------------------------------------------------------------


@rule(
    "reported/usage",
    "SHOULD",
    "unsafe",
    "The usage that a run returns is the sum over its answers: tokens of input and output, and, where it has them, "
    "of reasoning, cached ones, and the number of requests. Answers that broke may be left out. Those of reasoning "
    "are counted in the output and cached ones in the input; where a usage does not say them, also beside these.",
    why="Costs are billed and limited by this number.",
    source=RETURNED,
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    wires: [openai-responses]
    run: {turns: [{parts: [{call: depth, with: {basin: n}}], usage: {Usage: 100, output: 20, reasoning: 5,
        cached: 10}}, {parts: [Yes.], usage: {Usage: 200, output: 30}}]}
    right: {usage-list: [What is no object is no usage., {alter: Final, usage: [300, 50]}]}
    wrong: {usage-low: [One token less than that., {alter: Final, usage: {input: 289, output: 44}}]}
    """,
)
def _usage(view: TraceView) -> Iterator[Finding]:
    final = what_returns(view)
    if final is None or not isinstance(final[1].usage, Mapping):
        return
    at, event = final
    assert isinstance(event.usage, Mapping)  # noqa: S101 - looked at above
    for name, what in _COUNTED.items():
        reported = event.usage.get(name)
        if not isinstance(reported, int):
            continue
        low, high = _bounds(view, name, event.usage)
        if view.places is not None:  # there are other conversations, and the run may count what they have used, too
            high = max(high, reported)
        if not low <= reported <= high:
            expected = f"{low}" if low == high else f"{low} to {high}"
            yield broken(at, f"{expected} {what}", f"{reported}")


_COUNTED = {
    "input": "tokens of input, the sum over the answers",
    "output": "tokens of output, the sum over the answers",
    "reasoning": "tokens of reasoning, the sum over the answers",
    "cached": "cached tokens, the sum over the answers",
    "requests": "requests, as many as were sent",
}
"""The members of a usage, and what each counts."""

_COUNTED_BESIDE = {"input": "cached", "output": "reasoning"}
"""Tokens that a loop may count within another member, or beside it, if it does not report their number.
"""


def _bounds(view: TraceView, name: str, usage_reported: Mapping[str, JsonValue]) -> tuple[int, int]:
    """The least and the most that a loop may have added up: broken answers may count, and cached tokens twice.

    A request for which no connection could be opened may count, too.
    """
    asks = view.asks
    if name == "requests":
        unsent = sum(each.did == "refuse" for _, each in view.trace.every(SocketRecord))
        return sum(ask.sound for ask in asks), len(asks) + unsent
    usages = [(ask.sound, ask.reply.turn.usage) for ask in asks if ask.reply is not None]
    low = sum(getattr(usage, name) for sound, usage in usages if sound)
    other = _COUNTED_BESIDE.get(name)
    beside = sum(getattr(usage, other) for _, usage in usages) if other and other not in usage_reported else 0
    high = sum(getattr(usage, name) for _, usage in usages) + beside
    return max(0, low - beside), high

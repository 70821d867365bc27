"""What a scenario expects of calls: the tools that requests declare, what the user is shown, and what goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from harness.finding import Finding
from harness.scenario.missed import number_of, unmet
from harness.scenario.model import Expect, OfferedExpect, ReportedExpect, ResultExpect, ValueExpect
from harness.scenario.placeholders import as_text
from harness.scenario.run_values import result_of
from harness.scenario.texts import times_in
from harness.scenario.tool_runs import read_request
from harness.scenario.words import shown
from harness.trace import MAIN, Exchange, JsonValue, ToolResult, ToolStart, Trace
from harness.wire import Call, Conversation, Result, WireName, wire, wire_names
from harness.wire.carried import carries


def of_calls(
    expect: Expect, trace: Trace, histories: Mapping[int, Conversation], made: Sequence[Call]
) -> Iterator[Finding]:
    """Findings for expectations in ``offered``, ``reported`` and ``results`` that ``trace`` does not meet.

    ``histories`` as in ``compare``. ``made`` are the calls of the model.
    """
    read = _reader(trace, histories)
    for each in expect.offered:
        yield from _offer_findings(each, trace, read)
    if expect.reported and _emits(trace, "toolResult"):
        yield from _report_findings(expect.reported, trace)
    for expected in expect.results:
        yield from _result(expected, expect.results, trace, read, made)


_Read = Callable[[Exchange], Conversation | None]


def _reader(trace: Trace, histories: Mapping[int, Conversation]) -> _Read:
    """A function that reads each request once. It returns None for a request that cannot be read."""
    known: dict[int, Conversation | None] = {}

    def read(exchange: Exchange) -> Conversation | None:
        number = exchange.request.exchange
        if number not in known:
            known[number] = histories.get(number) or read_request(trace, exchange)
        return known[number]

    return read


def _emits(trace: Trace, kind: str) -> bool:
    return trace.case.emits is None or kind in trace.case.emits


# --- tools that are declared ----------------------------------------------------------------------------------


def _offer_findings(expected: OfferedExpect, trace: Trace, read: _Read) -> Iterator[Finding]:
    if trace.case.wire in wire_names() and not wire(trace.case.wire).declares_tools:
        return
    if expected.request > len(trace.served):
        got = f"{number_of(len(trace.served), 'request')} in all"
        yield unmet("offered", f"request {expected.request}", got)
        return
    exchange = trace.served[expected.request - 1]
    conversation = read(exchange)
    names = [tool.name for tool in conversation.tools] if conversation is not None else []
    got = f"the tools {', '.join(names)}" if names else "no tools"
    if missing := [name for name in expected.tools if name not in names]:
        yield unmet("offered", f"request {expected.request} with {_tools(missing)}", got, exchange.request_at)
    if surplus := [name for name in expected.lacks if name in names]:
        yield unmet("offered", f"request {expected.request} without {_tools(surplus)}", got, exchange.request_at)


def _tools(names: Sequence[str]) -> str:
    return f"the tool{'' if len(names) == 1 else 's'} {', '.join(names)}"


# --- what the user is shown -----------------------------------------------------------------------------------


def _report_findings(expected: Sequence[ReportedExpect], trace: Trace) -> Iterator[Finding]:
    results: dict[str, list[tuple[int, ToolResult]]] = {}
    starts: dict[str, tuple[int, ToolStart]] = {}
    for at, record in trace.events:
        if record.conversation != MAIN:
            continue
        if isinstance(record.event, ToolStart):
            starts.setdefault(record.event.id, (at, record.event))
        elif isinstance(record.event, ToolResult):
            results.setdefault(record.event.name, []).append((at, record.event))
    for each in expected:
        came = results.get(each.tool, [])
        if len(came) < each.nth:
            yield unmet("reported", f"toolResult {each.nth} of {each.tool}", f"{len(came)} of them")
            continue
        at, event = came[each.nth - 1]
        yield from _shown_result(each, at, event)
        if each.input is not None and _emits(trace, "toolStart"):
            yield from _shown_input(each, each.input, starts.get(event.id))


def _shown_result(expected: ReportedExpect, at: int, event: ToolResult) -> Iterator[Finding]:
    what = f"toolResult {expected.nth} of {expected.tool}"
    if expected.ok is not None and event.ok is not None and event.ok is not expected.ok:
        yield unmet("reported", f"{what} {_ok(expected.ok)}", _ok(event.ok), at)
    if expected.output is not None:
        for words in _breaches(expected.output, event.output):
            yield unmet("reported", f"{what} with output {words}", shown(event.output), at)


def _ok(ok: bool) -> str:
    return "ok" if ok else "failed"


def _shown_input(
    expected: ReportedExpect, wanted: ValueExpect, start: tuple[int, ToolStart] | None
) -> Iterator[Finding]:
    what = f"toolStart of toolResult {expected.nth} of {expected.tool}"
    if start is None:
        yield unmet("reported", what, "no toolStart with its id")
        return
    for words in _breaches(wanted, start[1].input):
        yield unmet("reported", f"{what} with input {words}", shown(start[1].input), start[0])


def _breaches(expected: ValueExpect, value: JsonValue) -> Iterator[str]:
    """The ways in which a value does not meet the expectation, in words."""
    yield from (shown(each) for each in expected.equals if not _is_same(each, value))
    if expected.members and not has_members(value, expected.members):
        yield f"that has {shown(dict(expected.members))}"
    yield from _wrong_words(expected, as_text(value))


def _is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are one JSON value: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(each, other[name]) for name, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other


def has_members(value: JsonValue, wanted: JsonValue | Mapping[str, JsonValue]) -> bool:
    """Whether a value is the wanted one. An object may have more members, and may lack members that must be null."""
    if isinstance(wanted, Mapping):
        members = value if isinstance(value, dict) else {}
        return all(has_members(members.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(has_members, value, wanted))
    return _is_same(wanted, value)


def _wrong_words(expected: ValueExpect, text: str) -> Iterator[str]:
    yield from (f"that contains {shown(each)}" for each in expected.contains if not times_in(text, each))
    yield from (f"without {shown(each)}" for each in expected.lacks if times_in(text, each))


# --- what goes back -------------------------------------------------------------------------------------------


def _result(
    expected: ResultExpect, all_expected: Sequence[ResultExpect], trace: Trace, read: _Read, made: Sequence[Call]
) -> Iterator[Finding]:
    """Compare the result of a call in the first request that has it."""
    what = f"the result of call {expected.call} ({expected.tool})"
    for exchange in trace.served:
        conversation = read(exchange)
        if conversation is None:
            continue
        result = result_of(made, expected.call, conversation.messages)
        if result is not None:
            failed = not _ran(trace, exchange, result) if expected.failed == "unless_ran" else expected.failed
            for wanted, got in _wrong_result(expected, failed, all_expected, result, conversation.wire):
                yield unmet("results", f"{what} {wanted}", got, exchange.request_at)
            return
    got = "none" if expected.call <= len(made) else f"{number_of(len(made), 'call')} of the model in all"
    yield unmet("results", f"{what} in a request", got)


def _ran(trace: Trace, before: Exchange, result: Result) -> bool:
    """Whether the trace reports, before the request, that the call of a result has run and succeeded."""
    events = (record.event for at, record in trace.events if at < before.request_at)
    return any(isinstance(event, ToolResult) and event.id == result.id and event.ok for event in events)


def _wrong_result(
    expected: ResultExpect,
    failed: bool | None,
    all_expected: Sequence[ResultExpect],
    result: Result,
    name: WireName,
) -> Iterator[tuple[str, str]]:
    """Each unmet expectation of a result, and what the result is instead, in words."""
    got = f"{_that_of_another(all_expected, result)}{shown(result.output)}"
    yield from ((f"as {shown(each)}", got) for each in expected.value.equals if not carries(result, each))
    yield from ((words, got) for words in _wrong_words(expected.value, result.output))
    is_asked = failed is not None and wire(name).marks_failures
    if is_asked and result.is_error is not failed:
        yield _mark_words(not result.is_error), _mark_words(result.is_error)


def _mark_words(is_error: bool) -> str:
    return "marked as a failure" if is_error else "not marked as a failure"


def _that_of_another(all_expected: Sequence[ResultExpect], result: Result) -> str:
    """The other call whose expected result this is, in words; empty if there is none."""
    call = next((each.call for each in all_expected if _is_met(each.value, result)), None)
    return "" if call is None else f"that of call {call}: "


def _is_met(expected: ValueExpect, result: Result) -> bool:
    """Whether the result is as expected, by more than the absence of texts."""
    asked = bool(expected.equals or expected.contains)
    carried = all(carries(result, each) for each in expected.equals)
    return asked and carried and not any(True for _ in _wrong_words(expected, result.output))

"""Which tools a loop has run, by the events of a trace and the results in its requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.ground.bounded_json import loads
from harness.scenario.model import ToolRun
from harness.scenario.words import shown
from harness.trace import Exchange, JsonValue, SetCode, ToolResult, ToolStart, Trace
from harness.wire import Call, Conversation, Result, UnreadableRequest, wire, wire_names
from harness.wire.results import answered, is_distinct, reports_success, says


@dataclass(frozen=True, slots=True)
class SeenRun:
    """A run of ``tool`` that record ``at`` shows, in words (``sign``).

    ``arguments`` None: on what it was run is not known. ``certain``: the record cannot be read as a refusal to run it.
    """

    tool: str
    arguments: JsonValue
    at: int
    sign: str
    certain: bool

    def is_of(self, run: ToolRun) -> bool:
        """Whether it is certain that this is the expected run."""
        return self.certain and self.tool == run.tool and run.arguments in (None, self.arguments)

    def may_be_of(self, run: ToolRun) -> bool:
        """Whether this could be the expected run."""
        known = run.arguments is None or self.arguments in (None, run.arguments)
        return self.tool == run.tool and known


def seen_runs(trace: Trace, histories: Mapping[int, Conversation]) -> list[SeenRun]:
    """Every run that the trace shows. ``histories``, by exchange, are of requests that name earlier turns."""
    record = list(_reported_runs(trace))
    of_tools = any(isinstance(each.event, ToolStart | ToolResult | SetCode) for _, each in trace.events)
    return [*record, *_answered_runs(trace, histories, of_tools=of_tools)]


def _reported_runs(trace: Trace) -> Iterator[SeenRun]:
    """Yield the runs that the loop, or the harness for it, has emitted: calls that set code, or that succeeded."""
    starts: dict[str, ToolStart] = {}
    for at, record in trace.events:
        match record.event:
            case ToolStart(id) as start:
                starts[id] = start
            case ToolResult(id, name, ok=True):
                shown_input = starts[id].input if id in starts else None
                used = "" if shown_input is None else f" with {shown(shown_input)}"
                yield SeenRun(name, shown_input, at, f"{name} ran{used}", certain=True)
            case SetCode(_, str(id), preview=False) if id in starts:
                yield SeenRun(starts[id].name, starts[id].input, at, f"{starts[id].name} set code", certain=True)


def _answered_runs(trace: Trace, histories: Mapping[int, Conversation], *, of_tools: bool) -> Iterator[SeenRun]:
    """Calls whose results stand in a request, but for those that are marked as errors.

    Where the trace has events of tools, or it is known what the tool returns, a run without an event is certain only
    where the result says that: what else stands there may be the loop's word for a call that it has left out.
    """
    seen: list[tuple[Call, Result]] = []
    for exchange in trace.served:
        conversation = histories.get(exchange.request.exchange) or read_request(trace, exchange)
        for call, result in answered(conversation.messages) if conversation is not None else ():
            if result.is_error or (call, result) in seen:
                continue
            seen.append((call, result))
            returns = trace.case.returns.get(call.name)
            distinct = is_distinct(returns)
            known = distinct and says(result, returns)
            sign = f"the result of {call.name} is {shown(result.output)}"
            certain = known or (not of_tools and not distinct and reports_success(result))
            yield SeenRun(call.name, _value(call.arguments), exchange.request_at, sign, certain)


def read_request(trace: Trace, exchange: Exchange) -> Conversation | None:
    """A request of the trace as its wire reads it; None where that cannot be done."""
    if trace.case.wire not in wire_names():
        return None
    speaker = wire(trace.case.wire)
    route = speaker.route(exchange.request.method, exchange.request.path)
    if route is None:
        return None
    try:
        return speaker.read(route, exchange.request.body, exchange.request.headers)
    except UnreadableRequest:
        return None


def _value(arguments: str) -> JsonValue:
    try:
        value: JsonValue = loads(arguments.strip() or "{}")
    except ValueError:
        return arguments
    return value

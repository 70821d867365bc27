"""What a driver must get right, and how a trace of a calibration case shows that it does not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

from harness.rules import TraceView, judge
from harness.runner.calibration.cases import RETURNED
from harness.runner.execute import Finished
from harness.runner.findings import asked_wire
from harness.scenario import Scenario
from harness.trace import MAIN, RAISED, EventRecord, Failure, JsonValue, RequestRecord, Trace
from harness.trace.kinds import event_kind
from harness.wire import Message, WireName, recognise, wire

__all__ = ["CHECKS", "Check", "Flaw", "Ran", "checks_of", "flaws"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a driver must get right.

    ``rules`` are the rules and expectations whose verdict depends on it; where it is wrong they are not judged.
    """

    id: str
    states: str
    remedy: str
    rules: tuple[str, ...] = ()


_ORDER: Final = (
    "order/tool-start-once",
    "order/tool-started",
    "order/tool-start-first",
    "order/tool-result-once",
    "order/tool-result-reported",
    "order/tool-id",
    "order/tool-name",
    "order/nothing-after-end",
    "order/one-end",
    "order/turn-count",
)

_ALL: Final = (
    Check(
        "driver/wire",
        "the loop sends its requests on the wire of the case",
        "use the client that 'case.wire' names, or say what the loop speaks: 'wires' in the target file, or --wire",
    ),
    Check(
        "driver/request",
        "the loop sends requests to the endpoint",
        "give the client of the loop 'case.base_url' and 'case.api_key'",
    ),
    Check(
        "driver/protocol",
        "the driver keeps to the protocol: its process lives on, and what it emits are known events",
        "correct what the driver emits (docs/own-loop.md lists the events, their members and their words)",
    ),
    Check(
        "driver/answer",
        "a simple case ends without an error",
        "run the driver alone on this case; its error is under 'got'",
    ),
    Check(
        "driver/prompt",
        "the request has the whole prompt of the case: its system prompt, if it has one, and what the user says",
        "send every pair of 'case.prompt' with its role, and take none of them for the system prompt by its place",
        ("expect/sent", "ANT-12"),
    ),
    Check(
        "driver/tools",
        "the request offers the tools of the case with their schemas",
        "hand the 'name', 'description' and 'parameters' of each tool of 'case.callables' to the loop",
        (
            "expect/sent",
            "expect/turns",
            "expect/requests",
            "expect/events",
            "history/result-error",
            "retry/tool",
            "execution/arguments",
        ),
    ),
    Check(
        "driver/results",
        "what a tool returns is in the next request, as JSON",
        "give the loop what the call of the tool returns, as JSON (json.dumps, JSON.stringify), not as repr or str",
        ("expect/sent",),
    ),
    Check(
        "driver/stream",
        "the request asks for a stream if, and only if, the case does",
        "ask as 'case.stream' says, or declare what the loop can do: capabilities [non-streaming], or [streaming]",
    ),
    Check(
        "driver/text-id",
        "all pieces of a turn's text are emitted under one id, and each turn has an id of its own",
        "make the id when a turn begins, not for every piece: Assistant(text, id=f'text-{turn}')",
        ("stream/one-id", "stream/fresh-id", "expect/events"),
    ),
    Check(
        "driver/text",
        "the text that is emitted is the text that the model sent",
        "emit each piece of text once, as it comes, and not the whole text again at the end",
        ("stream/text", "expect/events"),
    ),
    Check(
        "driver/events",
        "events come in order: turns counted from 1, toolStart before toolResult, one end and nothing behind it",
        "emit each event once, when it happens, under the id and the name of the model's call",
        ("expect/events", *_ORDER),
    ),
    Check(
        "driver/kind",
        "an HTTP error that ends the run is emitted as an error of kind 'http', or 'raised' where only a text is known",
        "raise what the client raises, or emit Failure('http', ...); 'raised' matches every kind",
        ("expect/error", "expect/events"),
    ),
)

CHECKS: Final[Mapping[str, Check]] = {check.id: check for check in _ALL}
"""Every check, by its id, in the order in which they are reported."""

_BY_RULE: Final[Mapping[str, str]] = {
    "stream/one-id": "driver/text-id",
    "stream/fresh-id": "driver/text-id",
    "stream/text": "driver/text",
    **dict.fromkeys(_ORDER, "driver/events"),
}
"""Rules that only look at what the driver emits: on a known-good case, what they find is the driver's."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A check that a case has failed. INFO: somebody may want it so, and no verdict depends on it."""

    check: str
    expected: str
    got: str
    level: Literal["MUST", "INFO"] = "MUST"


@dataclass(frozen=True)
class Ran:
    """A calibration case that has been run."""

    scenario: Scenario
    finished: Finished

    @property
    def wire(self) -> WireName:
        """The wire of the case."""
        return self.finished.result.wire

    @property
    def error(self) -> str:
        """Why it could not be run to its end; empty where it could."""
        return self.finished.result.error or ""

    @cached_property
    def view(self) -> TraceView:
        """Its main conversation: what a loop asks on the side is no business of the driver.

        Where the endpoint found none, because the prompt is not sent as it is: all that was asked, if on one wire only.
        """
        trace = self.finished.trace
        main = TraceView(trace)
        return main if main.asks or _wires(trace) != {self.wire} else TraceView(_as_one(trace))

    @cached_property
    def emitted_view(self) -> TraceView:
        """The same with the driver's own events only.

        Runs of tools that the harness has recorded in the place of a loop which does not report them are not the
        driver's: a tool that has run twice was run twice by the loop. (A loop that reports them itself is not
        distinguished from its driver.)
        """
        trace = self.view.trace
        own = [each for each in trace.records if not (isinstance(each, EventRecord) and _is_observed(each, trace))]
        return self.view if len(own) == len(trace.records) else TraceView(Trace(trace.case, tuple(own)))

    @property
    def spoken(self) -> bool:
        """Whether a request came on the wire of the case."""
        return bool(self.view.asks)

    @property
    def asked(self) -> str:
        """What the first request was (``asked_wire``), of the main conversation if there is one; empty: none."""
        trace = self.finished.trace
        exchanges = trace.main.exchanges or trace.exchanges
        return asked_wire(exchanges[0].request) if exchanges else ""

    @property
    def asked_wire(self) -> str:
        """The same with the wire first: ``openai-chat (POST /v1/chat/completions)``."""
        request, _, spoken = self.asked.rpartition(" (")
        return f"{spoken.removesuffix(')')} ({request})"

    @property
    def history(self) -> tuple[Message, ...]:
        """What the first request says."""
        asked = self.view.asks[0].full
        return () if asked is None else asked.messages

    @property
    def offered(self) -> dict[str, Mapping[str, JsonValue]]:
        """The parameters of the tools that the first request offers, by their names."""
        asked = self.view.asks[0].full
        return {} if asked is None else {tool.name: tool.parameters for tool in asked.tools}

    def says(self, text: str) -> bool:
        """Whether the first request contains the text."""
        return any(text in each for each in _texts(_json(self.view.asks[0].exchange.request.body)))

    @property
    def is_its_own(self) -> bool:
        """Whether the loop is a program that brings its own tools, or its own prompt, and does not take the case's."""
        others = bool(self.offered) and not any(tool.declaration.name in self.offered for tool in self.scenario.tools)
        return others or not any(self.says(text) for role, text in self.scenario.prompt if role == "user")

    @property
    def failure(self) -> Failure | None:
        """The error with which the loop has ended."""
        events = [record.event for _, record in self.finished.trace.events]
        return next((event for event in reversed(events) if isinstance(event, Failure)), None)


def _is_observed(record: EventRecord, trace: Trace) -> bool:
    """Whether the event is of a kind that the loop does not report, so that the harness has recorded it."""
    return trace.case.emits is not None and event_kind(record.event) not in trace.case.emits


def _as_one(trace: Trace) -> Trace:
    """The same, with all that was asked in one conversation."""
    records = [
        replace(each, conversation=MAIN) if isinstance(each, RequestRecord | EventRecord) else each
        for each in trace.records
    ]
    return Trace(trace.case, tuple(records))


def _wires(trace: Trace) -> set[str]:
    """The wires of its requests; a dialect has the path of its wire, and counts as the case's."""
    own = wire(trace.case.wire)
    asked = [exchange.request for exchange in trace.exchanges]
    routes = [own.route(each.method, each.path) or recognise(each.method, each.path) for each in asked]
    return {route.wire for route in routes if route is not None}


def checks_of(ran: Ran) -> Iterator[str]:
    """The checks that a case which was run can show, by their ids."""
    yield from ("driver/wire", "driver/request", "driver/protocol")
    if not ran.spoken:
        return
    if ran.scenario.name == "calibration-refused":
        yield "driver/kind"
        return
    yield from ("driver/answer", "driver/prompt", "driver/stream")
    if ran.scenario.tools and wire(ran.wire).declares_tools:
        yield from ("driver/tools", "driver/results")
    if ran.emitted_view.trace.events:
        yield from ("driver/text-id", "driver/text", "driver/events")


def flaws(ran: Ran) -> Iterator[Flaw]:
    """What a case shows to be wrong with the driver. A case that went wrong as a whole shows nothing else."""
    if ran.error:
        yield Flaw("driver/protocol", "the case to be driven to its end", ran.error)
    elif not ran.asked:
        ended = f"; the loop ended with {ran.failure.message}" if ran.failure is not None else ""
        yield Flaw("driver/request", f"requests on {ran.wire}", f"no request{ended}")
    elif not ran.spoken:
        yield Flaw("driver/wire", f"requests on {ran.wire}", ran.asked)
    elif ran.scenario.name == "calibration-refused":
        yield from _kind(ran)
    else:
        yield from _request_flaws(ran)
        yield from _emitted(ran)


def _kind(ran: Ran) -> Iterator[Flaw]:
    failure = ran.failure
    if failure is not None and failure.kind not in ("http", RAISED):
        expected = "an error of kind 'http' after HTTP 400, or 'raised'"
        yield Flaw("driver/kind", expected, f"an error of kind {failure.kind!r}: {failure.message}")


# --- what was sent -----------------------------------------------------------------------------------------


def _request_flaws(ran: Ran) -> Iterator[Flaw]:
    yield from _prompt(ran)
    yield from _stream(ran)
    if ran.scenario.tools and wire(ran.wire).declares_tools:
        yield from _tools(ran)
        yield from [] if ran.is_its_own else _results(ran)


def _prompt(ran: Ran) -> Iterator[Flaw]:
    """A program may have a prompt of its own, or a system prompt; then the case's is not expected in its place."""
    for role, text in ran.scenario.prompt:
        if not ran.says(text):
            instead = [message for message in ran.history if message.role == role]
            expected = f"the {role} prompt {text!r} in the first request"
            if instead:
                yield Flaw("driver/prompt", expected, f"a {role} prompt of the loop's own", "INFO")
            else:
                yield Flaw("driver/prompt", expected, f"a request without a {role} prompt")
    if not any(role == "system" for role, _ in ran.scenario.prompt):
        yield from _taken_for_system(ran)


def _taken_for_system(ran: Ran) -> Iterator[Flaw]:
    roles = [message.role for message in ran.history]
    if roles and "user" not in roles:
        yield Flaw("driver/prompt", "what the user says in a message of the user", f"messages of {', '.join(roles)}")


def _stream(ran: Ran) -> Iterator[Flaw]:
    asked = [ask.full.stream for ask in ran.view.asks if ask.full is not None]
    if asked and ran.scenario.stream not in asked:
        words = {True: "a stream of events", False: "a non-streaming answer"}
        wanted = ran.scenario.stream
        yield Flaw("driver/stream", f"a request for {words[wanted]}", f"a request for {words[not wanted]}", "INFO")


def _tools(ran: Ran) -> Iterator[Flaw]:
    for tool in ran.scenario.tools:
        name, wanted = tool.declaration.name, list(tool.declaration.parameters["properties"])
        expected = f"the tool {name} with its parameters {', '.join(wanted)}"
        if ran.is_its_own:
            offered = f"the tools {', '.join(ran.offered)}" if ran.offered else "no tool"
            yield Flaw("driver/tools", expected, f"{offered}: the loop is a program with its own", "INFO")
        elif name not in ran.offered:
            yield Flaw("driver/tools", expected, "no tool")
        elif missing := [each for each in wanted if each not in _properties(ran.offered[name])]:
            yield Flaw("driver/tools", expected, f"{name} without {', '.join(missing)}: {_shown(ran.offered[name])}")


def _properties(schema: Mapping[str, JsonValue]) -> Iterable[str]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else ()


def _results(ran: Ran) -> Iterator[Flaw]:
    expected = f"the tool's return {json.dumps(RETURNED, ensure_ascii=False)} in request 2"
    asks = ran.view.asks
    if len(asks) < 2:
        how = f"; the loop ended with {ran.failure.message}" if ran.failure is not None else ""
        yield Flaw("driver/results", expected, f"no second request{how}")
        return
    body = _json(asks[1].exchange.request.body)
    if not any(value == RETURNED for value in _values(body)):
        near = next((text for text in _texts(body) if all(name in text for name in _NAMES)), None)
        # Some libraries give the model the notation of their own language; its values are there.
        if near is None:
            yield Flaw("driver/results", expected, "a request without it")
        else:
            yield Flaw("driver/results", expected, _shown(near), "INFO")


_NAMES: Final = (*RETURNED, str(RETURNED["place"]))


def _json(text: str | bytes) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _texts(value: JsonValue) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _values(value: JsonValue) -> Iterator[JsonValue]:
    """Every value in a JSON value, and those in JSON that is in its texts, perhaps behind other words."""
    yield value
    if isinstance(value, str):
        start = value.find("{")
        inner = _beginning(value[start:]) if start >= 0 else None
        if inner is not None:
            yield from _values(inner)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _values(each)


def _beginning(text: str) -> JsonValue:
    """The JSON value with which a text begins; None where it begins with none."""
    try:
        value: JsonValue = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
    return value


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:197]}..."


# --- what was emitted --------------------------------------------------------------------------------------


def _emitted(ran: Ran) -> Iterator[Flaw]:
    if ran.scenario.tools and ran.is_its_own:
        return  # the model has called a tool that it was not offered
    if ran.failure is not None:
        got = f"an error of kind {ran.failure.kind!r}: {ran.failure.message}"
        yield Flaw("driver/answer", f"{ran.scenario.summary} It ends without an error", got)
        return
    seen: set[str] = set()
    for finding in judge(ran.emitted_view, list(_BY_RULE)):
        check = _BY_RULE[finding.rule]
        if check not in seen:
            seen.add(check)
            yield Flaw(check, finding.expected, f"{finding.got} ({finding.rule})")

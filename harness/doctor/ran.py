"""A calibration case that has been run, and what it may show: the words of the checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

from harness.rules import TraceView
from harness.runner.execute import Finished
from harness.runner.findings import asked_wire
from harness.scenario import Scenario
from harness.trace import MAIN, EventRecord, Failure, JsonValue, RequestRecord, Trace
from harness.trace.kinds import event_kind
from harness.wire import Message, Subject, WireName, recognise, wire, wire_rules

_OF_LOOPS: Final = frozenset({"continuation", "history", "execution", "retry"})
"""Families whose findings rest on request bodies, and on the tools that the harness has run."""

_HANDED_OVER: Final = "history/result-value"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a driver must get right.

    ``rules`` are the rules and expectations whose verdict depends on it; where it is wrong they are not judged, and
    neither are the wires' rules ``about`` it.
    """

    id: str
    states: str
    remedy: str
    rules: tuple[str, ...] = ()
    about: Subject | None = None

    @property
    def excluded(self) -> tuple[str, ...]:
        """All rules and expectations that are not judged where it is wrong."""
        return (*self.rules, *(id for id, rule in wire_rules().items() if self.about in rule.about))


@dataclass(frozen=True, slots=True)
class Flaw:
    """A check that a case has failed. INFO: somebody may want it so, and no verdict depends on it. ``states`` is what
    is so, where that says more than the check."""

    check: str
    expected: str
    got: str
    level: Literal["MUST", "INFO"] = "MUST"
    states: str = ""


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
        return main if main.asks or _wires(trace) != {self.wire} else TraceView(as_one(trace))

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
        return any(text in each for each in texts(as_json(self.view.asks[0].exchange.request.body)))

    @property
    def is_its_own(self) -> bool:
        """Whether the loop is a program that brings its own tools, or its own prompt, and does not take the case's."""
        others = bool(self.offered) and not any(tool.declaration.name in self.offered for tool in self.scenario.tools)
        return others or not any(self.says(text) for role, text in self.scenario.prompt if role == "user")

    @property
    def is_the_loops(self) -> bool:
        """Whether the case shows a mistake that only a loop makes: a request that breaks a provider's rule or the
        history of its conversation, or a tool that ran wrongly. Another value in the place of a result is no such: it
        may be the driver that hands it over."""
        found = self.finished.result.findings
        return any(
            each.refused is not None
            or (each.level == "MUST" and each.rule.partition("/")[0] in _OF_LOOPS and each.rule != _HANDED_OVER)
            for each in found
        )

    @property
    def failure(self) -> Failure | None:
        """The error with which the loop has ended."""
        events = [record.event for _, record in self.finished.trace.events]
        return next((event for event in reversed(events) if isinstance(event, Failure)), None)


def _is_observed(record: EventRecord, trace: Trace) -> bool:
    """Whether the event is of a kind that the loop does not report, so that the harness has recorded it."""
    return trace.case.emits is not None and event_kind(record.event) not in trace.case.emits


def as_one(trace: Trace) -> Trace:
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


def as_json(text: str | bytes) -> JsonValue:
    """The value of a JSON text; None where it is no JSON."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def texts(value: JsonValue) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)

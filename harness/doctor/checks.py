"""What a driver must get right, and how a trace of a calibration case shows that it does not."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from harness import trace
from harness.doctor.cases import RETURNED
from harness.doctor.conversations import CONVERSATION_CHECKS, check_of, conversation_flaws
from harness.doctor.ran import Check, Flaw, Ran, as_json, texts
from harness.rules import judge
from harness.trace import RAISED, JsonValue
from harness.wire import wire

__all__ = ["CHECKS", "Check", "Flaw", "Ran", "checks_of", "flaws", "named"]


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
        "the adapter keeps to the protocol: its process lives on, and what it emits are known events",
        "correct what the adapter emits (docs/own-loop.md lists the events, their members and their words)",
    ),
    Check(
        "driver/answer",
        "a simple case ends without an error",
        "run the adapter alone on this case; its error is under 'got'",
    ),
    Check(
        "driver/prompt",
        "the request has the whole prompt of the case: its system prompt, if it has one, and what the user says",
        "send every pair of 'case.prompt' with its role, and take none of them for the system prompt by its place",
        ("expect/sent",),
        about="prompt",
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
    *CONVERSATION_CHECKS,
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


def named(words: Collection[str]) -> frozenset[str]:
    """Return the checks among the words of ``--skip``; ``driver`` names them all."""
    return frozenset(check for check in CHECKS if check in words or "driver" in words)


def checks_of(ran: Ran) -> Iterator[str]:
    """The checks that a case which was run can show, by their ids."""
    yield from ("driver/wire", "driver/request", "driver/protocol")
    if not ran.spoken:
        return
    if check := check_of(ran.scenario):
        yield check
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
    if ran.error and not (ran.spoken and check_of(ran.scenario)):
        yield Flaw("driver/protocol", "the case to be driven to its end", ran.error)
    elif not ran.asked:
        ended = f"; the loop ended with {ran.failure.message}" if ran.failure is not None else ""
        yield Flaw("driver/request", f"requests on {ran.wire}", f"no request{ended}")
    elif not ran.spoken:
        yield Flaw("driver/wire", f"requests on {ran.wire}", ran.asked)
    elif check_of(ran.scenario):
        yield from conversation_flaws(ran)
    elif ran.scenario.name == "calibration-refused":
        yield from _kind(ran)
    else:
        yield from _request_flaws(ran)
        yield from _event_flaws(ran)


def _kind(ran: Ran) -> Iterator[Flaw]:
    failure = ran.failure
    if failure is not None and failure.kind not in ("http", RAISED):
        expected = "an error of kind 'http' after HTTP 400, or 'raised'"
        yield Flaw("driver/kind", expected, f"an error of kind {failure.kind!r}: {failure.message}")
    ends = [record.event for _, record in ran.finished.trace.events if isinstance(record.event, trace.Final)]
    if failure is None and ends and ends[-1].outcome == "completed":
        yield Flaw("driver/kind", "an error after HTTP 400", "a final event with the outcome 'completed'", "INFO")


# --- what was sent -----------------------------------------------------------------------------------------


def _request_flaws(ran: Ran) -> Iterator[Flaw]:
    yield from _prompt(ran)
    yield from _stream(ran)
    if ran.scenario.tools and wire(ran.wire).declares_tools:
        yield from _tools(ran)
        yield from [] if ran.is_its_own or ran.is_the_loops else _results(ran)


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
        needing = "never streams; cases that need a stream" if wanted else "always streams; non-streaming cases"
        states = f"the loop {needing} are skipped"
        yield Flaw(
            "driver/stream", f"a request for {words[wanted]}", f"a request for {words[not wanted]}", "INFO", states
        )


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
        else:
            yield from _lost(ran)


def _lost(ran: Ran) -> Iterator[Flaw]:
    """The first thing that a tool has lost of its schema or its descriptions."""
    for finding in islice(judge(ran.view, ["offered/schema", "offered/description"]), 1):
        yield Flaw("driver/tools", finding.expected, finding.got, "INFO")


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
    body = as_json(asks[1].exchange.request.body)
    if not any(value == RETURNED for value in _values(body)):
        near = next((text for text in texts(body) if all(name in text for name in _NAMES)), None)
        # Some libraries give the model the notation of their own language; its values are there.
        if near is None:
            yield Flaw("driver/results", expected, "a request without it")
        else:
            yield Flaw("driver/results", expected, _shown(near), "INFO")


_NAMES: Final = (*RETURNED, str(RETURNED["place"]))


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


def _event_flaws(ran: Ran) -> Iterator[Flaw]:
    if ran.scenario.tools and ran.is_its_own:
        return  # the model has called a tool that it was not offered
    if ran.failure is not None:
        if ran.is_the_loops:
            return  # the cases of the run say what is wrong
        got = f"an error of kind {ran.failure.kind!r}: {ran.failure.message}"
        yield Flaw("driver/answer", f"{ran.scenario.summary} It ends without an error", got)
        return
    seen: set[str] = set()
    for finding in judge(ran.emitted_view, list(_BY_RULE)):
        check = _BY_RULE[finding.rule]
        if check not in seen:
            seen.add(check)
            yield Flaw(check, finding.expected, f"{finding.got} ({finding.rule})")

"""How a run ends: with what the model made, and saying truly how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.rules.evidence import difference, quote
from harness.rules.guardrail import TURN_LIMIT, at_limit
from harness.rules.model import Breach, Rule
from harness.rules.reading import SCREENSHOT_TO_CODE, Reading
from harness.rules.turns import Ask, ToldCall
from harness.trace import Failure, Final, SetCode, Told, ToolResult, ToolStart
from harness.wire import Stop

__all__ = ["RULES"]

_FINALIZATION = "Agent Tool-Calling Flow, Finalization"
_FAULTS = "survey of agent loops: cut streams, in-stream errors and truncated calls are taken as success"

_NO_FAULT_OF_THE_LOOP = frozenset({TURN_LIMIT, "http", "stream", "tool-retries"})
"""Kinds of errors that may end a run although the model's last turn was sound and calls tools."""

_PAGE = re.compile(r"^(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*?</html\s*>", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_WHOLE_PAGE = re.compile(r"\s*(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*</html\s*>\s*", re.IGNORECASE | re.DOTALL)


def _told(reading: Reading) -> Iterator[Breach]:
    last = _last(reading)
    if last is None or not last.sound or last.reply is None or not reading.tells(Final, Failure):
        return
    turn = last.reply.turn
    if _paused(last) or (turn.calls and last.stopped is None):
        return
    for at, end in reading.ends:
        if isinstance(end, Failure) and end.kind != TURN_LIMIT:
            yield Breach(at, "final: the model's last turn ended without a call", f"error {end.kind!r}: {end.message}")


def _paused_turn(reading: Reading) -> Iterator[Breach]:
    last, final = _last(reading), reading.final
    if last is None or final is None or not last.sound or not _paused(last) or at_limit(reading):
        return
    at, event = final
    if event.outcome != TURN_LIMIT:
        yield Breach(at, "a request that sends the paused turn back", f"final, {event.outcome!r}")


def _paused(ask: Ask) -> bool:
    return ask.reply is not None and ask.reply.turn.stop is Stop.PAUSE


def _outcome(reading: Reading) -> Iterator[Breach]:
    last, final = _last(reading), reading.final
    if last is None or final is None or not last.sound or last.reply is None or _paused(last):
        return
    at, event = final
    expected = _outcome_of(last)
    if event.outcome != expected:
        yield Breach(at, f"outcome {expected!r} (the model stopped with {last.reply.turn.stop})", repr(event.outcome))


def _outcome_of(ask: Ask) -> str:
    match ask.stopped:
        case Stop.MAX_TOKENS:
            return "truncated"
        case None:
            return "completed"
        case _:
            return "refused"


def _code(reading: Reading) -> Iterator[Breach]:
    called, loose = _codes(reading)
    text = _last_text(reading)
    last = called[-1] if called else None
    wanted = "a complete HTML page of the last text" if last is None else f"what a call set last: {quote(last)}"
    for at, code in loose:
        if code == called[-1] if called else _is_page_of(text, code):
            last = code
        else:
            yield Breach(at, f"{wanted}, if a code is set outside any call", quote(code))
    if reading.final is not None:
        yield from _final_code(*reading.final, last, text)


def _final_code(at: int, final: Final, last: str | None, text: str) -> Iterator[Breach]:
    if last is not None:
        if final.code != last:
            expected, got = difference(last, final.code)
            yield Breach(at, f"the code last set: {expected}", got)
    elif final.code:
        if not _is_page_of(text, final.code):
            yield Breach(at, "no code, or a complete HTML page of the last text", quote(final.code))
    elif final.outcome == "completed" and (page := _page(text)):
        yield Breach(at, f"the page in the last text: {quote(page)}", "no code")


def _is_page_of(text: str, code: str) -> bool:
    return code in text and _WHOLE_PAGE.fullmatch(code) is not None


def _page(text: str) -> str | None:
    """A page that begins on a line of its own; nothing is searched after the last ``</html>``, where none can end."""
    match = _PAGE.search(text, 0, text.lower().rfind("</html") + len("</html>"))
    return match.group() if match else None


def _codes(reading: Reading) -> tuple[list[str], list[tuple[int, str]]]:
    """The codes that calls have set, and those that were told outside any call: no id, and no call is open."""
    called: list[str] = []
    loose: list[tuple[int, str]] = []
    open_calls: set[str] = set()
    for at, told in reading.trace.events:
        event = told.event
        if isinstance(event, ToolStart):
            open_calls.add(event.id)
        elif isinstance(event, ToolResult):
            open_calls.discard(event.id)
        elif not isinstance(event, SetCode) or event.preview:
            continue
        elif event.id is not None or open_calls:
            called.append(event.code)
        else:
            loose.append((at, event.code))
    return called, loose


def _last_text(reading: Reading) -> str:
    last = _last(reading)
    return last.reply.turn.text if last is not None and last.reply is not None else ""


def _stopped_call(reading: Reading) -> Iterator[Breach]:
    for turn in reading.turns:
        for call in turn.calls:
            at = call.tool.executed_at if call.tool is not None else None
            if at is not None and call.ask.sound and call.ask.stopped is not None:
                expected = f"{call.call.name} not to run: the turn stopped with {call.ask.stopped}"
                yield Breach(at, expected, f"{_sign(reading, at)} of {quote(call.call.arguments)}")


def _open_call(reading: Reading) -> Iterator[Breach]:
    last = _last(reading)
    if last is None or not last.runnable or not last.calls or not reading.ends or at_limit(reading):
        return
    at, end = reading.ends[0]
    if not isinstance(end, Failure) or end.kind in _NO_FAULT_OF_THE_LOOP or not reading.tells(ToolResult):
        return
    calls = [call for turn in reading.turns for call in turn.calls if call.ask is last]
    # A call that has run without a toolResult is the business of order/tool-result-told.
    left = [call for call in calls if call.tool is None or call.tool.ended_at is None]
    if left:
        named = ", ".join([f"{quote(call.call.id or '')} ({call.call.name}, {_state(call)})" for call in left[:3]])
        detail = f"without one: {named}{', ...' if left[3:] else ''}"
        yield Breach(
            at, "a toolResult for each call of the last turn", f"error {end.kind!r}: {quote(end.message)}", detail
        )


def _state(call: ToldCall) -> str:
    return "started" if call.tool is not None and call.tool.starts else "not started"


def _failed_turn(reading: Reading) -> Iterator[Breach]:
    for turn in reading.turns:
        for call in turn.calls:
            at = call.tool.executed_at if call.tool is not None else None
            if at is not None and not call.ask.sound:
                yield Breach(
                    at, f"{call.call.name} not to run: {_broken(call.ask)}", f"{_sign(reading, at)} all the same"
                )
    last = _last(reading)
    if last is not None and not last.sound and reading.final is not None:
        yield Breach(reading.final[0], f"an error: {_broken(last)}", f"final, {reading.final[1].outcome!r}")


def _sign(reading: Reading, at: int) -> str:
    told = reading.trace.records[at]
    return "its code was set" if isinstance(told, Told) and isinstance(told.event, SetCode) else "it has run"


def _broken(ask: Ask) -> str:
    response = ask.exchange.response
    if ask.reply is None:
        return f"the model answered HTTP {response.status}" if response is not None else "the model did not answer"
    if ask.reply.turn.error is not None:
        return f"the stream held the error {ask.reply.turn.error.kind!r}"
    return "the stream ended without its terminal event"


def _last(reading: Reading) -> Ask | None:
    return reading.asks[-1] if reading.asks else None


RULES = (
    Rule(
        "final/told",
        "MUST",
        "unsafe",
        "A run whose last model turn is sound and calls no tool ends with final.",
        "An error would throw away a result that the model has given.",
        "Agent Tool-Calling Flow, Core Tool-Calling Loop, step 3",
        _told,
        ("events", "exchanges"),
    ),
    Rule(
        "final/paused-turn",
        "MUST",
        "unsafe",
        "A run does not end with final on a paused turn: the turn is sent back, and the model goes on with it.",
        "The model has said that it is not done: what it has so far is passed off as the whole.",
        "recorded answers of Anthropic to a turn that stopped with 'pause_turn' and was sent back as it is",
        _paused_turn,
        ("events", "exchanges"),
    ),
    Rule(
        "final/outcome",
        "MUST",
        "unsafe",
        "The outcome is 'truncated' after the token limit, 'refused' after a refusal or a filter, else 'completed'.",
        "Half a page that calls itself completed is published as one.",
        _FAULTS,
        _outcome,
        ("events", "exchanges"),
    ),
    Rule(
        "final/code",
        "MUST",
        "unsafe",
        "The final code is the code last set by a call; where none was, the complete HTML page of the last text, or "
        "nothing. What is set outside any call is that code too.",
        "Prose, a refusal or half a page is not code, and does not become code by being shown as such before the end.",
        _FINALIZATION,
        _code,
        ("events", "exchanges"),
        (SCREENSHOT_TO_CODE,),
    ),
    Rule(
        "final/stopped-call",
        "MUST",
        "unsafe",
        "No call of a turn that hit its token limit, was refused or was filtered is executed.",
        "Its arguments may be cut: an edit that lost its new text deletes the old one and reports success.",
        _FAULTS,
        _stopped_call,
        ("events", "exchanges"),
    ),
    Rule(
        "final/open-call",
        "MUST",
        "unsafe",
        "Every call of a sound turn gets its toolResult, also one that the loop cannot handle: before that only the "
        "turn limit, used-up retries or a provider that fails may end the run with an error.",
        "One call with odd arguments would throw away the whole run, and what the user saw begin would never end.",
        "recorded runs of a real loop: arguments of a wrong type end the run with a crash",
        _open_call,
        ("events", "exchanges"),
    ),
    Rule(
        "final/failed-turn",
        "MUST",
        "unsafe",
        "A turn with an in-stream error or without its terminal event is not taken as success: "
        "none of its calls is executed and the run does not end with final.",
        "The model had not finished: what it meant to say next may have changed everything.",
        _FAULTS,
        _failed_turn,
        ("events", "exchanges"),
    ),
)

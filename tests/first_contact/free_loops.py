"""Loops that are right, each with freedoms that popular loops take where a run does not go its usual way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

import httpx2

from harness.api import Assistant, Failure, Final
from tests.first_contact.blamed_loops import LOOPS, STREAMED, Habit, Loop, Turn, drops_broken_turns

NOT_RUN = {"error": "The answer was cut off, so this call was not run. Please try again."}


@dataclass(frozen=True)
class Freedoms:
    """``cut``: what a loop does with a turn that was cut off, refused or filtered. ``attempts`` at each request, with
    ``waits`` between. ``texts``: when it gives them to its user. ``at_limit``: how it ends at its own limit."""

    cut: Literal["returns", "raises", "answers", "drops"] = "returns"
    attempts: int = 1
    waits: float = 0.06
    texts: Literal["never", "as they come", "half of it", "at the end", "at the end, joined"] = "never"
    at_limit: Literal["raises", "says so", "final"] = "raises"
    wraps: Callable[[Any], Any] = lambda output: output
    habit: Habit | None = None
    streams: bool = False
    loses: bool = False


class Unavailable(Exception):
    """The provider has refused every attempt."""


async def run(case: Any, free: Freedoms) -> str | None:
    loop: Loop = (STREAMED if free.streams else LOOPS)[case.wire](case, free.habit)
    said: list[str] = []
    try:
        text = await _run(loop, case, free, said)
    finally:
        if free.loses:
            del said[0]
        if free.texts == "at the end, joined" and said:
            case.emit(Assistant("\n\n".join(said), "all"))
        for number, each in enumerate(said if free.texts == "at the end" else ()):
            case.emit(Assistant(each, f"text-{number}"))
    return text


async def _run(loop: Loop, case: Any, free: Freedoms, said: list[str]) -> str | None:
    plain = loop.output

    async def output(call: tuple[str, str, str]) -> Any:
        return free.wraps(await plain(call))

    loop.output = output  # type: ignore[method-assign]
    for number in range(8):
        turn, text, stopped = await _patiently(loop, free)
        stopped = stopped or any(entry.get("refusal") for entry in turn.entries)
        if stopped and free.cut == "raises":
            if free.texts == "half of it":
                case.emit(Assistant(text[: len(text) // 2], f"text-{number}"))
            raise RuntimeError("the answer was cut off")
        if text:
            said.append(text)
            if free.texts == "as they come":
                case.emit(Assistant(text, f"text-{number}"))
        if stopped and turn.calls and free.cut == "answers":
            _answer_unrun(loop, turn)
        elif not (stopped and free.cut == "drops"):
            if stopped or not turn.calls:
                return text
            await loop.go_on(turn)
    if free.at_limit == "says so":
        case.emit(Assistant("I have reached my limit of 8 turns.", "limit"))
        case.emit(Failure("turn-limit", "8 turns"))
    elif free.at_limit == "final":
        case.emit(Final("", "turn-limit", "I have reached my limit."))
    else:
        raise RuntimeError("8 turns are enough")
    return None


async def _patiently(loop: Loop, free: Freedoms) -> tuple[Turn, str, bool]:
    for attempt in range(free.attempts):
        if attempt:
            await asyncio.sleep(free.waits)
        try:
            return await loop.ask()
        except Exception as error:
            last = error
            if not _may_pass(error):
                raise
    raise Unavailable(str(last))


def _may_pass(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, httpx2.HTTPError) or not any(
        word in text for word in ("invalid_request", "INVALID_ARGUMENT", "authentication", "UNAUTHENTICATED", "<html>")
    )


def _answer_unrun(loop: Loop, turn: Turn) -> None:
    """Send the turn back with a result for each call that says that it was not run."""
    for entry in turn.entries:
        _mend(entry)
    turn.results = [loop.result(call, NOT_RUN) for call in turn.calls]
    if loop.wire == "gemini-generate":
        turn.results = [{"role": "user", "parts": turn.results}]
    elif loop.wire == "anthropic-messages":
        turn.results = [{"role": "user", "content": [{**each, "is_error": True} for each in turn.results]}]
    loop.history += [*turn.entries, *turn.results]


def _mend(value: Any) -> None:
    """Arguments that were cut go back as an empty object."""
    if isinstance(value, list):
        for each in value:
            _mend(each)
    elif isinstance(value, dict):
        if "arguments" in value:
            try:
                json.loads(value["arguments"])
            except ValueError:
                value["arguments"] = "{}"
        if value.get("type") == "tool_use" and not isinstance(value["input"], dict):
            value["input"] = {}
        for each in value.values():
            _mend(each)


def _with(**free: Any) -> Callable[[Any], Awaitable[str | None]]:
    async def target(case: Any) -> str | None:
        return await run(case, Freedoms(**free))

    return target


def _in_an_object(output: Any) -> Any:
    return {"data": output}


def _in_blocks(output: Any) -> Any:
    return [{"type": "text", "text": json.dumps(output)}]


returns = _with(texts="as they come")
raises = _with(cut="raises", texts="as they come", attempts=3)
answers_the_cut = _with(cut="answers", texts="as they come", habit=drops_broken_turns)
raises_in_its_text = _with(cut="raises", texts="half of it")
drops_the_cut = _with(cut="drops", attempts=6)
patient = _with(attempts=11, texts="at the end")
says_so = _with(at_limit="says so", texts="as they come")
ends_there = _with(at_limit="final", texts="at the end, joined")
wraps = _with(wraps=_in_an_object, texts="at the end")
blocks = _with(wraps=_in_blocks, cut="raises", texts="at the end, joined")
streams = _with(streams=True, attempts=7, texts="as they come")
streams_and_raises = _with(streams=True, cut="raises", attempts=2, texts="at the end")

# --- wrong in the same places -----------------------------------------------------------------------------------

loses_a_text = _with(texts="at the end", loses=True)
hammers = _with(attempts=10**6, waits=0.0)

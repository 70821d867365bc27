"""Loops in Python whose runs are one conversation, on Messages, as a user may write them; and what they do wrong."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from typing import Any

from harness.targets import CaseRun
from tests.sdks import anthropic
from tests.targets.command.history import (
    PENDING,
    answered,
    asked_in_turn,
    asking,
    calls_of,
    connected,
    conversation,
    text_of,
)

Results = dict[str, dict[str, Any]]


async def converses(case: CaseRun) -> str:
    """A correct loop: an async function, of which nothing says that it can be cancelled."""
    messages, said = conversation(case), list[str]()
    case.on_say(said.append)
    tools = {tool.name: tool for tool in case.callables}
    async with anthropic.AsyncAnthropic(**connected(case)) as client:
        while True:
            message = await asked_in_turn(case, client, messages)
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results: Results = {call.id: PENDING for call in calls}
            try:
                for call in calls:
                    results[call.id] = {"content": json.dumps(await tools[call.name](call.input, id=call.id))}
            finally:
                answered(messages, results, said)


class Stopped(Exception):
    """The flag of the loop is set."""


def blocks_with_a_flag(case: CaseRun) -> str | None:
    """A plain function. It looks at a flag for each piece of an answer, and before each request."""
    stop = threading.Event()
    case.on_cancel(stop.set)
    with suppress(Stopped):
        return blocking(case, stop)
    return None


def blocking(case: CaseRun, stop: threading.Event) -> str:
    messages, said = conversation(case), list[str]()
    case.on_say(said.append)
    tools = {tool.name: tool for tool in case.callables}
    with anthropic.Anthropic(**connected(case)) as client:
        while True:
            if stop.is_set():
                raise Stopped
            with client.messages.stream(**asking(case, messages)) as stream:
                for _ in stream:
                    if stop.is_set():
                        raise Stopped
                message: Any = stream.get_final_message()
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results: Results = {call.id: PENDING for call in calls}
            try:
                for call in calls:
                    results[call.id] = {"content": json.dumps(tools[call.name].now(call.input, id=call.id))}
            finally:
                answered(messages, results, said)


def blocks_and_hears_nothing(case: CaseRun) -> str:
    """A plain function that says nothing of a cancel: only its tools are broken off."""
    return blocking(case, threading.Event())


def gives_a_coroutine(case: CaseRun) -> Any:
    """No async function by its looks."""
    return converses(case)


async def runs_in_a_task_of_its_own(case: CaseRun) -> str | None:
    """A loop that names what cancels it: a task within."""
    here, inner = asyncio.get_running_loop(), asyncio.create_task(converses(case))
    case.on_cancel(lambda: here.call_soon_threadsafe(inner.cancel))
    return await inner


async def fails_when_it_is_cancelled(case: CaseRun) -> str:
    try:
        return await converses(case)
    except asyncio.CancelledError:
        raise RuntimeError("the run was stopped") from None


async def leaves_when_it_is_cancelled(case: CaseRun) -> str:
    try:
        return await converses(case)
    except asyncio.CancelledError:
        raise SystemExit(130) from None


async def takes_a_cancelled_tool_for_a_failed_one(case: CaseRun) -> str:
    messages = conversation(case)
    tools = {tool.name: tool for tool in case.callables}
    async with anthropic.AsyncAnthropic(**connected(case)) as client:
        while True:
            message: Any = await client.messages.create(**asking(case, messages))
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results: Results = {call.id: PENDING for call in calls}
            for call in calls:
                with suppress(asyncio.CancelledError):
                    results[call.id] = {"content": json.dumps(await tools[call.name](call.input, id=call.id))}
            answered(messages, results, [])


async def shields_itself(case: CaseRun) -> str:
    """Hears nothing of a cancel, and goes on."""
    work = asyncio.ensure_future(converses(case))
    while True:
        with suppress(asyncio.CancelledError):
            return await asyncio.shield(work)


async def never_ends(case: CaseRun) -> str:
    try:
        return await converses(case)
    except asyncio.CancelledError:
        await asyncio.Event().wait()
        raise


async def keeps_what_is_no_json(case: CaseRun) -> str:
    case.state["seen"] = {1, 2}  # type: ignore[assignment]
    return await converses(case)


async def keeps_an_object(case: CaseRun) -> str:
    """In the same process any object is kept."""
    if case.number > 1 and not isinstance(case.state["lock"], asyncio.Lock):
        raise TypeError("it is another one")
    case.state["lock"] = asyncio.Lock()  # type: ignore[assignment]
    return await converses(case)


async def has_a_listener_that_raises(case: CaseRun) -> str:
    case.on_say(lambda text: {}[text])
    return await converses(case)


async def names_what_raises(case: CaseRun) -> str:
    case.on_cancel(lambda: [][1])
    return await converses(case)

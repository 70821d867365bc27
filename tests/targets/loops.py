"""Loops as a user may write them, for the tests of function targets to drive by their address."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import weakref
from collections.abc import Mapping
from typing import Any

from harness.targets import CaseRun
from harness.trace import Assistant, Failure, Final, ToolResult
from tests.sdks import anthropic, openai

NOT_CALLABLE = 3


async def answers(case: CaseRun) -> str | None:
    """A correct loop on Chat, whole answers only."""
    tools = {tool.name: tool for tool in case.callables}
    declared: list[Any] = [
        {"type": "function", "function": {"name": tool.name, "description": tool.description,
                                          "parameters": dict(tool.parameters)}}
        for tool in tools.values()
    ]  # fmt: skip
    messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
    offered: Mapping[str, Any] = {"tools": declared} if declared else {}
    async with openai.AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0) as client:
        while True:
            answer = await client.chat.completions.create(model=case.model, messages=messages, **offered)
            message: Any = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                result = await tools[call.function.name](json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def blocks(case: CaseRun) -> str | None:
    """The simplest loop of all, not asynchronous: it blocks its thread while the model answers."""
    with openai.OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0) as client:
        messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
        return client.chat.completions.create(model=case.model, messages=messages).choices[0].message.content


async def blocks_its_event_loop(case: CaseRun) -> str | None:
    """Asynchronous by name only."""
    return blocks(case)


CLIENTS: list[weakref.ref[Any]] = []
"""Those of ``forgets_its_client``."""

STILL_OPEN: list[int] = []
"""How many of them were open when each of its runs began."""


async def forgets_its_client(case: CaseRun) -> str | None:
    """A loop whose client is closed by nobody, as in many a short example."""
    STILL_OPEN.append(sum(1 for each in CLIENTS if (left := each()) is not None and not left.is_closed()))
    client = openai.AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0)
    CLIENTS.append(weakref.ref(client))
    messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
    return (await client.chat.completions.create(model=case.model, messages=messages)).choices[0].message.content


class Agent:
    """A loop that is a class, and tells its own end."""

    async def run(self, case: CaseRun) -> None:
        said = await answers(case)
        case.emit(Assistant(said or "", "1"))
        case.emit(Final("", text=said or ""))


async def changes_its_wire(case: CaseRun) -> str:
    """The first turn on Chat, the second one on Messages."""
    (tool,) = case.callables
    function = {"name": tool.name, "parameters": dict(tool.parameters)}
    messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
    async with openai.AsyncOpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0) as chat:
        await chat.chat.completions.create(
            model=case.model, messages=messages, tools=[{"type": "function", "function": function}]
        )
    async with anthropic.AsyncAnthropic(base_url=case.base_url, api_key=case.api_key, max_retries=0) as client:
        await client.messages.create(model="claude-sonnet-4-6", max_tokens=99, messages=messages)
    return "Done."


async def tells_an_unknown_kind(case: CaseRun) -> None:
    await answers(case)
    case.emit(Failure("error", "it did not work"))


async def tells_an_unknown_outcome(case: CaseRun) -> None:
    await answers(case)
    case.emit(Final("", "done"))


async def tells_no_event(case: CaseRun) -> None:
    await answers(case)
    case.emit({"event": "final"})  # type: ignore[arg-type]


async def tells_a_number_as_text(case: CaseRun) -> None:
    await answers(case)
    case.emit(Assistant(3, "1"))  # type: ignore[arg-type]


async def tells_what_is_no_json(case: CaseRun) -> None:
    await answers(case)
    case.emit(ToolResult("1", "get_weather", object(), True))  # type: ignore[arg-type]


async def swallows_what_emit_raises(case: CaseRun) -> str | None:
    try:
        case.emit(Failure("oops", "it did not work"))
    except Exception:  # noqa: BLE001 - as loops do
        return await answers(case)
    return None


async def asks_nothing(case: CaseRun) -> str:
    return "I knew that."


async def raises(case: CaseRun) -> None:
    await answers(case)
    raise ValueError("boom")


async def leaves(case: CaseRun) -> None:
    await answers(case)
    sys.exit(3)


async def cancels_itself(case: CaseRun) -> None:
    await answers(case)
    raise asyncio.CancelledError


CANCELLED = threading.Event()


async def hangs(case: CaseRun) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        CANCELLED.set()

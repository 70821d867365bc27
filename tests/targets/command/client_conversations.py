"""Loops on the Python client whose runs are one conversation: a plain function, an async one, and their mistakes."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python"))

from anthropic import Anthropic, AsyncAnthropic
from harness_client import Case, serve
from history import PENDING, answered, asked_in_turn, asking, calls_of, connected, conversation, text_of


def plain(case: Case) -> str:
    """A plain function, of which nothing says that it can be cancelled."""
    messages, said = conversation(case), []
    case.on_say(said.append)
    tools = {tool.name: tool for tool in case.tools}
    with Anthropic(**connected(case)) as client:
        while True:
            message = asked(case, client, messages)
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results = {call.id: PENDING for call in calls}
            try:
                for call in calls:
                    results[call.id] = {"content": json.dumps(tools[call.name].now(call.input, id=call.id))}
            finally:
                answered(messages, results, said)


def asked(case: Case, client: Anthropic, messages: list[Any]) -> Any:
    if not case.stream:
        return client.messages.create(**asking(case, messages))
    with client.messages.stream(**asking(case, messages)) as stream:
        return stream.get_final_message()


async def in_a_task(case: Case) -> str:
    """The same as an async function, whose calls run at once."""
    messages, said = conversation(case), []
    case.on_say(said.append)
    tools = {tool.name: tool for tool in case.callables}
    async with AsyncAnthropic(**connected(case)) as client:
        while True:
            message = await asked_in_turn(case, client, messages)
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results = {call.id: PENDING for call in calls}

            async def run(call: Any, results: dict[str, Any] = results) -> None:
                results[call.id] = {"content": json.dumps(await tools[call.name](call.input, id=call.id))}

            try:
                await asyncio.gather(*map(run, calls))
            finally:
                answered(messages, results, said)


def in_threads(case: Case) -> str:
    """Whose calls run in threads: a pool waits for them, so each of them must end."""
    messages = conversation(case)
    tools = {tool.name: tool for tool in case.tools}
    with Anthropic(**connected(case)) as client:
        while True:
            message = asked(case, client, messages)
            if not (calls := calls_of(message, messages)):
                return text_of(message)
            results = {call.id: PENDING for call in calls}

            def run(call: Any, results: dict[str, Any] = results) -> None:
                results[call.id] = {"content": json.dumps(tools[call.name].now(call.input, id=call.id))}

            try:
                with ThreadPoolExecutor() as pool:
                    list(pool.map(run, calls))
            finally:
                answered(messages, results, [])


def by_a_flag(case: Case) -> str | None:
    """Has a flag, at which it looks before each request. A tool that it has called is broken off."""
    stop = threading.Event()
    case.on_cancel(stop.set)
    try:
        return plain(case)
    except asyncio.CancelledError:
        if not stop.is_set():
            raise RuntimeError("an exception without a call of what it has named") from None
        return None


def keeps_what_is_no_json(case: Case) -> str:
    case.state["seen"] = {1, 2}
    return plain(case)


def forgets(case: Case) -> str:
    answer = plain(case)
    case.state.clear()
    return answer


def goes_on(case: Case) -> str:
    """Takes a cancelled tool for one that has failed, and asks the model again."""
    case.on_cancel(lambda: None)
    messages = conversation(case)
    tools = {tool.name: tool for tool in case.tools}
    with Anthropic(**connected(case)) as client:
        while calls := calls_of(message := asked(case, client, messages), messages):
            results = {call.id: PENDING for call in calls}
            for call in calls:
                with suppress(asyncio.CancelledError):
                    results[call.id] = {"content": json.dumps(tools[call.name].now(call.input, id=call.id))}
            answered(messages, results, [])
        return text_of(message)


if __name__ == "__main__":
    serve(globals()[sys.argv[1]])

# ruff: noqa: S310, T201
"""Loops on the Python client: in each case the one that the case's scenario is called after. Without other packages."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients" / "python"))

from harness_client import Assistant, Case, CaseEnded, ToolRaised, ToolResult, ToolStart, serve

Answer = dict[str, Any]
kept: list[Case] = []
lock = asyncio.Lock()


def ask(case: Case, messages: list[Any]) -> list[Any]:
    body = {"model": case.model, "max_tokens": 99, "messages": messages, "tools": offered(case)}
    head = {"content-type": "application/json", "x-api-key": case.api_key, "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{case.base_url}/v1/messages", json.dumps(body).encode(), head)
    with urllib.request.urlopen(request) as response:
        content: list[Any] = json.load(response)["content"]
    return content


def offered(case: Case) -> list[Any]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in case.tools
    ]


def conversation(case: Case, run_all: Callable[[list[Any]], list[Any]]) -> str:
    """Two turns: the calls of the first, their results, the text of the second."""
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    content = ask(case, messages)
    while calls := [block for block in content if block["type"] == "tool_use"]:
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": text}
            for call, text in zip(calls, run_all(calls), strict=False)
        ]
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        content = ask(case, messages)
    return "".join(block["text"] for block in content if block["type"] == "text")


def answer(case: Case) -> str:
    return conversation(case, lambda calls: [result_of(case, call) for call in calls])


def result_of(case: Case, call: Answer) -> str:
    (tool,) = (tool for tool in case.tools if tool.name == call["name"])
    try:
        return text_of(tool(**call["input"]))
    except ToolRaised as raised:
        return f"Error: {raised}"


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# --- what they do -------------------------------------------------------------------------------------------


def prints(case: Case) -> str:
    """In every way that there is, and what looks like a line of the protocol."""
    line = '{"event": "assistant", "text": "printed", "id": "1"}'
    print(line)
    os.write(1, f"{line}\n".encode())
    subprocess.run([sys.executable, "-ISc", f"print('''{line}''')"], check=True)
    subprocess.run([sys.executable, "-ISc", "import sys; assert sys.stdin.read() == ''"], check=True)
    return answer(case)


def in_threads(case: Case) -> str:
    """The first call ends only when the second has ended."""
    with ThreadPoolExecutor() as pool:
        return conversation(case, lambda calls: list(pool.map(lambda call: result_of(case, call), calls)))


async def in_tasks(case: Case) -> str:
    tools = {tool.name: tool for tool in case.callables}

    async def run(call: Answer) -> str:
        case.emit(ToolStart(call["id"], call["name"], call["input"]))
        result = await tools[call["name"]](call["input"], id=call["id"])
        case.emit(ToolResult(call["id"], call["name"], result, True))
        return text_of(result)

    async with lock:  # of another case it would be another event loop's
        messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
        content = await asyncio.to_thread(ask, case, messages)
        calls = [block for block in content if block["type"] == "tool_use"]
        texts = await asyncio.gather(*map(run, calls))
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        for call, text in zip(calls, texts, strict=True)
    ]
    messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
    return "".join(block["text"] for block in await asyncio.to_thread(ask, case, messages))


def raises(case: Case) -> str:
    raise ValueError("out of order")


def is_refused(case: Case) -> str:
    urllib.request.urlopen(f"{case.base_url}/v1/nothing")
    return "never"


def large(case: Case) -> str:
    """Lines of more than a pipe holds, with characters that are not ASCII."""
    weather, _ = case.tools
    if len(weather(city="søk " * 200_000)) < 500_000:
        raise ValueError("the result was cut")
    return answer(case)


def leaves(case: Case) -> str:
    kept.append(case)
    return answer(case)


def finds_what_was_left(case: Case) -> str:
    (old,) = kept
    for use in (lambda: old.emit(Assistant("late", "1")), lambda: old.tools[0](city="Oslo")):
        try:
            use()
        except CaseEnded:
            continue
        raise AssertionError("a case that has ended has spoken")
    return answer(case)


def emits_nothing_known(case: Case) -> str:
    case.emit("Hello.")  # type: ignore[arg-type]
    return "never"


def leaves_a_thread(case: Case) -> str:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    return answer(case)


def exits(case: Case) -> str:
    sys.exit("the disk is full")


def forgets(case: Case) -> str:
    """The result of the second call."""
    return conversation(case, lambda calls: [result_of(case, call) for call in calls[:1]])


def loop(case: Case) -> Any:
    return globals()[case.id.partition(".")[0].replace("-", "_")](case)


if __name__ == "__main__":
    serve(loop)

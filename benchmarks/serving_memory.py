"""The memory of ``harness serve`` while it answers 10,000 requests of conversations that end, and a large one.

The automatic model answers loops of two requests each over keep-alive connections, a prompt of its own for each. Memory
is the resident size that the kernel says, after every 1,000 requests. Run by itself, it prints the series:

    python -m benchmarks.serving_memory [REQUESTS]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from benchmarks.programs.serving import running
from benchmarks.tracking.figure import Figure, Goal

EVERY: Final = 1_000
REQUESTS: Final = 10_000
LARGE: Final = 60_000_000
"""Bytes of the one large body, which comes after the first 1,000 requests."""

FLAT: Final = Goal("ratio", "at most", 1.05)
TOOL: Final = {"name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}


def figures(quick: bool) -> Iterator[Figure]:
    sizes = series(3_000 if quick else REQUESTS)
    first, rest = sizes[1], sizes[2:]
    yield Figure.of(
        f"`harness serve` after {EVERY * (len(sizes) - 1):,} requests",
        [float(size) for size in rest],
        FLAT,
        beside="after 1,000",
        theirs=[float(first)] * len(rest),
        unit="B",
        counted="memory",
    )


def series(requests: int) -> list[int]:
    """The bytes that the server holds at its start, and after each 1,000 requests."""
    sizes = []
    with serving() as (child, base), httpx2.Client(base_url=base, trust_env=False, timeout=120) as client:
        sizes.append(resident(child.pid))
        for number in range(requests // 2):
            _loop(client, f"Question {number}: what is in a.html?")
            if (number + 1) * 2 % EVERY == 0:
                sizes.append(resident(child.pid))
            if (number + 1) * 2 == EVERY:
                _loop(client, "x" * LARGE)
    return sizes


def _loop(client: httpx2.Client, prompt: str) -> None:
    """A run of two requests: calls, and then the answer."""
    messages: list[Any] = [{"role": "user", "content": prompt}]
    message = _asked(client, messages)
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]]
    assert _asked(client, [*messages, message, *results])["content"]


def _asked(client: httpx2.Client, messages: list[Any]) -> Any:
    body = {"model": "gpt-4.1", "messages": messages, "tools": [{"type": "function", "function": TOOL}]}
    answer = client.post("/v1/chat/completions", content=json.dumps(body).encode())
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["message"]


@contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``harness serve`` with the automatic model, and its base URL without a version."""
    with running([sys.executable, "-m", "harness", "serve", *options]) as (child, lines):
        base = ""
        for line in lines:
            found = re.search(r"=(http://\S+/case/automatic)$", line)
            base = found[1] if found else base
            if line.startswith("serving"):
                break
        yield child, base


def resident(process: int) -> int:
    """The bytes that a process holds in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    for at, size in enumerate(series(int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS)):
        print(f"{at * EVERY:>7,} requests  {size / 1e6:6.1f} MB")

"""``harness serve`` under a large test suite: what a test costs late in the suite, and early in it.

The tests are asked for in one process, each with three conversations of two requests, which begin alike in all tests.
Their names are in the path of the base URL. What the judging at the end costs is CPU time of the whole server, from
SIGTERM to its end, beside that of a suite of a quarter of the tests. Run by itself, it prints all figures:

    python -m benchmarks.serving_tests
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2

from benchmarks.serving_memory import TOOL, resident, serving
from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import exponent

TESTS: Final = 600
CONVERSATIONS: Final = 3
PARTS: Final = 4
"""Pieces of a suite that are compared with its first."""

LINEAR: Final = Goal("ratio", "at most", 1.15)
FLAT: Final = Goal("ratio", "at most", 1.15)
GROWTH: Final = Goal("ours", "at most", 1.15)


@dataclass(frozen=True)
class Measured:
    """Of a suite: CPU seconds of the server for each of its parts, its bytes after each, and the CPU of the end."""

    cpu: Sequence[float]
    held: Sequence[int]
    end: float


def figures(quick: bool) -> Iterator[Figure]:
    tests = TESTS // 2 if quick else TESTS
    small, large = _suite(tests // PARTS), _suite(tests)
    per_part = f"{tests // PARTS} of {tests} tests"
    rest = large.cpu[1:]
    yield Figure.of(f"the later {per_part}", rest, LINEAR, beside="the first", theirs=[large.cpu[0]] * len(rest))
    held = [float(size) for size in large.held[1:]]
    yield Figure.of(
        f"`harness serve` after {per_part} more",
        held,
        FLAT,
        beside="after the first",
        theirs=[float(large.held[0])] * len(held),
        unit="B",
        counted="memory",
    )
    growth = exponent(small.end, large.end, PARTS)
    yield Figure.of(f"growth, judging {tests} tests", [growth], GROWTH, unit="exponent")


def _suite(tests: int) -> Measured:
    cpu: list[float] = []
    held: list[int] = []
    with tempfile.TemporaryDirectory() as out, serving("--out", out) as (child, base):
        server = child.pid
        with httpx2.Client(trust_env=False, timeout=120) as client:
            _test(client, base, "warm-up")
            for part in range(PARTS):
                before = _cpu(server)
                for number in range(part * tests // PARTS, (part + 1) * tests // PARTS):
                    _test(client, base, f"tests%2Ftest_it.py::test_{number}")
                cpu.append(_cpu(server) - before)
                held.append(resident(server))
        before = _cpu(server)
        end = _ended(child) - before
        cases = json.loads((Path(out) / "results.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) == tests + 1, f"expected a case for each of {tests + 1} tests, got {len(cases)}"
    assert {case["verdict"] for case in cases} == {"pass"}
    return Measured(cpu, held, end)


def _ended(child: subprocess.Popen[str]) -> float:
    """CPU seconds of the server in all, once it has been ended."""
    child.terminate()
    assert child.stdout is not None
    child.stdout.read()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return used.ru_utime + used.ru_stime


def _cpu(process: int) -> float:
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9


def _test(client: httpx2.Client, base: str, name: str) -> None:
    url = f"{base}/test/{name}/v1/chat/completions"
    for number in range(CONVERSATIONS):
        messages: list[Any] = [{"role": "user", "content": f"Question {number}: what is in a.html?"}]
        messages.append(_asked(client, url, messages))
        messages += [
            {"role": "tool", "tool_call_id": each["id"], "content": "ok"} for each in messages[1]["tool_calls"]
        ]
        assert _asked(client, url, messages)["content"]


def _asked(client: httpx2.Client, url: str, messages: list[Any]) -> Any:
    body = {"model": "gpt-4.1", "messages": messages, "tools": [{"type": "function", "function": TOOL}]}
    answer = client.post(url, content=json.dumps(body).encode())
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["message"]


if __name__ == "__main__":
    for figure in figures(quick="--quick" in sys.argv):
        print(f"{figure.what}: {figure.ours:.4g} {figure.unit}, ratio {figure.ratio}")

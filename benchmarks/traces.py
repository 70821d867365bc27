"""``harness lint-trace`` on a file of a million spans: time for each span, and the most memory that it held.

Of twenty spans one is a request to a model, in conversations of four requests each; the others are of databases and of
web frameworks, as in a file that a collector writes. Run by itself, it prints the figures of one file:

    python -m benchmarks.traces [SPANS]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.tracking.figure import Figure, Goal

SPANS: Final = 1_000_000
TURNS: Final = 4
EVERY: Final = 20
"""Of how many spans one is a request."""

FLAT: Final = Goal("ours", "at most", 250_000_000)
SYSTEM: Final = "You answer questions about the weather, and you are as brief as you can be. " * 8
TOOL: Final = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}


def figures(quick: bool) -> Iterator[Figure]:
    spans = SPANS // 20 if quick else SPANS
    seconds, most = measured(spans)
    name = f"`harness lint-trace` on {spans:,} spans"
    yield Figure.of(f"{name}, each", [seconds / spans])
    yield Figure.of(name, [float(most)], FLAT, unit="B", counted="memory")


def measured(spans: int) -> tuple[float, int]:
    """CPU seconds, and the most bytes that were resident, of a run on a file of so many spans."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "spans.json")
        write_spans(path, spans)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "harness", "lint-trace", path], capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss * 1024


def write_spans(path: Path, spans: int) -> None:
    """A file of one object with so many spans, as ``otlp`` writes them."""
    scope = {"name": "openinference.instrumentation.anthropic", "version": "3.1.0"}
    with path.open("w", encoding="utf-8") as written:
        written.write(f'{{"resourceSpans": [{{"scopeSpans": [{{"scope": {json.dumps(scope)}, "spans": [')
        for number in range(spans):
            span = _request(number // EVERY) if number % EVERY == 0 else _other(number)
            written.write(f"{',' if number else ''}\n{json.dumps(span)}")
        written.write("]}]}]}")


def _request(number: int) -> dict[str, Any]:
    conversation, turn = divmod(number, TURNS)
    messages: list[Any] = [{"role": "user", "content": f"Question {conversation}: where is it cold?"}]
    for earlier in range(turn):
        id = f"toolu_{conversation}_{earlier}"
        result = {"type": "tool_result", "tool_use_id": id, "content": f'{{"celsius": {earlier}}}'}
        messages += [{"role": "assistant", "content": [_call(id)]}, {"role": "user", "content": [result]}]
    body = {"model": "claude-sonnet-4-6", "max_tokens": 1024, "system": SYSTEM, "tools": [TOOL], "messages": messages}
    answer = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-6",
        "content": [_call(f"toolu_{conversation}_{turn}")],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return _span(
        number * EVERY,
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "claude-sonnet-4-6",
            "input.value": json.dumps(body),
            "output.value": json.dumps(answer),
        },
    )


def _call(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "get_weather", "input": {"city": "Oslo"}}


def _other(number: int) -> dict[str, Any]:
    statement = "SELECT * FROM weather WHERE city = %s ORDER BY measured DESC LIMIT 1"
    return _span(number, {"db.system": "postgresql", "db.statement": statement, "net.peer.name": "db"})


def _span(number: int, attributes: dict[str, str]) -> dict[str, Any]:
    return {
        "traceId": f"{number // 1000:032x}",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": f"{number // 10 * 10 + 1:016x}" if number % 10 else "",
        "name": "span",
        "startTimeUnixNano": str(10**18 + number * 1000),
        "endTimeUnixNano": str(10**18 + number * 1000 + 900),
        "attributes": [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()],
    }


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else SPANS
    seconds, most = measured(number)
    print(f"{number:,} spans: {seconds:.1f} s CPU, {seconds / number * 1e6:.0f} us each, at most {most / 1e6:.0f} MB")

"""``retrieve_option`` and the image tools beside recorded runs of the engine that they follow.

The engine was recorded without image services and without options, so these are failures: their words are compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.loop import ToolCall, ToolRuntime
from harness.loop.tools import ImageFailed

_WHY_NOT = {
    "generate_images": "Image generation is disabled.",
    "remove_background": "Background removal requires REPLICATE_API_KEY.",
}


class Unavailable:
    """Image services as they were when the engine was recorded."""

    async def generate(self, prompt: str) -> str:
        raise ImageFailed(_WHY_NOT["generate_images"])

    async def remove_background(self, reference: str) -> str:
        raise ImageFailed(_WHY_NOT["remove_background"])


@dataclass(frozen=True)
class Recorded:
    call: ToolCall
    input: Any
    output: Any
    ok: bool
    result: Any


@pytest.mark.anyio
async def test_options_fail_in_the_words_of_the_engine(shared: Path) -> None:
    recorded = list(_recorded(shared, "retrieve_option"))
    assert len(recorded) > 50
    for each in recorded:
        tools = ToolRuntime()
        outcome = await tools.run(each.call)
        assert outcome.result == each.result
        assert (outcome.summary, outcome.ok) == (each.output, each.ok)
        assert tools.call_summary(each.call) == each.input


@pytest.mark.parametrize("name", list(_WHY_NOT))
@pytest.mark.anyio
async def test_images_that_cannot_be_made_are_told_as_the_engine_tells_them(shared: Path, name: str) -> None:
    recorded = list(_recorded(shared, name))
    assert len(recorded) == 3
    for each in recorded:
        tools = ToolRuntime(images=Unavailable())
        outcome = await tools.run(each.call)
        assert tools.call_summary(each.call) == each.input
        assert outcome.ok == each.ok
        # the engine refuses the call as a whole; here it is every image that fails, for that same reason
        assert each.result == {"error": _WHY_NOT[name]}
        assert json.dumps(outcome.result).count(_WHY_NOT[name]) == 1


def _recorded(shared: Path, name: str) -> Iterator[Recorded]:
    """The calls of this tool with what the engine told its user and the model."""
    for path in sorted((shared / "golden" / "screenshot-to-code").glob("*.json")):
        recording = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "index.json":
            continue
        results = dict(_results(recording["requests"][-1]["history"]))
        started = {each["eventId"]: each for each in recording["events"] if each["type"] == "toolStart"}
        ended = {each["eventId"]: each for each in recording["events"] if each["type"] == "toolResult"}
        for part in (part for step in recording["script"] for part in step.get("parts", ())):
            if part.get("name") == name and part["id"] in results:
                told = ended[part["id"]]["data"]
                call = ToolCall(part["id"], name, "".join(part["chunks"]))
                yield Recorded(call, started[call.id]["data"]["input"], told["output"], told["ok"], results[call.id])


def _results(history: list[Any]) -> Iterator[tuple[str, Any]]:
    """Call ids and results in a request of any of the three providers."""
    for entry in history:
        if entry.get("type") == "function_call_output":
            yield entry["call_id"], json.loads(entry["output"])
        for block in entry["content"] if isinstance(entry.get("content"), list) else ():
            if block.get("type") == "tool_result":
                yield block["tool_use_id"], json.loads(block["content"])
        for part in entry.get("parts", ()):
            if "functionResponse" in part:
                yield part["functionResponse"]["id"], part["functionResponse"]["response"]

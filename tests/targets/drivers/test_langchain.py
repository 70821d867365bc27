"""The real agent of LangChain on the harness: what its user is told, its limit, and what it is known to do."""

from __future__ import annotations

import pytest

from harness.trace import Assistant, Failure, Final, Thinking, ToolStart
from harness.wire import WireName
from tests.targets.drivers.driving import found, ran, told

for package in ("langchain", "langchain_openai", "langchain_anthropic"):
    pytest.importorskip(package, reason="LangChain's agent is not installed: pip install '.[langchain]'")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Received unexpected tool content block:UserWarning"),
    # LangChain keeps the connections of its models open, in caches of its own.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WIRES: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")


async def test_the_pieces_of_a_turn_have_one_id_of_each_kind() -> None:
    finished = await ran("langchain", "thinking-in-every-turn", "anthropic-messages")
    assert len({event.id for event in told(finished, Thinking)}) == 3
    assert len({event.id for event in told(finished, Assistant)}) == 1
    assert all(event.text for event in told(finished, Thinking, Assistant))


@pytest.mark.parametrize("wire", WIRES)
async def test_the_turn_limit_is_told_as_such(wire: WireName) -> None:
    finished = await ran("langchain", "turn-limit", wire)
    (end,) = told(finished, Failure, Final)
    assert (end.kind, end.message) == ("turn-limit", "Model call limits exceeded: run limit (2/2)")
    assert finished.result.verdict == "pass"


async def test_a_refusal_of_responses_is_told_in_its_words() -> None:
    finished = await ran("langchain", "refusal", "openai-responses")
    assert "".join(event.text for event in told(finished, Assistant)) == "I cannot help with that."
    assert finished.result.verdict == "pass"


@pytest.mark.parametrize("wire", WIRES)
async def test_calls_without_an_id_are_told_apart(wire: WireName) -> None:
    finished = await ran("langchain", "several-calls-without-ids", wire)
    starts = told(finished, ToolStart)
    assert [event.name for event in starts] == ["get_weather", "get_time", "get_weather"]
    assert len({event.id for event in starts}) == 3
    assert (finished.result.verdict, found(finished)) == ("pass", set())


# --- what it is known to do -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
async def test_tools_run_on_arguments_that_break_off(wire: WireName) -> None:
    finished = await ran("langchain", "arguments-cut-off", wire)
    assert "execution/arguments" in found(finished)
    (start,) = told(finished, ToolStart)[:1]
    assert start.input == {"to": "landlord", "euros": 950.5}

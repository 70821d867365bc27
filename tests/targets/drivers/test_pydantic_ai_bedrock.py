"""The real pydantic-ai on Bedrock: its ``BedrockConverseModel`` on boto3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from harness.trace import Failure, Final, ToolResult
from tests.sdks import needs
from tests.targets.drivers.driving import DATA, found, ran, request, told

pytestmark = [pytest.mark.anyio, needs("pydantic_ai", "pydantic-ai is not installed"), needs("boto3", "no boto3")]

TARGET = "pydantic-ai:bedrock"
BEDROCK: Any = "bedrock-converse"


async def played(scenario: str | Path) -> Finished:
    return await ran(TARGET, scenario, BEDROCK)


@pytest.mark.parametrize(
    ("scenario", "end"), [("tool-returns", "/converse-stream"), ("tool-returns-not-streamed", "/converse")]
)
async def test_it_is_asked_for_streams_or_for_documents(scenario: str, end: str) -> None:
    """Of a Claude without a limit of tokens the library asks for streams only."""
    finished = await played(scenario)
    assert found(finished) == set()
    assert {exchange.request.path[-len(end) :] for exchange in finished.trace.exchanges} == {end}


async def test_what_a_refused_request_says_is_an_error_of_http() -> None:
    finished = await played("bad-request")
    assert found(finished) == set()
    assert [event.kind for event in told(finished, Failure)] == ["http"]


# --- what is wrong with it -------------------------------------------------------------------------------------------


async def test_half_a_call_in_a_stream_that_has_ended_is_a_call() -> None:
    """It is not run, but answered as one that the model has written so, and the run goes on."""
    finished = await played(DATA / "half_a_call.yaml")
    assert found(finished) == {"expect/outcome"}
    assert [event.ok for event in told(finished, ToolResult)] == [False]
    assert _sent_call(finished) == {"INVALID_JSON": '{"dishes": ["soup", "sal'}
    assert [event.outcome for event in told(finished, Final)] == ["completed"]


async def test_a_call_that_breaks_off_at_the_limit_goes_back_as_one_with_invalid_arguments() -> None:
    finished = await played("truncated-call")
    assert found(finished) == set()
    assert list(_sent_call(finished)) == ["INVALID_JSON"]


async def test_an_answer_that_is_throttled_in_its_middle_fails_the_run() -> None:
    finished = await played(DATA / "throttled_in_the_stream.yaml")
    assert (found(finished), len(finished.trace.exchanges)) == (set(), 1)
    (failure,) = told(finished, Failure)
    assert failure.kind == "stream"
    assert "429" in failure.message


def _sent_call(finished: Finished) -> Any:
    """The arguments of the call that the second request sends back."""
    blocks = [block for message in request(finished, 1)["messages"] for block in message["content"]]
    (call,) = [block["toolUse"] for block in blocks if "toolUse" in block]
    assert json.dumps(call["input"])
    return call["input"]

"""Arrivals in a stream of responses: a call is there with the chunk in which the official SDK has it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import accumulate
from typing import Any

import httpx2
import pytest

from harness.wire import Identity
from harness.wire.gemini_generate import WIRE
from harness.wire.sse import frame
from tests.sdks import genai
from tests.wire.arriving import arrivals_of
from tests.wire.gemini_generate.samples import TURNS, conversation
from tests.wire.gemini_generate.sdk import Endpoint, read_stream

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
async def client(endpoint: Endpoint) -> AsyncIterator[genai.Client]:
    async with httpx2.AsyncClient(transport=endpoint) as http:
        yield genai.Client(
            vertexai=False,
            api_key="k",
            http_options=genai.types.HttpOptions(httpx_async_client=http, base_url="http://gem"),
        )


@pytest.mark.parametrize("name", [name for name, turn in TURNS.items() if turn.calls and not turn.error])
async def test_the_sdk_has_each_call_at_the_same_time(name: str, client: genai.Client, endpoint: Endpoint) -> None:
    answer = WIRE.render(TURNS[name], Identity("case"), conversation())
    ends = list(accumulate(map(len, answer.frames)))
    responses = await read_stream(client, endpoint, answer.frames)
    assert len(responses) == len(ends)
    there = [end for end, response in zip(ends, responses, strict=True) for _ in response.function_calls or ()]
    assert [arrival.complete for arrival in arrivals_of("gemini-generate", answer.body)] == there


def chunk(*calls: dict[str, Any], candidate: int = 0) -> bytes:
    parts = [{"functionCall": call} for call in calls]
    return frame({"candidates": [{"index": candidate, "content": {"role": "model", "parts": parts}}]})


def test_a_call_whose_arguments_are_streamed_is_complete_with_their_end() -> None:
    begun = chunk({"name": "f", "willContinue": True})
    begun += chunk({"partialArgs": [{"jsonPath": "$.a", "numberValue": 1}], "willContinue": True})
    ended = begun + chunk({})
    first, second = arrivals_of("gemini-generate", ended + chunk({"name": "g", "args": {}}))
    assert (first.lengths, first.complete) == ([], len(ended))
    assert second.complete == len(ended) + len(chunk({"name": "g", "args": {}}))


def test_a_call_in_snake_case_is_one_and_one_of_another_candidate_is_none() -> None:
    parts = [{"function_call": {"name": "f", "args": {"a": 1}}}]
    body = chunk({"name": "g", "args": {}}, candidate=1) + frame({"candidates": [{"content": {"parts": parts}}]})
    (arrival,) = arrivals_of("gemini-generate", body)
    assert arrival.complete == len(body)


def test_pieces_of_a_call_that_never_began_are_none() -> None:
    body = chunk({"willContinue": True}) + chunk({}) + chunk({"name": "f", "args": {}})
    (arrival,) = arrivals_of("gemini-generate", body)
    assert arrival.complete == len(body)

"""Every method of the official SDKs' resources asks the endpoint, and is served, or refused for a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import anyio
import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.server import serving
from harness.scenario import TurnStep
from harness.trace import Case
from harness.wire import Text, Turn, WireName
from tests.endpoint.sdk_calls import SdkCall, calls_of
from tests.sdks import anthropic, openai

pytestmark = pytest.mark.anyio

DONE = TurnStep(Turn((Text("All done."),)))
OPENAI = (
    *("responses", "responses.input_items", "responses.input_tokens", "conversations", "conversations.items"),
    *("chat.completions", "chat.completions.messages", "models"),
)
ANTHROPIC = ("messages", "models", "messages.batches", "beta.messages", "beta.models", "beta.files")
MODEL = "gpt-4.1"
ASKED: Mapping[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "metadata": {"a": "b"}, "limit": 2}
EXCLUSIVE = ("conversation", "after", "after_id", "before_id", "output_format")
"""Arguments that exclude others, or that name the place of a page."""


def gateway_of(wire: WireName, model: str, cases: int) -> Endpoints:
    """A gateway with so many cases, each of which answers with text."""
    endpoints = Endpoints()
    for number in range(cases):
        case = Case(id=f"c{number}", scenario="a-case", wire=wire)
        endpoints.open(case.id, CaseEndpoint(case, ScriptSource([DONE] * 4), clock=lambda: 0.0), model)
    return endpoints


def prepared(client: Any, call: SdkCall) -> dict[str, Any]:
    """What the arguments of a call name by an id: each has been made before."""
    in_background = call.method == "cancel" or (call.method == "retrieve" and call.streams)
    kept = client.responses.create(model=MODEL, input="hi", background=in_background, stream=call.streams)
    if call.streams:
        *_, last = kept
        kept = last.response
    stored = client.conversations.create(items=[{"role": "user", "content": "hi"}])
    (item,) = client.conversations.items.list(stored.id)
    completion = client.chat.completions.create(model=MODEL, messages=ASKED["messages"], store=True)
    return {
        "model": MODEL,
        "input": "hi",
        "response_id": kept.id,
        "previous_response_id": kept.id,
        "conversation_id": stored.id,
        "item_id": item.id,
        "completion_id": completion.id,
        "max_output_tokens": 64,
        "starting_after": 0,
        **ASKED,
    }


def asked(call: SdkCall, client: Any, given: Mapping[str, Any]) -> str:
    """Call it; what it was refused with, empty where it was served."""
    try:
        answer = call.called(client)(**call.arguments(client, given, EXCLUSIVE))
        if call.way == "streaming":
            with answer as response:
                response.read()
        elif call.way == "value" and call.streams:
            assert list(answer)
    except (openai.APIStatusError, anthropic.APIStatusError) as refused:
        return f"{refused.status_code} {refused}"
    return ""


async def asked_by_a_task(call: SdkCall, client: Any, given: Mapping[str, Any]) -> str:
    """The same of a client that is awaited."""
    try:
        answer = call.called(client)(**call.arguments(client, given, EXCLUSIVE))
        if call.way == "streaming":
            async with answer as response:
                await response.read()
        elif hasattr(answer, "__aiter__") and not hasattr(answer, "__await__"):
            _ = [each async for each in answer]
        else:
            answer = await answer
            assert not (call.way == "value" and call.streams) or [each async for each in answer]
    except openai.APIStatusError as refused:
        return f"{refused.status_code} {refused}"
    return ""


def check(refusals: Mapping[SdkCall, str], reasons: Iterable[tuple[str, str, str]]) -> None:
    """Those that were refused are these: the beginning of a call, its status, and the reason."""
    expected = list(reasons)
    for call, refusal in refusals.items():
        why = [(status, words) for name, status, words in expected if str(call).startswith(name)]
        if why:
            (status, words) = why[0]
            assert refusal.startswith(status), (str(call), refusal)
            assert words in refusal, (str(call), refusal)
        else:
            assert refusal == "", str(call)


REFUSED = (
    ("models.delete", "404", "Invalid URL (DELETE /v1/models/gpt-4.1)"),
    ("responses.create-all", "400", "'reasoning.effort' is not supported with this model"),
)


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True], ids=["sync", "async"])
async def test_openai(waits: bool) -> None:
    calls = list(calls_of(openai.OpenAI(api_key="harness"), OPENAI))
    endpoints = gateway_of("openai-responses", MODEL, len(calls))
    refusals: dict[SdkCall, str] = {}

    async with serving(endpoints) as base:

        def in_turn() -> None:
            for number, call in enumerate(calls):
                url = f"{base}/case/c{number}/v1"
                with openai.OpenAI(api_key="harness", base_url=url, max_retries=0) as client:
                    given = prepared(client, call)
                    refusals[call] = asked(call, client, given)

        async def by_a_task() -> None:
            for number, call in enumerate(calls):
                url = f"{base}/case/c{number}/v1"
                with openai.OpenAI(api_key="harness", base_url=url, max_retries=0) as client:
                    given = await anyio.to_thread.run_sync(prepared, client, call)
                async with openai.AsyncOpenAI(api_key="harness", base_url=url, max_retries=0) as waiting:
                    refusals[call] = await asked_by_a_task(call, waiting, given)

        await (by_a_task() if waits else anyio.to_thread.run_sync(in_turn))
    assert len(refusals) > 100
    check(refusals, REFUSED)
    served = Counter(not refusal for refusal in refusals.values())
    assert served[False] == 6
    elsewhere = {path for number in range(len(calls)) for path in endpoints.not_served(f"c{number}")}
    assert elsewhere == {f"DELETE /v1/models/{MODEL}"}


@pytest.mark.slow
async def test_anthropic() -> None:
    calls = list(calls_of(anthropic.Anthropic(api_key="harness"), ANTHROPIC))
    model = "claude-sonnet-4-6"
    endpoints = gateway_of("anthropic-messages", model, len(calls))
    given = {"model": model, "model_id": model, "max_tokens": 2000, "file": b"x", **ASKED, "file_id": "file_1"}
    refusals: dict[SdkCall, str] = {}
    async with serving(endpoints) as base:

        def in_turn() -> None:
            for number, call in enumerate(calls):
                url = f"{base}/case/c{number}"
                with anthropic.Anthropic(api_key="harness", base_url=url, max_retries=0) as client:
                    refusals[call] = asked(call, client, given)

        await anyio.to_thread.run_sync(in_turn)
    check(refusals, [(name, "404", "not_found_error") for name in ("messages.batches", "beta.files")])
    assert sum(not refusal for refusal in refusals.values()) >= 40

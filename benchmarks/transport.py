"""The in-process transport, one chunk per event, against the bare SDK reading the same bytes in one chunk.

    python benchmarks/transport.py

Goal: at most 1.12 times the CPU at 200 and 5,000 events. Both sides read the same streams through the same client
code; only what hands over the bytes differs. Rounds interleave the two, so a slow phase hits both.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from statistics import median

import httpx2
from _measure import ratio

from harness.gateway import Answer, Desk, Gateway, ScriptSource
from harness.gateway.transport import GatewayTransport
from harness.targets.base import MODELS
from harness.trace import Case
from harness.wire import NATIVE_WIRES, Identity, Rendered, Route, Text, Turn, WireName, wire

Ask = Callable[[], Awaitable[int]]
ROUNDS = 9


class OneChunk(httpx2.AsyncBaseTransport):
    """The bare SDK's side: a ready body, handed over whole."""

    def __init__(self, body: bytes, content_type: str) -> None:
        self._body = body
        self._headers = {"content-type": content_type}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        return httpx2.Response(200, headers=self._headers, stream=_Whole(self._body))


class _Whole(httpx2.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body


class Ready(Gateway):
    """The harness's side: the same bytes ready as an answer of one chunk per event, recorded as every answer is."""

    def __init__(self, rendered: Rendered) -> None:
        super().__init__()
        self._case = Case(id="bench", scenario="bench", wire=rendered.reply.wire)
        self._answer = Answer(200, {"content-type": rendered.content_type}, rendered.frames)

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[Desk | None, int, Answer]:
        desk = Desk(self._case, ScriptSource(()), clock=time.perf_counter)
        return desk, desk.recorder.request(method, target, headers, body), self._answer


def main() -> None:
    print(f"{'wire':20} {'events':>7} {'bare us/event':>14} {'harness us/event':>17} {'ratio':>6}")
    for name in NATIVE_WIRES:
        for events in (200, 5000):
            bare, ours = asyncio.run(measure(name, events))
            per_event = 1e6 / events
            line = f"{name:20} {events:7} {median(bare) * per_event:14.1f} {median(ours) * per_event:17.1f}"
            print(f"{line} {ratio(ours, bare):6.2f}", flush=True)


async def measure(name: WireName, events: int) -> tuple[list[float], list[float]]:
    """CPU seconds per response of the bare SDK and of the SDK over the gateway, round by round."""
    rendered = _render(name, Turn((Text("word " * events),)))
    bare = asker(name, OneChunk(rendered.body, rendered.content_type))
    ours = asker(name, GatewayTransport(Ready(rendered)))
    repeat = max(1, 1000 // events)
    times: tuple[list[float], list[float]] = ([], [])
    for round_ in range(ROUNDS + 1):
        for side, ask in zip(times, (bare, ours), strict=True):
            gc.collect()
            start = time.process_time()
            for _ in range(repeat):
                assert await ask() >= events
            if round_:  # the first round warms both up
                side.append((time.process_time() - start) / repeat)
    return times


def _render(name: WireName, turn: Turn) -> Rendered:
    body = b'{"model":"m","max_tokens":10,"stream":true,"messages":[],"input":"x","contents":[]}'
    speaker = wire(name)
    conversation = speaker.read(Route(name, MODELS[name], True), body)
    return speaker.render(turn, Identity("bench"), conversation)


def asker(name: WireName, transport: httpx2.AsyncBaseTransport) -> Ask:
    """A function that asks for one streamed response and counts its events."""
    base = "http://harness/case/bench"
    http = httpx2.AsyncClient(transport=transport)
    if name == "anthropic-messages":
        return _anthropic(http, base)
    if name == "gemini-generate":
        return _google(http, base)
    return _responses(http, base) if name == "openai-responses" else _chat(http, base)


def _responses(http: httpx2.AsyncClient, base: str) -> Ask:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="k", base_url=f"{base}/v1", http_client=http)

    async def ask() -> int:
        stream = await client.responses.create(model="gpt-5.5", input="hi", stream=True)
        return len([event async for event in stream])

    return ask


def _chat(http: httpx2.AsyncClient, base: str) -> Ask:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="k", base_url=f"{base}/v1", http_client=http)

    async def ask() -> int:
        stream = await client.chat.completions.create(
            model="gpt-4.1", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        return len([event async for event in stream])

    return ask


def _anthropic(http: httpx2.AsyncClient, base: str) -> Ask:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(api_key="k", base_url=base, http_client=http)

    async def ask() -> int:
        stream = await client.messages.create(
            model="claude-sonnet-4-6", max_tokens=10, messages=[{"role": "user", "content": "hi"}], stream=True
        )
        return len([event async for event in stream])

    return ask


def _google(http: httpx2.AsyncClient, base: str) -> Ask:
    from google.genai import Client
    from google.genai.types import HttpOptions

    client = Client(api_key="k", http_options=HttpOptions(base_url=base, httpx_async_client=http))

    async def ask() -> int:
        stream = await client.aio.models.generate_content_stream(model="gemini-3.6-flash", contents="hi")
        return len([event async for event in stream])

    return ask


if __name__ == "__main__":
    main()

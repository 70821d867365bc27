"""``harness serve`` without a scenario, in this process: the automatic model on a loopback port, and its verdict.

Other projects' suites ask an endpoint and look at the answers. ``asked()`` opens such an endpoint for a test that does
the same; once its block has ended, ``findings`` has what ``harness serve`` would report of the requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.judging import judging
from harness.runner.serving import Activity, Opening, Served, offers
from harness.runner.serving.outcome import outcome
from harness.runner.sources import SCRIPTED
from harness.wire import WireName

SLOWEST = 60.0
"""Seconds after which an answer is overdue, on a busy machine, too."""


@dataclass
class Endpoint:
    """Where to ask, and what came of it once the block of ``asked()`` has ended.

    ``findings`` are lines with the case, the rule and what was expected; ``cases`` the statuses of each conversation;
    ``not_served`` what was asked for that the endpoint does not have.
    """

    url: str
    http: httpx2.Client
    findings: list[str] = field(default_factory=list)
    cases: dict[str, list[int | None]] = field(default_factory=dict)
    not_served: Mapping[str, int] = field(default_factory=dict)

    @property
    def v1(self) -> str:
        """The base URL of an OpenAI client."""
        return f"{self.url}/v1"

    @property
    def musts(self) -> list[str]:
        """The findings that say that the program is wrong."""
        return [each for each in self.findings if " MUST " in each]

    def post(self, path: str, body: Mapping[str, Any], **headers: str) -> httpx2.Response:
        """Send a request as a plain HTTP client. Its answer, which must not be a refusal."""
        answer = self.http.post(f"{self.url}{path}", json=body, headers={**_HEADERS, **headers}, timeout=SLOWEST)
        assert answer.status_code == 200, (answer.status_code, answer.text, body)
        return answer

    def events(self, path: str, body: Mapping[str, Any], **headers: str) -> list[Any]:
        """Send a request for a stream. The data of its events; ``[DONE]`` as text."""
        answer = self.post(path, body, **headers)
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.headers
        return list(_data(answer.text))


_HEADERS = {"authorization": "Bearer harness", "x-api-key": "harness", "anthropic-version": "2023-06-01"}


def _data(stream: str) -> Iterator[Any]:
    import json

    for line in stream.splitlines():
        if line.startswith("data:"):
            text = line.removeprefix("data:").strip()
            yield text if text == "[DONE]" else json.loads(text)


@contextmanager
def asked(*wires: WireName, seed: int = 0) -> Iterator[Endpoint]:
    """An endpoint with the automatic model on these wires, all by default, for the time of the block."""
    endpoints, judged = Endpoints(), judging()
    offered, sources = offers([], wires, seed=seed, sources=SCRIPTED)
    served: list[Served] = []

    @asynccontextmanager
    async def opened() -> Any:
        async with AsyncExitStack() as stack:
            opening = Opening(endpoints, sources, judged.enforcement, Activity())
            served.extend([await opening.open(offer, stack) for offer in offered])
            yield await stack.enter_async_context(serving(endpoints))

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opened()) as base,
        httpx2.Client(trust_env=False, verify=False) as http,
    ):
        endpoint = Endpoint(base + served[0].prefix, http)
        yield endpoint
    _judge(endpoint, served, endpoints, judged)


def _judge(endpoint: Endpoint, served: Sequence[Served], endpoints: Endpoints, judged: Any) -> None:
    for finished in outcome(served, endpoints, judged):
        result = finished.result
        answers = [exchange.response for exchange in finished.trace.exchanges]
        endpoint.cases[result.id] = [answer.status if answer else None for answer in answers]
        endpoint.findings += [
            f"{result.id} {each.level} {each.id}: {each.expected} / {each.got}" for each in result.findings
        ]
    endpoint.not_served = {**endpoints.not_served(None), **endpoints.not_served(served[0].offer.name)}

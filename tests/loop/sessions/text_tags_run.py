"""Whole runs in the text protocol: the agent, the session, the official SDK and a scripted endpoint in one process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop import Agent, AgentResult, ToolRuntime
from harness.loop.policy import HUGIND, LoopPolicy
from harness.scenario import TurnStep
from harness.trace import Case, Event, RequestRecord
from harness.wire import Text, Turn
from harness.wire.chunking import Chunking
from harness.wire.text_tags.prompt import Skill
from tests.sdks import openai, sessions


async def run(
    *texts: str,
    chunking: Chunking = "event",
    stream: bool = True,
    skills: Mapping[str, Skill] | None = None,
    policy: LoopPolicy = HUGIND,
) -> tuple[AgentResult, list[Event], CaseEndpoint]:
    """Let the loop run against an endpoint that answers with ``texts``, cut between UTF-16 units."""
    case = Case(id="a-case", scenario="text", wire="text-tags", chunking=chunking)
    steps = [TurnStep(Turn((Text(text),), deltas="utf16" if stream else "whole")) for text in texts]
    desk = CaseEndpoint(case, ScriptSource(steps), clock=lambda: 0.0, chunking=chunking)
    endpoints = Endpoints()
    prefix = endpoints.open(case.id, desk)
    http = httpx2.AsyncClient(transport=EndpointTransport(endpoints))
    client = openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", http_client=http, max_retries=0)
    events: list[Event] = []

    async def emitted(event: Event) -> None:
        events.append(event)
        desk.recorder.emitted(event)

    agent = Agent(
        open_session=lambda config: sessions.text_tags.TextTagsSession(config, client, skills=skills),
        send_message=emitted,
        tools=ToolRuntime(skills=skills or {}),
        base_url=f"http://model.test{prefix}",
        stream=stream,
        policy=policy,
    )
    result = await agent.run("gpt-4.1", [("system", "You build pages."), ("user", "A bakery.")])
    endpoints.close(case.id)
    await http.aclose()
    return result, events, desk


def requests(desk: CaseEndpoint) -> list[Any]:
    return [
        json.loads(record.body)["messages"]
        for record in desk.recorder.trace().records
        if isinstance(record, RequestRecord)
    ]

"""A program whose prompts nobody knows, at the endpoint as ``harness serve`` opens it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harness.endpoint import (
    AutomaticModel,
    CaseEndpoint,
    Rounds,
    ScriptSource,
    Source,
)
from harness.finding import Finding
from harness.rules import judge
from harness.rules.trace_view import views
from harness.trace import SERVED, Case
from harness.wire import WireName
from tests.endpoint.endpoint import answered as delivered
from tests.endpoint.endpoint import opened

READ = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = {"type": "function", "function": {"name": "read", "parameters": READ}}
OTHER = {"type": "function", "function": {"name": "write", "parameters": READ}}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(message: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": message["content"]}


class Program:
    """It asks the automatic model; a script first, where there are ``steps``."""

    def __init__(self, *steps: Any, wire: WireName = "openai-chat") -> None:
        self._steps = steps
        self._wire = wire
        self.rounds = Rounds(self._endpoint)
        self.endpoints = opened(self.rounds)

    def _endpoint(self, number: int) -> CaseEndpoint:
        case = Case(
            f"a-case.{number}", "a-case", self._wire, target=SERVED, source="script" if self._steps else "automatic"
        )
        source: Source = ScriptSource(self._steps, AutomaticModel()) if self._steps else AutomaticModel()
        return CaseEndpoint(case, source, clock=lambda: 0.0)

    def ask(self, *messages: Any, tools: Sequence[Any] = (), **members: Any) -> dict[str, Any]:
        body = {"model": "gpt-4.1", "messages": messages, **({"tools": tools} if tools else {}), **members}
        answered = self.post("/v1/chat/completions", body)
        message: dict[str, Any] = answered["choices"][0]["message"] if "choices" in answered else answered
        return message

    def post(self, path: str, body: Any) -> dict[str, Any]:
        answer = delivered(self.endpoints, path, json.dumps(body).encode())
        if body.get("stream"):
            return {}
        whole: dict[str, Any] = json.loads(b"".join(answer.chunks))
        return whole

    @property
    def counts(self) -> list[list[int]]:
        """By round, how many requests each conversation has."""
        return [[each.requests for each in desk.apart] for desk in self.rounds.endpoints]

    @property
    def rules(self) -> list[str]:
        """The rules that are broken."""
        return [each.rule for desk in self.rounds.endpoints for each in judge(desk.recorder.trace())]

    def found(self, *, over: bool = True) -> list[Finding]:
        """What is found once the program has ended."""
        return [
            finding
            for desk in self.rounds.endpoints
            for finding in judge(views(desk.recorder.trace(), conversations=desk.conversations, over=over))
        ]


def answered(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A turn with calls, and their results."""
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "a file"} for call in message["tool_calls"]]
    return [message, *results]


def after_calls(program: Program, *opening: Any) -> list[Any]:
    """The history behind a turn with calls and its results."""
    return [*opening, *answered(program.ask(*opening, tools=[TOOL]))]


def with_an_answer(program: Program, *opening: Any, then: str = "two") -> list[Any]:
    """The history behind calls, results and an answer, with what the user says then."""
    history = after_calls(program, *opening)
    return [*history, said(program.ask(*history, tools=[TOOL])), user(then)]

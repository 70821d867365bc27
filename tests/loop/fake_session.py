"""A session without a provider: it streams scripted deltas, returns scripted turns, and notes what it was given."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.loop import (
    AssistantDelta,
    CallResult,
    Delta,
    OnEvent,
    ProviderTurn,
    SessionConfig,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.wire import FinishReason


@dataclass(frozen=True)
class Answer:
    """What the fake provider does with one request: deltas, and then a turn or a failure."""

    turn: ProviderTurn | None = None
    deltas: tuple[Delta, ...] = ()
    failure: Exception | None = None


def turn(text: str = "", *calls: ToolCall, stop: FinishReason | None = None, refusal: str = "") -> ProviderTurn:
    reason = stop or (FinishReason.TOOL_CALLS if calls else FinishReason.END)
    return ProviderTurn(text, calls, assistant_turn={"text": text}, stop=reason, refusal=refusal, model="")


def streamed(
    text: str = "", *calls: ToolCall, stop: FinishReason | None = None, size: int = 7, thinking: str = ""
) -> Answer:
    """A turn whose thinking, text and arguments arrive in pieces of ``size`` characters."""
    deltas: list[Delta] = [ThinkingDelta(piece) for piece in pieces(thinking, size)]
    deltas += [AssistantDelta(piece) for piece in pieces(text, size)]
    for call in calls:
        deltas += [ToolCallDelta(call.id, call.name, piece) for piece in ["", *pieces(call.arguments, size)]]
    return Answer(turn(text, *calls, stop=stop), tuple(deltas))


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@dataclass
class FakeSession:
    """Gives ``answers`` one after another; ``log`` is everything that happened, in order.

    Its own form of a message is ``{role: ...}``. ``sent`` is the history as each request had it.
    """

    answers: Sequence[Answer]
    log: list[object] = field(default_factory=list)
    requests: int = 0
    appended: list[tuple[ProviderTurn, tuple[CallResult, ...]]] = field(default_factory=list)
    config: SessionConfig | None = None
    closed: int = 0
    history: list[Any] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    sent: list[list[Any]] = field(default_factory=list)

    def open(self, config: SessionConfig) -> FakeSession:
        self.config = config
        return self

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        answer = self.answers[self.requests]
        self.requests += 1
        self.log.append(f"request {self.requests}")
        self.sent.append(copy.deepcopy(self.history))
        for delta in answer.deltas:
            await on_event(delta)
        if answer.failure:
            raise answer.failure
        assert answer.turn is not None
        return answer.turn

    async def whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        self.log.append("whole")
        return await self.stream_turn(on_event)

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        self.log.append("append")
        self.appended.append((turn, tuple(call_results)))
        self.history += self.turn_messages(turn) + self.result_messages(turn, call_results)

    def append_user(self, text: str) -> None:
        self.log.append("append user")
        self.history.append(self.message("user", text))

    def message(self, role: str, text: str) -> dict[str, Any]:
        return {role: text}

    def turn_messages(self, turn: ProviderTurn) -> list[dict[str, Any]]:
        return [{"assistant": turn.assistant_turn["text"], "calls": [call.id for call in turn.tool_calls]}]

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[dict[str, Any]]:
        results = [{"results": {each.call.id: each.result for each in call_results}}] if call_results else []
        return results + [{"user": each.extra} for each in call_results if each.extra]

    def set_params(self, **fields: Any) -> None:
        self.params.update(fields)

    async def close(self) -> None:
        self.closed += 1

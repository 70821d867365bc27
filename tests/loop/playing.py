"""Plays the engine as a driver would, without an event loop: the test says what the model and the tools gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.loop import AgentError, AgentResult, ToolCall, ToolOutcome
from harness.loop.deferral import ToolKind
from harness.loop.effects import Effect, Emit, Flow, RunTool, RunTools, StreamTurn
from tests.loop.fake_session import Answer

Outcomes = Mapping[str, ToolOutcome]
Order = Callable[[tuple[ToolCall, ...]], Sequence[ToolCall]]


@dataclass
class StubTools:
    """Tools that are never run: the test says what came of each call. Arguments ``?`` fit no tool."""

    code: str | None = None
    kinds: Mapping[str, ToolKind] = field(default_factory=dict)

    def kind(self, name: str) -> ToolKind:
        return self.kinds.get(name, "function")

    def accepts(self, call: ToolCall) -> bool:
        return call.arguments != "?"

    def previews(self, name: str) -> bool:
        return name == "create_file"

    def summary(self, name: str, arguments: Any) -> Any:
        return dict(arguments)

    def call_summary(self, call: ToolCall) -> Any:
        return f"summary of {call.id}"


@dataclass
class Played:
    """Every effect of a run in order, and how it ended."""

    effects: list[Effect] = field(default_factory=list)
    result: AgentResult | None = None
    error: AgentError | None = None

    def told(self, *kinds: type) -> list[Any]:
        events = [effect.event for effect in self.effects if isinstance(effect, Emit)]
        return [event for event in events if isinstance(event, kinds)] if kinds else events

    def of(self, kind: type) -> list[Any]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    @property
    def ended(self) -> AgentResult:
        assert self.result is not None, self.error
        return self.result


def play_flow(
    flow: Flow[AgentResult], answers: Sequence[Answer] = (), outcomes: Outcomes | None = None, order: Order = tuple
) -> Played:
    """Drive ``flow``. Deltas are heard; ``outcomes`` are by call id; tools that run at once end in ``order``."""
    played, left = Played(), list(answers)

    def outcome_of(call: ToolCall) -> ToolOutcome:
        return (outcomes or {}).get(call.id, ToolOutcome("ok", "ok"))

    try:
        effect = next(flow)
        while True:
            played.effects.append(effect)
            happened: Any = None
            match effect:
                case StreamTurn(hear):
                    answer = left.pop(0)
                    for delta in answer.deltas:
                        played.effects += [Emit(event) for event in hear(delta)]
                    if answer.failure:
                        effect = flow.throw(answer.failure)
                        continue
                    happened = answer.turn
                case RunTool(call):
                    happened = outcome_of(call)
                case RunTools(calls, ended):
                    for call in order(calls):
                        played.effects += [Emit(event) for event in ended(call, outcome_of(call))]
            effect = flow.send(happened)
    except StopIteration as end:
        played.result = end.value
    except AgentError as error:
        played.error = error
    return played

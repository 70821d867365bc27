"""A request as the checks look at it: the steps that it sends, those that it names, and what was issued to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.wire.base import Conversation, IssuedState, Json
from harness.wire.gemini_interactions.models import MODELS
from harness.wire.gemini_interactions.steps import CALL, INPUT, RESULT, THOUGHT, flattened, kind_of
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string

Found = Iterator[Finding]
"""What a check finds."""

_LONGEST: Final = 160


def brief(value: Any) -> str:
    """A value as a finding shows it."""
    return f"{value if isinstance(value, str) else compact(value):.{_LONGEST}}"


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A step. ``sent``: this request has it; else it is one of an interaction that the request names."""

    native: Json
    at: str
    sent: bool = True

    @property
    def kind(self) -> str:
        """Its type."""
        return kind_of(self.native)

    @property
    def id(self) -> str:
        """The id of a call, or of the call that a result answers."""
        return string(self.native.get("call_id" if "call_id" in self.native else "id"))

    @property
    def signature(self) -> str:
        """The signature; empty if it has none."""
        return string(self.native.get("signature"))


@dataclass(frozen=True, slots=True)
class InteractionTurn:
    """What the model says at once, and what the client sends before the model speaks again."""

    spoken: tuple[PlacedStep, ...]
    replied: tuple[PlacedStep, ...]

    @property
    def calls(self) -> tuple[PlacedStep, ...]:
        """The calls that the client runs."""
        return tuple(step for step in self.spoken if step.kind == CALL)

    @property
    def thoughts(self) -> tuple[PlacedStep, ...]:
        """The thoughts."""
        return tuple(step for step in self.spoken if step.kind == THOUGHT)

    @property
    def results(self) -> tuple[PlacedStep, ...]:
        """The results that the client sends."""
        return tuple(step for step in self.replied if step.kind == RESULT)


@dataclass(frozen=True)
class InteractionRequest:
    """A request beside what the endpoint has issued."""

    conversation: Conversation
    issued: IssuedState

    @property
    def body(self) -> Json:
        """Its body."""
        return self.conversation.body

    @property
    def previous(self) -> str:
        """The id of the interaction that it names; empty if it names none."""
        return string(self.body.get("previous_interaction_id"))

    def fact(self, name: str) -> Any:
        """The fact with this name about the model; None if there is none."""
        return MODELS.value(name, self.conversation.model)

    @cached_property
    def sent(self) -> tuple[PlacedStep, ...]:
        """The steps of the request itself."""
        return tuple(PlacedStep(native, at) for native, at in flattened(self.body.get("input")))

    @cached_property
    def stored(self) -> tuple[PlacedStep, ...]:
        """The steps of the interactions that the request continues, if the endpoint has issued them."""
        turns: list[list[PlacedStep]] = []
        found = self.issued.find(self.previous)
        while found is not None and len(turns) <= len(self.issued.turns):
            asked, reply = found
            steps = [native for native, _ in flattened(asked.body.get("input"))]
            turns.append([PlacedStep(native, f"{reply.id}", sent=False) for native in (*steps, *reply.items)])
            found = self.issued.find(string(asked.body.get("previous_interaction_id")))
        return tuple(step for turn in reversed(turns) for step in turn)

    @property
    def names_unknown(self) -> bool:
        """Whether it continues an unknown interaction, so that its history cannot be judged."""
        return bool(self.previous) and not self.stored

    @cached_property
    def turns(self) -> tuple[InteractionTurn, ...]:
        """The history as turns of the model; the first begins with what the client sends."""
        return tuple(_turns((*self.stored, *self.sent)))

    @cached_property
    def current(self) -> int:
        """The number of the first turn after the user's last text; earlier turns are over."""
        spoken = (number for number, turn in enumerate(self.turns) if any(each.kind == INPUT for each in turn.replied))
        return max(spoken, default=-1) + 1

    @cached_property
    def functions(self) -> tuple[Json, ...]:
        """The declarations of tools that the client runs."""
        return tuple(tool for tool in objects(self.body.get("tools")) if tool.get("type") == "function")

    @cached_property
    def generation(self) -> Json:
        """The member ``generation_config``."""
        return members(self.body.get("generation_config"))

    @property
    def listed(self) -> Sequence[Any]:
        """The entries of ``input`` as they are."""
        return entries(self.body.get("input"))


def _turns(steps: Sequence[PlacedStep]) -> Iterator[InteractionTurn]:
    spoken: list[PlacedStep] = []
    replied: list[PlacedStep] = []
    for step in steps:
        if step.kind in (INPUT, RESULT):
            replied.append(step)
            continue
        if replied:
            yield InteractionTurn(tuple(spoken), tuple(replied))
            spoken, replied = [], []
        spoken.append(step)
    if spoken or replied:
        yield InteractionTurn(tuple(spoken), tuple(replied))

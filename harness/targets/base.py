"""What the harness asks of a system under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.scenario import CallerAction, Round, Skill, Tool
from harness.trace import Event
from harness.wire import WireName

__all__ = ["MODELS", "Assignment", "Target"]

MODELS: dict[WireName, str] = {
    "openai-responses": "gpt-5.5",
    "openai-chat": "gpt-4.1",
    "anthropic-messages": "claude-sonnet-4-6",
    "gemini-generate": "gemini-3.6-flash",
    "text-tags": "qwen3-8b",
}
"""The model that a case asks for. Names matter: Chat refuses tools for newer reasoning models (rule OAC-14)."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One case, as a target is given it.

    ``base_url`` is the case's own endpoint without a version path. ``prompt`` are (role, text) pairs. ``emit``
    takes every event in the order in which the loop tells its user. ``turn_limit`` None means the target's own.
    ``options`` are the codes that the tool ``retrieve_option`` reads. What only some profiles have stands at the end:
    ``skills``, ``resolve`` (what becomes of calls that wait) and ``caller`` (what a caller does between turns), as in
    ``harness.scenario.Scenario``.
    """

    wire: WireName
    model: str
    base_url: str
    prompt: Sequence[tuple[str, str]]
    tools: Sequence[Tool]
    emit: Callable[[Event], None]
    stream: bool = True
    turn_limit: int | None = None
    options: Sequence[str] = ()
    api_key: str = "harness"
    profile: str = "universal"
    skills: Mapping[str, Skill] = field(default_factory=dict)
    resolve: Sequence[Round] = ()
    caller: Mapping[int, Sequence[CallerAction]] = field(default_factory=dict)


class Target(Protocol):
    """A system under test behind a small driver.

    ``wires`` are those that it speaks, ``profiles`` the contracts that it claims to keep (``universal`` among them).
    ``run`` drives the loop once. A failure that the loop reports to its user (an event) is not raised; what is
    raised is a crash of the target.
    """

    @property
    def name(self) -> str: ...

    @property
    def wires(self) -> frozenset[WireName]: ...

    @property
    def profiles(self) -> frozenset[str]: ...

    async def run(self, assignment: Assignment) -> None: ...

    async def close(self) -> None: ...

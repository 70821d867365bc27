"""What the harness asks of a system under test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.scenario import Tool
from harness.trace import Event
from harness.wire import WireName

__all__ = ["MODELS", "Assignment", "Target"]

MODELS: dict[WireName, str] = {
    "openai-responses": "gpt-5.5",
    "openai-chat": "gpt-4.1",
    "anthropic-messages": "claude-sonnet-4-6",
    "gemini-generate": "gemini-3.6-flash",
}
"""The model that a case asks for. Names matter: Chat refuses tools for newer reasoning models (rule OAC-14)."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One case, as a target is given it.

    ``base_url`` is the case's own endpoint without a version path. ``prompt`` are (role, text) pairs. ``emit``
    takes every event in the order in which the loop tells its user. ``turn_limit`` None means the target's own.
    ``options`` are the codes that the tool ``retrieve_option`` reads.
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


class Target(Protocol):
    """A system under test behind a small driver.

    ``run`` drives the loop once. A failure that the loop reports to its user (an event) is not raised; what is
    raised is a crash of the target.
    """

    @property
    def name(self) -> str: ...

    @property
    def wires(self) -> frozenset[WireName]: ...

    async def run(self, assignment: Assignment) -> None: ...

    async def close(self) -> None: ...

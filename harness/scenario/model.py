"""A scenario as the rest of the harness sees it: compiled, checked, frozen.

What a person writes (``authored.py``) has short forms and defaults; here everything is spelt out. ``loader.py``
turns one into the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.scenario.automaton import EventExpression
from harness.trace import JsonValue
from harness.wire import ToolDeclaration, Turn, WireName
from harness.wire.chunking import CHUNKINGS, Chunking

__all__ = [
    "CHUNKINGS",
    "PROFILES",
    "Chunking",
    "Cut",
    "Expect",
    "ExpectedError",
    "FinalExpect",
    "HttpErrorStep",
    "Outcome",
    "Scenario",
    "Step",
    "Tool",
    "TurnStep",
]

PROFILES: Mapping[str, str] = {
    "universal": "holds for every agent loop",
    "screenshot-to-code": "create_file and edit_file on one page, previews while arguments arrive, 20 turns",
}
"""The contracts that a scenario can belong to."""

Outcome = Literal["completed", "truncated", "refused", "failed", "turn-limit"]
"""How a run ends. ``turn-limit`` is the one failure that has its own name."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the loop may run.

    The loop under test brings the ``canonical`` tools itself. Any other tool answers every call with ``returns``,
    or fails with the message ``raises``.
    """

    declaration: ToolDeclaration
    returns: JsonValue = None
    raises: str | None = None
    canonical: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks after this many SSE events: closed in mid-answer (``cut``) or by a TCP reset."""

    after: int
    how: Literal["cut", "reset"] = "cut"


@dataclass(frozen=True, slots=True)
class TurnStep:
    """The endpoint answers with a model turn, perhaps not to its end."""

    turn: Turn
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class HttpErrorStep:
    """The endpoint answers with an HTTP error in the provider's own form. ``retry_after`` is in seconds."""

    status: int
    retry_after: float | None = None


Step = TurnStep | HttpErrorStep


@dataclass(frozen=True, slots=True)
class FinalExpect:
    """What the code of the ``final`` event must be."""

    equals: str | None = None
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """The ``error`` event that must end the run: its kind, and a part of its message (``""``: any)."""

    kind: str
    contains: str = ""


@dataclass(frozen=True, slots=True)
class Expect:
    """What must be true of the trace beyond the rules that hold for every trace. None: not asked.

    ``turns`` counts the model turns that the endpoint answered, ``requests`` every request, retries included.
    """

    outcome: Outcome
    turns: int | None = None
    requests: int | None = None
    events: EventExpression | None = None
    final: FinalExpect | None = None
    error: ExpectedError | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One declared test.

    ``prompt`` are (role, text) pairs, role ``system`` or ``user``. ``steps`` are the endpoint's answers, in order.
    ``turn_limit`` None leaves the limit to the profile. ``options`` are the codes that ``retrieve_option`` reads.
    """

    name: str
    profile: str
    summary: str
    wires: tuple[WireName, ...]
    prompt: tuple[tuple[str, str], ...]
    tools: tuple[Tool, ...]
    steps: tuple[Step, ...]
    expect: Expect
    path: Path
    chunkings: tuple[Chunking, ...] = ("event",)
    stream: bool = True
    turn_limit: int | None = None
    options: tuple[str, ...] = ()

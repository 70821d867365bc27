"""What a span shows of a request to a model (all, a part, or nothing), and what of it can be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from harness.lint.judging import LintedRequest
from harness.wire import Conversation, Reply
from harness.wire.rule import EVERY_FACT, Fact

Grade = Literal["whole", "in part", "not at all"]

Why = Literal[
    "content is not recorded",
    "hidden",
    "cut by the recorder",
    "what was sent is not recorded",
    "ids of two kinds",
    "no format that is known",
]
"""Why something is not judged."""

BODY_FACTS: Final[frozenset[Fact]] = EVERY_FACT - {"tool-runs"}
"""What a whole request with its response shows."""


@dataclass(frozen=True, slots=True)
class WholeTurn:
    """A request as it was sent to the provider, with its response if that is recorded, too."""

    asked: LintedRequest

    grade: Grade = "whole"
    facts: frozenset[Fact] = BODY_FACTS


@dataclass(frozen=True, slots=True)
class PartialTurn:
    """What a span shows of a request in neutral form. ``facts`` are the facts that its source records."""

    conversation: Conversation
    reply: Reply | None
    facts: frozenset[Fact]
    notes: tuple[Why, ...] = ()

    grade: Grade = "in part"


@dataclass(frozen=True, slots=True)
class Gap:
    """A request that cannot be judged at all. ``hint`` is what a person can do about it, if that is known."""

    why: Why
    hint: str = ""

    grade: Grade = "not at all"
    facts: frozenset[Fact] = frozenset()


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run of a tool: what happened. (An event is what a user was shown.)

    ``id`` is the call's, ``""`` if the span has none. ``ok`` is None if it is unknown. ``how``: the tool ran, was
    refused before it could, or it is unknown.
    """

    trace: str
    span: str
    id: str
    name: str
    arguments: Any
    result: Any
    ok: bool | None
    began: int
    ended: int
    how: Literal["ran", "refused", "unknown"]
    line: int = 0
    beside: Mapping[str, Any] = field(default_factory=dict)

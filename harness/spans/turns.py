"""What a span shows of a request to a model: all of it, a part, or nothing; and what can be judged of that."""

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
    """A request as the provider was sent it, with its response where that is recorded, too."""

    asked: LintedRequest

    grade: Grade = "whole"
    facts: frozenset[Fact] = BODY_FACTS


@dataclass(frozen=True, slots=True)
class PartialTurn:
    """What a span shows of a request in neutral words. ``facts`` are those that its source records."""

    conversation: Conversation
    reply: Reply | None
    facts: frozenset[Fact]
    notes: tuple[Why, ...] = ()

    grade: Grade = "in part"


@dataclass(frozen=True, slots=True)
class Gap:
    """A request of which nothing can be judged. ``hint`` says what a person can do about it, where that is known."""

    why: Why
    hint: str = ""

    grade: Grade = "not at all"
    facts: frozenset[Fact] = frozenset()


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run of a tool: what happened, unlike an event, which says what a user was shown.

    ``id`` is that of the call, ``""`` where the span has none. ``ok`` is None where nothing says it. ``how``: the tool
    has run, was refused before it could, or nobody knows.
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

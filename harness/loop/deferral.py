"""Calls that the loop does not run by itself, and their later resolutions.

Source of the kinds: "Tool Call Flow Diagrams", sections "Detailed Tool Execution Flow" and "Tool Kind Hierarchy".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.errors import BadInput
from harness.loop.session import ToolCall
from harness.trace import JsonValue

ToolKind = Literal["function", "output", "external", "unapproved"]
"""``function``: the loop runs it. ``output``: its arguments are the run's result. ``external``: somebody else runs it.
``unapproved``: the loop runs it after approval."""


@dataclass(frozen=True, slots=True)
class DeferredCall:
    """A call that waits for a result (kind ``external``) or for approval (kind ``unapproved``)."""

    call: ToolCall
    kind: ToolKind


@dataclass(frozen=True, slots=True)
class Approved:
    """An unapproved call may run."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The call does not run, and its result for the model is ``message``."""

    message: str = "The tool call was denied."


@dataclass(frozen=True, slots=True)
class Supplied:
    """The result of an external call that was run elsewhere."""

    result: JsonValue
    ok: bool = True


Resolution = Approved | Denied | Supplied


def check_resolutions(deferred: Sequence[DeferredCall], resolved: Mapping[str, Resolution]) -> None:
    """Raise ``BadInput`` for resolutions, by call id, that do not fit the calls that wait."""
    waiting = {each.call.id: each for each in deferred}
    problems = []
    for id, resolution in resolved.items():
        if id not in waiting:
            problems.append(f"no call {id!r} waits; waiting: {', '.join(waiting) or 'none'}")
        elif isinstance(resolution, Supplied) and waiting[id].kind != "external":
            problems.append(f"call {id!r} waits for approval; expected Approved or Denied, got a result")
        elif isinstance(resolution, Approved) and waiting[id].kind != "unapproved":
            problems.append(f"call {id!r} is not run here; expected Supplied or Denied, got an approval")
    if problems:
        raise BadInput(*problems)

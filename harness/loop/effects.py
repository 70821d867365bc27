"""The effects that the engine wants. The driver performs them and sends back what happened.

StreamTurn   -> ProviderTurn, or TurnFailed is thrown in
RunTool      -> ToolOutcome
RunTools     -> None, when all have ended
Emit         -> None, once the user's side has taken the event
Append       -> None
AppendUser   -> None
Wait         -> None, when the time has passed
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from harness.loop.session import CallResult, Delta, ProviderTurn, ToolCall
from harness.loop.tools import ToolOutcome
from harness.trace import Event


@dataclass(frozen=True, slots=True)
class StreamTurn:
    """Ask the model for a turn. Each delta goes to ``hear`` as it arrives; the events that it returns go to the user.

    ``whole``: ask without a stream, even if the session streams otherwise.
    """

    hear: Callable[[Delta], Sequence[Event]]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run a tool. A failure is an outcome, too."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run tools all at once. Each outcome goes to ``ended``, and the events that ``ended`` returns to the user."""

    calls: tuple[ToolCall, ...]
    ended: Callable[[ToolCall, ToolOutcome], Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Emit:
    """Emit the event to the user."""

    event: Event


@dataclass(frozen=True, slots=True)
class Append:
    """Add a turn and the results of its calls to the session's history."""

    turn: ProviderTurn
    call_results: tuple[CallResult, ...]


@dataclass(frozen=True, slots=True)
class AppendUser:
    """Add a message of the user to the session's history."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait before the next request."""

    seconds: float


Effect = StreamTurn | RunTool | RunTools | Emit | Append | AppendUser | Wait

_T = TypeVar("_T")
Flow: TypeAlias = Generator[Effect, Any, _T]
"""Steps that want effects and end with a value. What an effect sends back depends on the effect."""

"""The provider contract of the loop: what a session does for the engine, whatever the provider.

Source: the design document "Agent Tool-Calling Flow", sections "Provider-Specific Continuation" and "Core
Tool-Calling Loop". A session owns the request history in its provider's own format. The engine sees only
neutral values and hands ``ProviderTurn.assistant_turn`` back untouched.

    TurnFailed      the model did not give a usable turn; nothing of it may be executed
    ├── HttpFailed      the provider answered with an error status, or could not be reached
    └── StreamFailed    the stream broke: in-stream error, failed response, cut, or no terminal event
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from harness.wire import FinishReason, ToolDeclaration, Usage, WireName


@dataclass(frozen=True, slots=True)
class AssistantDelta:
    """A piece of text for the user; never empty, never half a surrogate pair."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of thinking; never empty, never half a surrogate pair."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More of a call's arguments.

    ``id`` is the id that the finished ``ToolCall`` will have, even if the provider sent none or a repeated one.
    ``arguments`` is the new piece of JSON text, possibly empty.
    """

    id: str
    name: str
    arguments: str


Delta = AssistantDelta | ThinkingDelta | ToolCallDelta
OnEvent = Callable[[Delta], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished call. ``arguments`` is the JSON text as the model wrote it; the runtime parses it, strictly.

    ``id`` is unique within the run: the provider's id, or an invented one if the provider sent none or repeated one.
    The id of a call in a turn that broke off is not used again.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in the model's answer, such as an image that it has drawn. ``media_type`` is the provider's."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ProviderTurn:
    """One finished model turn.

    ``assistant_turn`` is provider-native and goes back verbatim with the results. ``refusal`` has the model's
    words of refusal, if the wire has a part for them. ``files`` are the files in the answer itself, in order. ``model``
    is the name in the response, and ``created`` its time in seconds since 1970; ``""`` and None if it has none.
    """

    assistant_text: str
    tool_calls: tuple[ToolCall, ...]
    assistant_turn: Any
    stop: FinishReason
    thinking_text: str = ""
    refusal: str = ""
    usage: Usage = Usage()
    files: tuple[ModelFile, ...] = ()
    model: str = field(kw_only=True)
    created: float | None = None


@dataclass(frozen=True, slots=True)
class CallResult:
    """A call with its result for the model: a JSON-serialisable ``result``, and whether the call succeeded.

    ``extra`` is a user text that follows the results of all calls of the turn. ``metadata`` stays with the caller: no
    session sends it.
    """

    call: ToolCall
    result: Any
    ok: bool
    extra: str | None = None
    metadata: Any = None


class TurnFailed(Exception):
    """The model returned no usable turn. Each subclass has a stable ``kind`` for events and reports."""

    kind: ClassVar[str]


class HttpFailed(TurnFailed):
    """The provider answered with an error status (``status``), or could not be reached (``status`` None).

    No delta of the turn has arrived, because a failure after an answer has begun is ``StreamFailed``. So the same
    request can be sent again and the user sees nothing of it.
    ``retry_after`` is how many seconds the provider asked the client to wait, None if it named no time.
    Sessions switch the SDK's own retries off: the engine retries in the same way on every wire.
    """

    kind = "http"

    def __init__(self, message: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class StreamFailed(TurnFailed):
    """The stream broke after it had begun: an in-stream error, a failed response, a cut, or no terminal event."""

    kind = "stream"


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """The configuration of a session. ``base_url`` has no version path; each session adds its wire's own.

    ``prompt`` are (role, text) pairs, role ``system`` or ``user``. ``stream`` False asks for whole responses.
    ``transport`` is the channel for streams, on a wire that has it; empty means HTTP.
    """

    model: str
    prompt: Sequence[tuple[str, str]]
    tools: Sequence[ToolDeclaration]
    base_url: str
    api_key: str = "harness"
    stream: bool = True
    transport: str = ""


class ProviderSession(Protocol):
    """One conversation with one provider."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn, pass every delta to ``on_event`` as it arrives, and return the whole turn.

        Raises ``TurnFailed`` if the turn cannot be used.
        """

    async def whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        """The same without a stream, even in a session for streams. It is the fallback after a broken stream."""

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        """Append the model's turn unchanged and one result per call, in call order; then the extra texts of calls.

        Without results only the turn is appended (a paused turn goes on when it is sent back).
        """

    def append_user(self, text: str) -> None:
        """Append a message of the user."""

    async def close(self) -> None:
        """Close what the session itself has opened. Shared clients stay open."""


class EditableSession(ProviderSession, Protocol):
    """A session whose history a caller may read and change between turns, in the provider's own form."""

    history: list[Any]

    @property
    def wire(self) -> WireName:
        """The name of the wire."""

    def stored(self) -> dict[str, Any]:
        """What a later session of the same wire needs to go on, as JSON: the history, and the ids of its calls."""

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Replace the history with what an earlier session of the same wire has stored, and go on from there."""

    def stored_turn(self, turn: ProviderTurn) -> dict[str, Any]:
        """The last turn, as JSON, for a later session of the same wire. It is not in the history while calls wait."""

    def restored_turn(self, stored: Mapping[str, Any]) -> ProviderTurn:
        """The turn that an earlier session of the same wire has stored."""

    def message(self, role: str, text: str) -> Any:
        """A message of the ``user`` or the ``assistant``."""

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """The model's turn unchanged; empty if it has nothing that the wire can carry."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """The answers to the turn's calls, in call order, and then the extra texts of calls."""

    def set_params(self, **fields: Any) -> None:
        """Change fields of further requests, by the provider's names. The history is not one of them."""

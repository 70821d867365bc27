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

    ``id`` is the id that the finished ``ToolCall`` will have, also when the provider sent none or one twice.
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

    ``id`` is unique within the run: what the provider sent, or an invented one where it sent none or repeated one. No
    other call gets that of a call in a turn that broke off.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file in the model's answer, such as an image that it has drawn. ``media_type`` is as the provider says it."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ProviderTurn:
    """One finished model turn.

    ``assistant_turn`` is provider-native and goes back verbatim with the results. ``refusal`` is the model's
    own words where the wire has a part for them. ``files`` are in the answer itself, in order. ``model`` is the name
    and ``created`` the time, in seconds since 1970, that the response says; ``""`` and None where it says none.
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

    ``extra`` is text that follows the results of all calls of the turn, as the user's. ``metadata`` stays with the
    caller: no session sends it.
    """

    call: ToolCall
    result: Any
    ok: bool
    extra: str | None = None
    metadata: Any = None


class TurnFailed(Exception):
    """The model did not give a usable turn. ``kind`` is a stable word for events and reports, of each subclass."""

    kind: ClassVar[str]


class HttpFailed(TurnFailed):
    """The provider answered with an error status (``status``), or could not be reached (``status`` None).

    No delta of the turn has come: what fails once an answer has begun is ``StreamFailed``, so the same request can be
    sent again and nobody notices.
    ``retry_after`` is how many seconds the provider asked the client to wait, None where it did not say.
    Sessions switch the SDK's own retries off: the engine retries, alike on every wire.
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
    """What a session is opened with. ``base_url`` has no version path; each session adds its wire's own.

    ``prompt`` are (role, text) pairs, role ``system`` or ``user``. ``stream`` False asks for whole responses.
    ``transport`` is the channel on which streams are to be asked for, on a wire that has it; empty: over HTTP.
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

        Raises ``TurnFailed`` when the turn cannot be used.
        """

    async def whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        """The same without a stream, whatever the session was opened for: the way back where a stream has broken."""

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        """Append the model's turn as it came and one result per call, in call order; then what calls said beside it.

        With no results only the turn is appended (a paused turn goes on by sending it back).
        """

    def append_user(self, text: str) -> None:
        """Append a message of the user."""

    async def close(self) -> None:
        """Release what the session itself opened; shared clients stay open."""


class EditableSession(ProviderSession, Protocol):
    """A session whose history a caller may read and change between turns, in the provider's own form."""

    history: list[Any]

    @property
    def wire(self) -> WireName:
        """The name of the wire."""

    def stored(self) -> dict[str, Any]:
        """What a later session of the same wire needs to go on, as JSON: the history, and the ids of its calls."""

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session of the same wire has stored, in place of the own history."""

    def stored_turn(self, turn: ProviderTurn) -> dict[str, Any]:
        """The last turn, as JSON, for a later session of the same wire: it is not in the history while calls wait."""

    def restored_turn(self, stored: Mapping[str, Any]) -> ProviderTurn:
        """The turn that an earlier session of the same wire has stored."""

    def message(self, role: str, text: str) -> Any:
        """A message of the ``user`` or the ``assistant``."""

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """The model's turn as it came; none where it said nothing that the wire could carry."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """The answers to the turn's calls, in call order, and what calls said beside them."""

    def set_params(self, **fields: Any) -> None:
        """Change fields of the requests to come, by the provider's names; the history is not one of them."""

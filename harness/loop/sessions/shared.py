"""What sessions of all providers share: a growing history, reading of streams, ids for calls without a usable one,
results as text, and the wait that an answer's headers request."""

from __future__ import annotations

import asyncio
import base64
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, Protocol, TypeVar

from harness.loop.session import CallResult, Delta, ModelFile, OnEvent, ProviderTurn, ToolCall, TurnFailed
from harness.wire import FinishReason, Route, ThinkingPart, WireName, wire
from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.lenient import string

LENT_KEY: Final = "per-request"
"""The key of a client that lends its connections to sessions. No request may have it: sessions send their own."""

_UNFINISHED: Final = ("queued", "in_progress")
_BETWEEN_FETCHES: Final = 0.2  # seconds

_Event = TypeVar("_Event")
_STANDARD_ALPHABET = str.maketrans("-_", "+/")


class _Ends(Protocol):
    @property
    def ended(self) -> bool: ...


class OwnHistory(ABC):
    """A session's history in its provider's own form (``EditableSession``). What is sent is this list.

    ``_stream``: whether the next turn is requested as a stream. ``_call_ids`` are the ids of all calls so far, even of
    turns that broke off: the user may have seen them. ``_fixed`` are the members that all requests have.
    """

    history: list[Any]
    _call_ids: set[str]
    _stream: bool
    _fixed: dict[str, Any]

    @property
    def wire(self) -> WireName:
        """The wire: the module of a session has its name (``harness.loop.sessions``)."""
        return type(self).__module__.removeprefix(f"{__package__}.").partition(".")[0].replace("_", "-")

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on (``EditableSession.stored``)."""
        return {"history": list(self.history), "call_ids": sorted(self._call_ids)}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored (``EditableSession.restore``)."""
        self.history[:] = stored["history"]
        self._call_ids.update(stored["call_ids"])

    def stored_turn(self, turn: ProviderTurn) -> dict[str, Any]:
        """The last turn for a later session (``EditableSession.stored_turn``)."""
        return {
            "text": turn.assistant_text,
            "calls": [[call.id, call.name, call.arguments] for call in turn.tool_calls],
            "native": turn.assistant_turn,
            "stop": turn.stop.value,
            "model": turn.model,
        }

    def restored_turn(self, stored: Mapping[str, Any]) -> ProviderTurn:
        """The turn that an earlier session has stored (``EditableSession.restored_turn``)."""
        calls = tuple(ToolCall(*call) for call in stored["calls"])
        return ProviderTurn(
            stored["text"], calls, stored["native"], FinishReason(stored["stop"]), model=stored["model"]
        )

    @abstractmethod
    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""

    async def whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn without a stream (``ProviderSession.whole_turn``)."""
        kept, self._stream = self._stream, False
        try:
            return await self.stream_turn(on_event)
        finally:
            self._stream = kept

    def message(self, role: str, text: str) -> Any:
        """A message of the ``user`` or the ``assistant``."""
        return {"role": role, "content": sendable(text)}

    @abstractmethod
    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """The model's turn unchanged."""

    @abstractmethod
    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """The answers to the turn's calls, in call order, and then the extra texts of calls."""

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        """Append the model's turn and the answers to its calls (``ProviderSession.append_tool_results``).

        A finished turn that has only thoughts is left out, because providers refuse it (ANT-LAST, OAI-14). So is an
        empty turn.
        """
        native = self.turn_messages(turn)
        if turn.stop is FinishReason.END and _only_thinks(self.wire, native):
            return
        self.history += native + self.result_messages(turn, call_results)

    def set_params(self, **fields: Any) -> None:
        """Change fields of further requests."""
        self._fixed.update(fields)

    def append_user(self, text: str) -> None:
        """Append a message of the user."""
        self.history.append(self.message("user", text))

    async def close(self) -> None:  # noqa: B027 - one on a client that is lent has nothing to close
        """Close what the session has opened (``ProviderSession.close``)."""


def _only_thinks(name: WireName, messages: Sequence[Any]) -> bool:
    """Whether messages of a wire contain only thoughts, or nothing."""
    speaker = wire(name)
    asked = speaker.read(Route(name), json.dumps({speaker.history: list(messages)}).encode())
    return all(isinstance(part, ThinkingPart) for each in asked.messages for part in each.parts)


async def listen(
    stream: AsyncIterator[Any],
    read: Callable[[Any], _Event] | None,
    feed: Callable[[_Event], Sequence[Delta]],
    on_event: OnEvent,
    broken: tuple[type[Exception], ...],
    failure: Callable[[Any], TurnFailed],
) -> None:
    """Pass to ``on_event`` the deltas that ``feed`` makes of each event. ``read`` builds an event from an item of the
    stream; None: the items are events already.

    Raises what ``failure`` makes of a ``broken`` stream. Exceptions of ``on_event`` pass unchanged: they may have the
    same types, so the try statement contains only the stream and its events. There is no generator between, because
    every event would pass through it.
    """
    while True:
        try:
            event = await anext(stream)
            if read is not None:
                event = read(event)
        except StopAsyncIteration:
            return
        except broken as error:
            raise failure(error) from error
        for delta in feed(event):
            await on_event(delta)


async def to_the_end(stream: AsyncIterator[_Event], reader: _Ends) -> AsyncIterator[_Event]:
    """The events up to the terminal one. The SDK would read to the end of the connection, which may never come."""
    async for event in stream:
        yield event
        if reader.ended:
            return


def as_it_came(event: _Event) -> _Event:
    """The event itself, for a stream whose items are events already."""
    return event


async def when_done(answer: Any, fetch: Callable[[str], Awaitable[Any]]) -> Any:
    """An answer that the provider makes in the background, once it is done. Other answers are returned unchanged."""
    while getattr(answer, "status", "") in _UNFINISHED:
        await asyncio.sleep(_BETWEEN_FETCHES)
        answer = await fetch(answer.id)
    return answer


def extras(call_results: Sequence[CallResult]) -> Iterator[str]:
    """The extra texts of calls."""
    return (sendable(each.extra) for each in call_results if each.extra)


def seconds(time: object) -> float | None:
    """A time in seconds since 1970; None if the provider names none."""
    return float(time) if isinstance(time, int | float) and not isinstance(time, bool) else None


def in_words(error: BaseException) -> str:
    """The text of an error. HTTPX2 has none for a connection that was reset."""
    return str(error) or f"the connection is lost: {type(error).__name__}"


def in_container(named: Any, id: str) -> Any:
    """The container for requests, with the id that the provider has sent. The other settings in ``named`` stay."""
    return {**named, "id": id} if isinstance(named, dict) else id


def files_in(items: Iterable[Json]) -> Iterator[ModelFile]:
    """The pictures that the model has drawn, from the pieces of an answer. Unreadable ones are left out."""
    for item in items:
        match item:
            case {"type": "image_generation_call", "result": str(data)}:
                kind = f"image/{item.get('output_format') or 'png'}"
            case {"inlineData": {"data": str(data), **inline}} if not item.get("thought"):
                kind = string(inline.get("mimeType"))
            case _:
                continue
        if file := _bytes_of(data):
            yield ModelFile(kind, file)


def _bytes_of(data: str) -> bytes:
    """The bytes of a Base64 text in either alphabet; empty if it is no such text."""
    try:
        return base64.b64decode(data.translate(_STANDARD_ALPHABET), validate=True)
    except ValueError:
        return b""


def unique_id(provider_id: Any, taken: Collection[str], form: str) -> str:
    """Return ``provider_id``, or the next free id of ``form`` (``"call_{:04}"``) if it is no text, empty or taken."""
    if isinstance(provider_id, str) and provider_id and provider_id not in taken:
        return provider_id
    return next(each for each in map(form.format, count(len(taken))) if each not in taken)


def result_text(result: Any) -> str:
    """A tool's result as the JSON text that the model reads."""
    return sendable(json.dumps(result, ensure_ascii=False))


def words_in(body: bytes) -> str:
    """The body of an error as text, even if its bytes are no valid text."""
    return body.decode("utf-8", "replace")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait. A header with milliseconds is preferred, because it is exact. A date is ignored."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
    return None

"""The Anthropic Messages session: every request has the whole history, with the model's turns unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream
from anthropic._base_client import get_platform

from harness.loop.session import CallResult, HttpFailed, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.anthropic_messages.reader import MessagesReader
from harness.loop.sessions.events import as_json
from harness.loop.sessions.shared import (
    LENT_KEY,
    OwnHistory,
    extras,
    in_container,
    in_words,
    listen,
    result_text,
    retry_after,
)
from harness.wire import ToolDeclaration
from harness.wire.characters import sendable

_MAX_TOKENS = 20_000
"""The most tokens that the SDK allows in a request without a stream."""

_BROKEN = (anthropic.AnthropicError, httpx2.HTTPError, ValueError)
"""What the SDK raises if a response that has begun cannot be read. Bad JSON and bad UTF-8 are ``ValueError``."""

_UNANSWERED = (anthropic.APIError, httpx2.HTTPError)
"""What is raised if no answer begins: by the SDK, or by the HTTP client if the body of an error breaks off."""


def lending_client(http: httpx2.AsyncClient) -> AsyncAnthropic:
    """A client for any number of sessions over ``http``, which its caller closes."""
    return AsyncAnthropic(api_key=LENT_KEY, http_client=http)


class AnthropicMessagesSession(OwnHistory):
    """One conversation over ``POST /v1/messages``.

    The ``client`` lends its HTTP client, and is neither changed nor closed.
    """

    def __init__(self, config: SessionConfig, client: AsyncAnthropic) -> None:
        self._client = client.copy(api_key=config.api_key, base_url=config.base_url, max_retries=0)
        # Every new client would ask in a thread what it runs on, for a header: with short answers a tenth of the turn.
        self._client._platform = get_platform()
        self._stream = config.stream
        self.history = _user_messages(config.prompt)
        self._call_ids: set[str] = set()
        self._fixed: dict[str, Any] = {
            "model": config.model,
            "max_tokens": _MAX_TOKENS,
            "messages": self.history,
            "thinking": {"type": "adaptive", "display": "summarized"},
        }
        if system := _system(config.prompt):
            self._fixed["system"] = system
        if config.tools:
            self._fixed["tools"] = [_tool(tool) for tool in config.tools]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        return await (self._streamed_turn(on_event) if self._stream else self._whole_turn(on_event))

    async def _streamed_turn(self, on_event: OnEvent) -> ProviderTurn:
        reader = MessagesReader(self._call_ids)
        async with await self._open_stream() as stream:
            await listen(as_json(stream), None, reader.feed, on_event, _BROKEN, _stream_failed)
        return self._finished_turn(reader)

    async def _open_stream(self) -> AsyncStream[Any]:
        try:
            stream: AsyncStream[Any] = await self._client.messages.create(**self._fixed, stream=True)
        except _UNANSWERED as error:
            raise _http_failed(error) from error
        return stream

    async def _whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        reader = MessagesReader(self._call_ids)
        for delta in reader.feed(await self._message(), whole=True):
            await on_event(delta)
        return self._finished_turn(reader)

    def _finished_turn(self, reader: MessagesReader) -> ProviderTurn:
        """The whole turn. A program that waits can go on only in its own container (ANT-31)."""
        turn = reader.finish()
        if reader.container:
            self._fixed["container"] = in_container(self._fixed.get("container"), reader.container)
        return turn

    async def _message(self) -> Any:
        # The streaming form of the response distinguishes a failure before the answer from one within its body.
        create = self._client.messages.with_streaming_response.create
        async with AsyncExitStack() as stack:
            try:
                response = await stack.enter_async_context(create(**self._fixed, stream=False))
            except _UNANSWERED as error:
                raise _http_failed(error) from error
            try:
                return await response.json()
            except _BROKEN as error:
                raise StreamFailed(f"the response broke: {in_words(error)}") from error

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on. A program that waits can go on only in its container (ANT-31)."""
        container = {"container": self._fixed["container"]} if "container" in self._fixed else {}
        return {**super().stored(), **container}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored."""
        super().restore(stored)
        if "container" in stored:
            self._fixed["container"] = stored["container"]

    def turn_messages(self, turn: ProviderTurn) -> list[dict[str, Any]]:
        """The model's turn; empty for a turn without content, because the wire refuses such a message (ANT-12)."""
        return [{"role": "assistant", "content": turn.assistant_turn}] if turn.assistant_turn else []

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[dict[str, Any]]:  # noqa: ARG002
        """One user message with all results. It may contain anything else only behind them (ANT-02)."""
        texts = [{"type": "text", "text": text} for text in extras(call_results)]
        results = [_tool_result(each) for each in call_results]
        return [{"role": "user", "content": results + texts}] if call_results else []


# --- the request --------------------------------------------------------------------------------------------


def _system(prompt: Sequence[tuple[str, str]]) -> str:
    return sendable("\n\n".join(text for role, text in prompt if role == "system" and text.strip()))


def _user_messages(prompt: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": sendable(text)} for role, text in prompt if role == "user"]


def _tool(tool: ToolDeclaration) -> dict[str, Any]:
    """A tool whose arguments are streamed while the model writes them, so that they can be previewed."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
        "eager_input_streaming": True,
    }


def _tool_result(call_results: CallResult) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": call_results.call.id,
        "content": result_text(call_results.result),
        "is_error": not call_results.ok,
    }


# --- the response -------------------------------------------------------------------------------------------


def _stream_failed(error: Exception) -> StreamFailed:
    if isinstance(error, anthropic.APIStatusError):
        return StreamFailed(_message_of(error))
    return StreamFailed(f"the stream broke: {in_words(error)}")


def _http_failed(error: Exception) -> HttpFailed:
    if isinstance(error, anthropic.APIStatusError):
        return HttpFailed(_message_of(error), error.status_code, retry_after(error.response.headers))
    return HttpFailed(in_words(error.__cause__ or error))


def _message_of(error: anthropic.APIStatusError) -> str:
    return f"{error.type}: {error.api_message}" if error.api_message else error.message

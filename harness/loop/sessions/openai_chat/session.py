"""The Chat Completions session: native tool calls, the whole history in every request."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

import openai
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from harness.loop.session import Executed, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.openai_chat.reader import TurnReader
from harness.loop.sessions.openai_sdk import BROKEN, http_failure, open_client
from harness.loop.sessions.shared import OwnHistory, extras, result_text
from harness.wire import ToolDeclaration
from harness.wire.characters import sendable

__all__ = ["OpenAIChatSession"]


class OpenAIChatSession(OwnHistory):
    """One conversation over ``POST /v1/chat/completions``.

    A ``client`` that is given lends its HTTP client, and is neither changed nor closed; without one the session
    makes its own.
    """

    def __init__(self, config: SessionConfig, client: AsyncOpenAI | None = None) -> None:
        self._client = open_client(config, client)
        self._owns_client = client is None
        self._stream = config.stream
        self.history: list[dict[str, Any]] = [{"role": role, "content": sendable(text)} for role, text in config.prompt]
        self._call_ids: set[str] = set()
        self._fixed: dict[str, Any] = {"model": config.model}
        if config.tools:
            self._fixed["tools"] = [_tool(tool) for tool in config.tools]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = TurnReader(self._call_ids)
        if self._stream:
            async with await self._open_stream() as stream:
                while (chunk := await _next_chunk(stream)) is not None:
                    for delta in reader.feed(chunk):
                        await on_event(delta)
        else:
            for delta in reader.feed_whole(await self._completion()):
                await on_event(delta)
        turn = reader.finish()
        self._call_ids.update(call.id for call in turn.tool_calls)
        return turn

    def message(self, role: str, text: str) -> dict[str, Any]:
        """A message of the ``user`` or the ``assistant``."""
        return {"role": role, "content": sendable(text)}

    def turn_messages(self, turn: ProviderTurn) -> list[dict[str, Any]]:
        """The model's message."""
        return [turn.assistant_turn]

    def result_messages(self, turn: ProviderTurn, executed: Sequence[Executed]) -> list[dict[str, Any]]:
        """One tool message per call, then one user message for each that said more.

        The wire has no flag for an error: the result's own JSON text says it.
        """
        outcomes = {outcome.call.id: outcome for outcome in executed}
        natives = zip(turn.tool_calls, turn.assistant_turn.get("tool_calls", ()), strict=True)
        results = [
            {"role": "tool", "tool_call_id": native["id"], "content": result_text(outcomes[call.id].result)}
            for call, native in natives
            if call.id in outcomes
        ]
        return results + [self.message("user", text) for text in extras(executed)]

    def set_params(self, **fields: Any) -> None:
        """Change fields of the requests to come."""
        self._fixed.update(fields)

    async def close(self) -> None:
        """Close the SDK client if the session made it."""
        if self._owns_client:
            await self._client.close()

    async def _open_stream(self) -> AsyncStream[ChatCompletionChunk]:
        request = {**self._fixed, "messages": self.history, "stream_options": {"include_usage": True}}
        try:
            stream = await self._client.chat.completions.create(**request, stream=True)
        except openai.APIError as error:
            raise http_failure(error) from error
        return cast("AsyncStream[ChatCompletionChunk]", stream)

    async def _completion(self) -> ChatCompletion:
        # The headers are awaited apart from the body, so that an answer which breaks off is known to have begun.
        opening = self._client.chat.completions.with_streaming_response.create(
            **self._fixed, messages=cast(Any, self.history), stream=False
        )
        async with AsyncExitStack() as stack:
            try:
                response = await stack.enter_async_context(opening)
            except openai.APIError as error:
                raise http_failure(error) from error
            try:
                completion = await response.parse()
            except BROKEN as error:
                raise StreamFailed(str(error)) from error
        if not isinstance(completion, ChatCompletion):
            raise StreamFailed("The response is no chat completion.")
        return completion


async def _next_chunk(stream: AsyncStream[ChatCompletionChunk]) -> ChatCompletionChunk | None:
    """None at the end. Raises ``StreamFailed`` for an in-stream error and a broken connection."""
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None
    except BROKEN as error:
        raise StreamFailed(str(error)) from error


def _tool(tool: ToolDeclaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}

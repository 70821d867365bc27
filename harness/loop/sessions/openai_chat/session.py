"""The Chat Completions session: native tool calls, the whole history in every request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from harness.loop.session import CallResult, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.events import as_json
from harness.loop.sessions.openai_chat.reader import ChatReader
from harness.loop.sessions.openai_sdk import BROKEN, answer_to, as_it_is, open_client, stream_failed, whole_answer
from harness.loop.sessions.shared import OwnHistory, extras, listen, result_text
from harness.wire import ToolDeclaration
from harness.wire.characters import sendable


class OpenAIChatSession(OwnHistory):
    """One conversation over ``POST /v1/chat/completions``.

    The ``client`` lends its HTTP client, and is neither changed nor closed.
    """

    def __init__(self, config: SessionConfig, client: AsyncOpenAI) -> None:
        self._client = open_client(config, client)
        self._stream = config.stream
        self.history: list[dict[str, Any]] = [{"role": role, "content": sendable(text)} for role, text in config.prompt]
        self._call_ids: set[str] = set()
        self._fixed: dict[str, Any] = {"model": config.model}
        if config.tools:
            self._fixed["tools"] = [_tool(tool) for tool in config.tools]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = ChatReader(self._call_ids)
        request = as_it_is({**self._fixed, "messages": []}, messages=self.history)
        completions = self._client.chat.completions
        if self._stream:
            options: Any = {"include_usage": True}
            opening = completions.create(**request, stream=True, stream_options=options)
            async with await answer_to(opening) as stream:
                await listen(as_json(stream), None, reader.feed, on_event, BROKEN, stream_failed)
        else:
            completion = await whole_answer(completions.with_streaming_response.create(**request, stream=False))
            if not isinstance(completion, ChatCompletion):
                raise StreamFailed("The response is no chat completion.")
            for delta in reader.feed(completion.to_dict(warnings=False), whole=True):
                await on_event(delta)
        return reader.finish()

    def turn_messages(self, turn: ProviderTurn) -> list[dict[str, Any]]:
        """The model's message."""
        return [turn.assistant_turn]

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[dict[str, Any]]:
        """One tool message per call, then one user message for each extra text.

        The wire has no flag for an error: the result's own JSON text shows it.
        """
        natives = zip(turn.tool_calls, turn.assistant_turn.get("tool_calls", ()), strict=True)
        ids = {call.id: native["id"] for call, native in natives}
        results = [
            {"role": "tool", "tool_call_id": ids[done.call.id], "content": result_text(done.result)}
            for done in call_results
        ]
        return results + [self.message("user", text) for text in extras(call_results)]


def _tool(tool: ToolDeclaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}

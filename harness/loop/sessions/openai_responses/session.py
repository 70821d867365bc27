"""One conversation over ``POST /v1/responses``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openai import AsyncOpenAI
from openai.types.responses import Response

from harness.loop.session import CallResult, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.events import as_json
from harness.loop.sessions.openai_responses.reader import ResponsesReader
from harness.loop.sessions.openai_sdk import BROKEN, answer_to, as_it_is, open_client, stream_failed, whole_answer
from harness.loop.sessions.shared import OwnHistory, extras, listen, result_text, to_the_end, when_done
from harness.wire import ToolDeclaration
from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.openai_responses.items import ARGUMENTS


class OpenAIResponsesSession(OwnHistory):
    """Sends the whole history each time and asks the provider to store nothing; reasoning travels encrypted.

    The ``client`` lends its HTTP client, and is neither changed nor closed. Asking for reasoning summaries means that
    the model must be a reasoning model.
    """

    def __init__(self, config: SessionConfig, client: AsyncOpenAI) -> None:
        self._client = open_client(config, client)
        self._stream = config.stream
        self.history: list[Json] = [{"role": role, "content": sendable(text)} for role, text in config.prompt]
        self._call_ids: set[str] = set()
        self._fixed: dict[str, Any] = {
            "model": config.model,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"summary": "auto"},
        }
        if config.tools:
            self._fixed["tools"] = [_tool(tool) for tool in config.tools]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = ResponsesReader(self._call_ids)
        request = as_it_is(self._fixed, input=self.history)
        responses = self._client.responses
        if self._stream:
            async with await answer_to(responses.create(**request, stream=True)) as stream:
                await listen(to_the_end(as_json(stream), reader), None, reader.feed, on_event, BROKEN, stream_failed)
        else:
            response = await whole_answer(responses.with_streaming_response.create(**request, stream=False))
            if self._fixed.get("background"):
                fetch = responses.with_streaming_response.retrieve
                response = await when_done(response, lambda id_: whole_answer(fetch(id_)))
            if not isinstance(response, Response):
                raise StreamFailed("The answer is no response.")
            for delta in reader.feed(response.to_dict(mode="python", warnings=False), whole=True):
                await on_event(delta)
        return reader.finish()

    def turn_messages(self, turn: ProviderTurn) -> list[Json]:
        """The model's items."""
        return list(turn.assistant_turn)

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Json]:
        """One output per call, then one user message for each extra text.

        The wire has no flag for an error: the result's own JSON text shows it.
        """
        kinds = {item["call_id"]: item["type"] for item in turn.assistant_turn if item.get("type") in ARGUMENTS}
        outputs = [
            {"type": f"{kinds[done.call.id]}_output", "call_id": done.call.id, "output": result_text(done.result)}
            for done in call_results
        ]
        return outputs + [self.message("user", text) for text in extras(call_results)]


def _tool(tool: ToolDeclaration) -> Json:
    # Strict mode refuses a schema with optional properties (OAI-23), and tools here may have some.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }

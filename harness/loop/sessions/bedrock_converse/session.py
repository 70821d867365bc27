"""One conversation over ``POST /model/{modelId}/converse-stream`` or ``/converse``: the whole history each time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from harness.loop.session import CallResult, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.bedrock_converse.reader import ConverseReader, as_botocore
from harness.loop.sessions.bedrock_converse.sdk import BROKEN, ConverseClient, Lender, words_of
from harness.loop.sessions.shared import OwnHistory, extras, listen, result_text
from harness.wire import ToolDeclaration
from harness.wire.base import Json
from harness.wire.bedrock_converse.write import SETTINGS, together
from harness.wire.characters import sendable


class BedrockConverseSession(OwnHistory):
    """One conversation, with a botocore client of its own. The ``lender``'s objects are neither changed nor closed.

    The history has its form on the wire: Base64 instead of botocore's bytes.
    """

    def __init__(self, config: SessionConfig, lender: Lender) -> None:
        self._client = ConverseClient(config, lender)
        self._stream = config.stream
        self._call_ids: set[str] = set()
        self.history: list[Json] = [self.message(role, text) for role, text in config.prompt if role == "user"]
        self._fixed: dict[str, Any] = {"modelId": config.model, **SETTINGS}
        if system := [sendable(text) for role, text in config.prompt if role == "system" and text.strip()]:
            self._fixed["system"] = [{"text": text} for text in system]
        if config.tools:
            self._fixed["toolConfig"] = {"tools": [_tool(tool) for tool in config.tools]}

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = ConverseReader(self._call_ids)
        request = {**self._fixed, "messages": as_botocore(together(self.history, self._fixed["modelId"]))}
        feed = reader.feed if self._stream else partial(reader.feed, whole=True)
        async with self._client.converse(request, stream=self._stream) as answer:
            await listen(answer, None, feed, on_event, BROKEN, _broken)
        return reader.finish()

    def message(self, role: str, text: str) -> Json:
        """A message of the ``user`` or the ``assistant``."""
        return {"role": role, "content": [{"text": sendable(text)}]}

    def turn_messages(self, turn: ProviderTurn) -> list[Json]:
        """The model's turn; empty for a turn without content, because the service refuses such a message."""
        return [{"role": "assistant", "content": turn.assistant_turn}] if turn.assistant_turn else []

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Json]:  # noqa: ARG002
        """One message of the user with all results; extra texts of calls come behind them (BED-01)."""
        texts = [{"text": text} for text in extras(call_results)]
        return [{"role": "user", "content": [*map(_result, call_results), *texts]}] if call_results else []


def _tool(tool: ToolDeclaration) -> Json:
    described = {"description": tool.description} if tool.description else {}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": dict(tool.parameters)}}}


def _result(done: CallResult) -> Json:
    content = [{"text": result_text(done.result)}]
    status = "success" if done.ok else "error"
    return {"toolResult": {"toolUseId": done.call.id, "content": content, "status": status}}


def _broken(error: Exception) -> StreamFailed:
    return StreamFailed(words_of(error))

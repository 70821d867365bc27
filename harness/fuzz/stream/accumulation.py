"""Accumulates a stream with the official SDKs alone: no code of ours puts anything together here."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from harness.fuzz.stream.stream_result import ReadCall, StreamResult
from harness.wire import WireName

_ASKED: Any = [{"role": "user", "content": "-"}]


class NoAccumulation(Exception):
    """The SDK's own accumulation failed, or it has none for such a response."""


class Accumulators:
    """The helpers of the SDKs over ``http``; clients are made when first asked for."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._made: dict[str, Any] = {}

    async def read(self, wire: WireName) -> StreamResult:
        """The reading of the next response. Raises ``NoAccumulation``.

        The helpers fail in many ways on unexpected streams; that proves nothing about the bytes.
        """
        try:
            return await {
                "openai-responses": self._responses,
                "anthropic-messages": self._messages,
                "gemini-generate": self._generate,
            }.get(wire, self._chat)()
        except NoAccumulation:
            raise
        except Exception as error:
            raise NoAccumulation(f"{type(error).__name__}: {error}") from error

    async def _chat(self) -> StreamResult:
        from openai.lib.streaming.chat import ChatCompletionStreamState

        state: Any = ChatCompletionStreamState()
        async for chunk in await self._openai().chat.completions.create(model="m", messages=_ASKED, stream=True):
            state.handle_chunk(chunk)
        choice = state.current_completion_snapshot.choices[0]
        if choice.finish_reason is None:
            raise NoAccumulation("no finish_reason")
        calls = choice.message.tool_calls or ()
        return StreamResult(
            text=choice.message.content or "",
            calls=tuple(ReadCall(call.id or "", call.function.name, call.function.arguments or "") for call in calls),
            stop=choice.finish_reason,
            complete=True,
        )

    async def _responses(self) -> StreamResult:
        async with self._openai().responses.stream(model="m", input=_ASKED) as stream:
            response = await stream.get_final_response()
        calls = [item for item in response.output if item.type == "function_call"]
        thoughts = [item.summary or item.content or () for item in response.output if item.type == "reasoning"]
        contents = [part for item in response.output if item.type == "message" for part in item.content]
        return StreamResult(
            text=response.output_text,
            calls=tuple(ReadCall(call.call_id, call.name, call.arguments) for call in calls),
            stop=response.status,
            complete=True,
            thinking="".join("\n\n".join(part.text for part in parts) for parts in thoughts),
            refusal="".join(part.refusal for part in contents if part.type == "refusal"),
        )

    async def _messages(self) -> StreamResult:
        async with self._anthropic().messages.stream(model="m", max_tokens=1, messages=_ASKED) as stream:
            message = await stream.get_final_message()
        if message.stop_reason is None:
            raise NoAccumulation("no stop_reason")
        calls = [block for block in message.content if block.type == "tool_use"]
        return StreamResult(
            text="".join(block.text for block in message.content if block.type == "text"),
            calls=tuple(ReadCall(call.id, call.name, json.dumps(call.input)) for call in calls),
            stop=message.stop_reason,
            complete=True,
        )

    async def _generate(self) -> StreamResult:
        text, calls, stop = "", [], None
        async for chunk in await self._google().aio.models.generate_content_stream(**_generation()):
            for candidate in chunk.candidates or ():
                stop = candidate.finish_reason.value if candidate.finish_reason else stop
                for part in (candidate.content and candidate.content.parts) or ():
                    if part.function_call:
                        called = part.function_call
                        calls.append(ReadCall(called.id or "", called.name or "", json.dumps(called.args or {})))
                    elif not part.thought:
                        text += part.text or ""
        if stop is None:
            raise NoAccumulation("no finish reason")
        return StreamResult(text=text, calls=tuple(calls), stop=stop, complete=True)

    def _openai(self) -> Any:
        from openai import AsyncOpenAI

        if "openai" not in self._made:
            self._made["openai"] = AsyncOpenAI(api_key="-", http_client=self._http, max_retries=0)
        return self._made["openai"]

    def _anthropic(self) -> Any:
        from anthropic import AsyncAnthropic

        if "anthropic" not in self._made:
            self._made["anthropic"] = AsyncAnthropic(api_key="-", http_client=self._http, max_retries=0)
        return self._made["anthropic"]

    def _google(self) -> Any:
        from harness.loop.sessions.gemini_generate.session import open_client

        if "google" not in self._made:
            self._made["google"] = open_client(self._http)
        return self._made["google"]


def _generation() -> dict[str, Any]:
    config = {
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
        "http_options": {"base_url": "http://fuzzed", "retry_options": {"attempts": 1}},
    }
    return {"model": "m", "contents": "-", "config": config}

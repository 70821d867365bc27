"""What the official SDKs read of an answer, put together without any code of the harness."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from harness.wire import WireName
from tests.sdks import openai
from tests.wire.anthropic_messages import replay
from tests.wire.gemini_generate.sdk import accumulated, responses_of
from tests.wire.openai_anthropic.transport import Answers, response


@dataclass
class HeardBySdk:
    """An answer. ``pieces`` are those of each call's arguments, as far as they came in pieces."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    pieces: list[list[str]] = field(default_factory=list)
    stop: str | None = None
    spent: int = 0


async def _messages(pieces: Iterable[bytes], kind: str) -> HeardBySdk:
    heard, asked = HeardBySdk(), {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
    texts: list[tuple[Any, list[str]]] = []
    async with replay.client(replay.Replay(response(pieces, kind))) as sdk:
        if kind == "application/json":
            message = await sdk.messages.create(**asked)
            heard.stop, usage = message.stop_reason, message.usage
            for block in message.content:
                said = json.dumps(block.input) if block.type == "tool_use" else getattr(block, block.type, "")
                texts.append((block, [said]))
        else:
            async for event in await sdk.messages.create(**asked, stream=True):
                if event.type == "message_start":
                    usage = event.message.usage
                elif event.type == "content_block_start":
                    assert event.index == len(texts)
                    texts.append((event.content_block, []))
                elif event.type == "content_block_delta":
                    said = event.delta.model_dump(exclude={"type", "signature"})
                    texts[event.index][1].extend(said.values())
                elif event.type == "message_delta":
                    heard.stop, usage.output_tokens = event.delta.stop_reason, event.usage.output_tokens
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    heard.spent = usage.input_tokens + cached + usage.output_tokens
    for block, came in texts:
        if block.type == "text":
            heard.text += "".join(came)
        elif block.type == "thinking":
            heard.thinking += "".join(came)
        elif block.type == "tool_use":
            heard.calls.append((block.name, "".join(came)))
            heard.pieces.append(came)
    return heard


def _client(pieces: Iterable[bytes], kind: str) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=Answers(lambda _: response(pieces, kind)))
    return openai.AsyncOpenAI(api_key="k", base_url="http://provider.test/v1", http_client=http, max_retries=0)


async def _chat(pieces: Iterable[bytes], kind: str) -> HeardBySdk:
    heard, create = HeardBySdk(), _client(pieces, kind).chat.completions.create
    if kind == "application/json":
        completion = await create(model="m", messages=[])
    else:
        state: Any = openai.lib.streaming.chat.ChatCompletionStreamState()
        async for chunk in await create(model="m", messages=[], stream=True):
            state.handle_chunk(chunk)
            for fragment in [each for choice in chunk.choices for each in choice.delta.tool_calls or ()]:
                heard.pieces += [[] for _ in range(fragment.index + 1 - len(heard.pieces))]
                heard.pieces[fragment.index].append(fragment.function.arguments or "")
        completion = state.current_completion_snapshot
    choice, message = completion.choices[0], completion.choices[0].message
    heard.text, heard.refusal, heard.stop = message.content or "", message.refusal or "", choice.finish_reason
    heard.thinking = (message.model_extra or {}).get("reasoning_content") or ""
    heard.calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or ()]
    heard.spent = completion.usage.total_tokens
    assert len({call.id for call in message.tool_calls or ()}) == len(heard.calls)
    return heard


async def _responses(pieces: Iterable[bytes], kind: str) -> HeardBySdk:
    heard, create = HeardBySdk(), _client(pieces, kind).responses.create
    if kind == "application/json":
        answer = await create(model="m", input="x")
    else:
        module = openai.lib.streaming.responses._responses
        state = module.ResponseStreamState(text_format=openai.omit, input_tools=openai.omit)
        of_items: dict[int, list[str]] = {}
        async for event in await create(model="m", input="x", stream=True):
            state.handle_event(event)
            if event.type == "response.output_item.added" and event.item.type in ("function_call", "custom_tool_call"):
                of_items[event.output_index] = []
            elif event.type in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
                of_items[event.output_index].append(event.delta)
        heard.pieces, answer = [*of_items.values()], event.response
    heard.spent = answer.usage.input_tokens + answer.usage.output_tokens
    heard.stop = answer.incomplete_details.reason if answer.incomplete_details else answer.status
    for item in answer.output:
        if item.type == "reasoning":
            heard.thinking += "\n\n".join(part.text for part in item.summary)
        elif item.type == "message":
            for part in item.content:
                heard.text += getattr(part, "text", "")
                heard.refusal += getattr(part, "refusal", "")
        else:
            heard.calls.append((item.name, item.arguments if item.type == "function_call" else item.input))
    return heard


async def _generate(pieces: Iterable[bytes], kind: str) -> HeardBySdk:
    said = accumulated(await responses_of(pieces, kind))
    usage = said["usage"]
    spent = usage.prompt_token_count + usage.candidates_token_count + (usage.thoughts_token_count or 0)
    calls = [(name, json.dumps(args)) for name, args, _ in said["calls"]]
    return HeardBySdk(said["text"], said["thoughts"], "", calls, [], said["finish"], spent)


READS: dict[WireName, Callable[[Iterable[bytes], str], Awaitable[HeardBySdk]]] = {
    "anthropic-messages": _messages,
    "gemini-generate": _generate,
    "openai-chat": _chat,
    "openai-responses": _responses,
}

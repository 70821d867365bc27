"""What the official SDK of each wire reads in an answer: its text, the names of its calls, and its thinking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx2

from harness.wire import Rendered, WireName
from tests.sdks import anthropic, genai, openai
from tests.wire.bedrock_converse.sdk import MODEL, speaking
from tests.wire.gemini_interactions.sdk import assembled
from tests.wire.gemini_interactions.sdk import streamed as streamed_interaction
from tests.wire.gemini_interactions.sdk import whole as whole_interaction

ADDRESS = "http://model.test"
HELLO = [{"role": "user", "content": "Hello."}]


@dataclass
class Read:
    """``thought`` is None where the SDK has no thinking, and empty where it has some without a text."""

    text: str = ""
    calls: tuple[str, ...] = ()
    thought: str | None = None

    def add(self, text: str | None = "", thought: str | None = None) -> None:
        self.text += text or ""
        if thought is not None:
            self.thought = (self.thought or "") + thought


def answering(rendered: Rendered) -> httpx2.AsyncClient:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": rendered.content_type}, content=rendered.body)

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))


def _openai(rendered: Rendered) -> Any:
    return openai.AsyncOpenAI(api_key="k", base_url=f"{ADDRESS}/v1", max_retries=0, http_client=answering(rendered))


async def chat(rendered: Rendered, *, stream: bool) -> Read:
    read, calls = Read(), {}
    asked: dict[str, Any] = {"model": "m", "messages": HELLO}
    if not stream:
        message = (await _openai(rendered).chat.completions.create(**asked)).choices[0].message
        read.add(message.content or message.refusal, getattr(message, "reasoning_content", None))
        return Read(read.text, tuple(call.function.name for call in message.tool_calls or ()), read.thought)
    async for chunk in await _openai(rendered).chat.completions.create(**asked, stream=True):
        for choice in chunk.choices:
            read.add(choice.delta.content or choice.delta.refusal, getattr(choice.delta, "reasoning_content", None))
            for call in choice.delta.tool_calls or ():
                calls[call.index] = calls.get(call.index, "") + (call.function.name or "")
    return Read(read.text, tuple(calls.values()), read.thought)


async def responses(rendered: Rendered, *, stream: bool) -> Read:
    if stream:
        events = [event async for event in await _openai(rendered).responses.create(model="m", input="x", stream=True)]
        assert events[-1].type in ("response.completed", "response.incomplete")
        answer = events[-1].response
    else:
        answer = await _openai(rendered).responses.create(model="m", input="x")
    read = Read(calls=tuple(item.name for item in answer.output if item.type == "function_call"))
    for item in answer.output:
        if item.type == "message":
            read.add("".join(getattr(part, "text", None) or getattr(part, "refusal", "") for part in item.content))
        elif item.type == "reasoning":
            read.add(thought="".join(part.text for part in (*item.summary, *(item.content or ()))))
    return read


async def messages(rendered: Rendered, *, stream: bool) -> Read:
    client = anthropic.AsyncAnthropic(api_key="k", base_url=ADDRESS, max_retries=0, http_client=answering(rendered))
    asked: Any = {"model": "m", "max_tokens": 9, "messages": HELLO}
    if stream:
        async with client.messages.stream(**asked) as events:
            message = await events.get_final_message()
    else:
        message = await client.messages.create(**asked)
    read = Read(calls=tuple(block.name for block in message.content if block.type == "tool_use"))
    for block in message.content:
        read.add(getattr(block, "text", ""), getattr(block, "thinking", None))
    return read


async def gemini(rendered: Rendered, *, stream: bool) -> Read:
    options = genai.types.HttpOptions(base_url=ADDRESS, httpx_async_client=answering(rendered))
    models = genai.Client(api_key="k", vertexai=False, http_options=options).aio.models
    calling = genai.types.AutomaticFunctionCallingConfig(disable=True)
    config = genai.types.GenerateContentConfig(automatic_function_calling=calling, automatic_continuation=False)
    asked: Any = {"model": "m", "contents": "x", "config": config}
    if stream:
        chunks = [chunk async for chunk in await models.generate_content_stream(**asked)]
    else:
        chunks = [await models.generate_content(**asked)]
    contents = [candidate.content for chunk in chunks for candidate in chunk.candidates or ()]
    parts = [part for content in contents if content for part in content.parts or ()]
    read = Read(calls=tuple(part.function_call.name for part in parts if part.function_call))
    for part in parts:
        read.add("" if part.thought else part.text, part.text if part.thought else None)
        if part.thought_signature:
            read.add(thought="")
    return read


async def interactions(rendered: Rendered, *, stream: bool) -> Read:
    if stream:
        steps = assembled(await streamed_interaction(rendered.body))
    else:
        steps = [step.model_dump(mode="json") for step in (await whole_interaction(rendered.body)).steps]
    read = Read(calls=tuple(step["name"] for step in steps if step["type"] == "function_call"))
    for step in steps:
        if step["type"] == "model_output":
            read.add("".join(content["text"] for content in step["content"] or ()))
        elif step["type"] == "thought":
            read.add(thought="".join(content["text"] for content in step.get("summary") or ()))
    return read


async def bedrock(rendered: Rendered, *, stream: bool) -> Read:
    client = speaking(lambda _: rendered)
    asked: Any = {"modelId": MODEL, "messages": [{"role": "user", "content": [{"text": "x"}]}]}
    read, calls = Read(), []
    if not stream:
        for block in client.converse(**asked)["output"]["message"]["content"]:
            thought = block.get("reasoningContent", {}).get("reasoningText", {}).get("text")
            read.add(block.get("text"), thought)
            calls += [block["toolUse"]["name"]] if "toolUse" in block else []
        return Read(read.text, tuple(calls), read.thought)
    for event in client.converse_stream(**asked)["stream"]:
        start = event.get("contentBlockStart", {}).get("start", {})
        calls += [start["toolUse"]["name"]] if "toolUse" in start else []
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        thought = delta.get("reasoningContent")
        read.add(delta.get("text"), None if thought is None else thought.get("text", ""))
    return Read(read.text, tuple(calls), read.thought)


READERS: dict[WireName, Callable[..., Awaitable[Read]]] = {
    "openai-responses": responses,
    "openai-chat": chat,
    "anthropic-messages": messages,
    "gemini-generate": gemini,
    "gemini-interactions": interactions,
    "bedrock-converse": bedrock,
}

"""What the tests of the Chat wire and its session share: turns, requests, and an SDK client that is fed bytes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

import httpx2
from hypothesis import strategies as st

from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Refusal,
    Rendered,
    Reply,
    Route,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness.wire.openai_chat import WIRE
from tests.sdks import openai

ROUTE = Route("openai-chat")
SMILE = "\U0001f600"
ARGUMENTS = json.dumps({"path": "src/app.py", "text": 'a "quoted" line\nÅ'}, ensure_ascii=False)

TURNS: dict[str, Turn] = {
    "text": Turn((Text(f"Paris is {SMILE} big."),)),
    "thinking": Turn((ThinkingPart("Hm, a city."), Text("Paris."))),
    "thinking-and-call": Turn((ThinkingPart("Look first."), Call("read_file", ARGUMENTS)), FinishReason.TOOL_CALLS),
    "thinking-only": Turn((ThinkingPart("Hm."),)),
    "call": Turn((Call("read_file", ARGUMENTS),), FinishReason.TOOL_CALLS),
    "parallel": Turn((Call("list_files", '{"path":"src"}'), Call("read_file", ARGUMENTS)), FinishReason.TOOL_CALLS),
    "text-between-calls": Turn(
        (Text("First. "), Call("list_files", "{}"), Text("Then."), Call("read_file", ARGUMENTS)),
        FinishReason.TOOL_CALLS,
    ),
    "refusal": Turn((Refusal("I can’t help with that."),), FinishReason.REFUSAL),
    "max-tokens": Turn((Text("Once upon"),), FinishReason.MAX_TOKENS),
    "max-tokens-in-call": Turn(
        (Call("create_file", '{"path":"index.html","content":"<h1>Bak'),), FinishReason.MAX_TOKENS
    ),
    "content-filter": Turn((Text("Some"),), FinishReason.CONTENT_FILTER),
    "empty": Turn(),
    "utf16": Turn((Text(f"a{SMILE}b"), Call("say", f'{{"a":"{SMILE}"}}')), FinishReason.TOOL_CALLS, deltas="utf16"),
}
"""A turn of every kind that the wire can say and that ends well."""


def conversation(*, stream: bool = True, include_usage: bool = True) -> Conversation:
    body: dict[str, Any] = {"stream_options": {"include_usage": True}} if include_usage else {}
    return Conversation("openai-chat", "gpt-4o-mini", stream, (), body=body)


def render(turn: Turn, *, stream: bool = True, include_usage: bool = True, seed: str = "case") -> Rendered:
    return WIRE.render(turn, Identity(seed), conversation(stream=stream, include_usage=include_usage))


def request(messages: Sequence[Mapping[str, Any]], **members: Any) -> Conversation:
    body = {"model": "gpt-4o-mini", "messages": list(messages), **members}
    return WIRE.read(ROUTE, json.dumps(body).encode())


def reply_with(*calls: Call, thinking: str = "") -> Reply:
    parts = (*((ThinkingPart(thinking),) if thinking else ()), *calls)
    return render(Turn(parts, FinishReason.TOOL_CALLS)).reply


_texts = st.text(max_size=12) | st.sampled_from([f"hé {SMILE} wörld", "\ud83d", "\ude00", "line\u2028end"])
_parts = (
    st.builds(Text, _texts)
    | st.builds(ThinkingPart, _texts, st.sampled_from(["plain", "redacted", "omitted"]))
    | st.builds(Refusal, _texts)
    | st.builds(Call, _texts, _texts, st.sampled_from([None, "", "call_x", "call_y"]))
)
turns: st.SearchStrategy[Turn] = st.builds(
    Turn,
    parts=st.lists(_parts, max_size=5).map(tuple),
    stop=st.sampled_from(FinishReason),
    usage=st.builds(Usage, *[st.integers(0, 9999)] * 4),
    error=st.none()
    | st.builds(
        StreamError,
        st.sampled_from(["overloaded", "server_error", "rate_limit", "context_length"]),
        st.text(max_size=9),
    ),
    ending=st.sampled_from(["complete", "eof"]),
    deltas=st.sampled_from(["whole", "token", "character", "utf16"]),
)
"""Any turn that a script can say, sensible or not."""


class _Chunks(httpx2.AsyncByteStream):
    def __init__(self, chunks: Iterable[bytes], end: Exception | None) -> None:
        self._chunks = chunks
        self._end = end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._end is not None:
            raise self._end


class Answers(httpx2.AsyncBaseTransport):
    """Answers every request in process; remembers the bodies that were sent."""

    def __init__(self, answer: Callable[[bytes], httpx2.Response]) -> None:
        self._answer = answer
        self.requests: list[httpx2.Request] = []
        self.bodies: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        self.requests.append(request)
        self.bodies.append(json.loads(body))
        return self._answer(body)


def response(
    chunks: Iterable[bytes], content_type: str = "text/event-stream; charset=utf-8", end: Exception | None = None
) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": content_type}, stream=_Chunks(chunks, end))


def sdk(answer: Callable[[bytes], httpx2.Response] | httpx2.AsyncBaseTransport) -> openai.AsyncOpenAI:
    transport = answer if isinstance(answer, httpx2.AsyncBaseTransport) else Answers(answer)
    http_client = httpx2.AsyncClient(transport=transport)
    return openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", max_retries=0, http_client=http_client)


def cut(body: bytes, size: int) -> list[bytes]:
    """``body`` in pieces of ``size`` bytes, wherever they fall."""
    return [body[at : at + size] for at in range(0, len(body), size)]

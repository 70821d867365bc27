"""The fold reads the JSON of responses. The objects that the official SDK makes of the same bytes say the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.wire import FinishReason, Identity, Reply, Text, ThinkingPart, Usage
from harness.wire.characters import joined
from harness.wire.gemini_generate import WIRE
from tests.recorded.corpus.shared_exchanges import all_exchanges
from tests.sdks import genai
from tests.wire.gemini_generate.samples import STREAM_PATH, TURNS, WHOLE_PATH, conversation
from tests.wire.gemini_generate.sdk import responses_of

pytestmark = pytest.mark.anyio

STREAM, WHOLE = "text/event-stream", "application/json; charset=UTF-8"
Body = tuple[str, str, bytes]


def recorded(shared: Path) -> Iterator[Body]:
    for corpus in ("corpus", "corpus2"):
        for one in all_exchanges(shared, corpus):
            if one.wire == "gemini-generate" and one.status == 200 and one.response:
                yield one.name, STREAM if one.streamed else WHOLE, one.response
    for file in sorted((shared / "corpus/gemini/vercel+ai/packages/google/src/__fixtures__").glob("*.chunks.txt")):
        yield file.name, STREAM, b"".join(b"data: " + line + b"\n\n" for line in file.read_bytes().splitlines())
    for file in sorted((shared / "wire/examples").glob("gem-[!i]*.sse")):
        yield file.name, STREAM, file.read_bytes()


def rendered() -> Iterator[Body]:
    for name, turn in TURNS.items():
        for path in (STREAM_PATH, WHOLE_PATH):
            answer = WIRE.render(turn, Identity("case"), conversation(path=path))
            yield name, answer.content_type, answer.body


async def said_by_sdk(kind: str, body: bytes) -> dict[str, Any]:
    said: dict[str, Any] = {"parts": [], "finish": None, "blocked": False, "usage": None, "model": ""}
    for response in await responses_of([body], kind):
        said["usage"] = response.usage_metadata or said["usage"]
        said["model"] = response.model_version or said["model"]
        said["blocked"] |= bool(response.prompt_feedback and response.prompt_feedback.block_reason)
        for candidate in response.candidates or ():
            if not candidate.index:
                said["parts"] += (candidate.content and candidate.content.parts) or ()
                said["finish"] = candidate.finish_reason.value if candidate.finish_reason else said["finish"]
    return said


def hold(reply: Reply, said: dict[str, Any]) -> None:
    """Compares a reply with the SDK's objects. Of streamed arguments the SDK has only the pieces."""
    parts = [part for part in said["parts"] if part.text != "" or part.thought_signature]
    calls = [part.function_call for part in parts if part.function_call]
    if any(call.partial_args or call.will_continue for call in calls):
        calls = [call for call in calls if call.name]
        parts = [part for part in parts if part.text]
    else:
        assert [genai.types.Part._from_response(response=dict(item), kwargs={}) for item in reply.items] == parts
    assert [(call.name, call.id) for call in reply.turn.calls] == [(call.name, call.id or "") for call in calls]
    for kind, thought in ((Text, False), (ThinkingPart, True)):
        ours = "".join(part.text for part in reply.turn.parts if isinstance(part, kind))
        assert ours == joined("".join(part.text or "" for part in parts if bool(part.thought) is thought))
    assert reply.complete == (said["blocked"] or said["finish"] not in (None, "CONTINUATION"))
    assert (reply.turn.stop is FinishReason.MAX_TOKENS) == (said["finish"] == "MAX_TOKENS")
    assert reply.model == said["model"]
    if usage := said["usage"]:
        thoughts = usage.thoughts_token_count or 0
        spent = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
        output, cached = (usage.candidates_token_count or 0) + thoughts, usage.cached_content_token_count or 0
        assert reply.turn.usage == Usage(spent, output, thoughts, cached)


async def test_every_answer(shared: Path) -> None:
    held, refused = 0, 0
    for _, kind, body in [*recorded(shared), *rendered()]:
        try:
            said = await said_by_sdk(kind, body)
        except (genai.errors.APIError, AttributeError):  # an error in the stream; a number as the finish reason
            refused += 1
            continue
        if kind == STREAM or not body.lstrip().startswith(b"["):  # the SDK reads no array of responses
            hold(WIRE.parse(kind, body), said)
            held += 1
    assert held > 370
    assert refused < 20

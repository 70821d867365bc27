"""Breakages of requests, below the SDK: JSON in, JSON out, on whichever wire it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx2

from harness.gateway import Gateway
from harness.loop.sessions.wire_only import Answered
from harness.targets.wire_only import WireOnlySessions

__all__ = ["EditedPosts", "EditedRequests", "drop_thinking", "wrong_call_id"]

_PROOFS = frozenset({"thoughtSignature", "thought_signature", "reasoning_content"})
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_ANSWERED = re.compile(r"^\[(\w+)\]", re.MULTILINE)
_ANSWERS = ("call_id", "tool_use_id", "tool_call_id")


class EditedRequests(httpx2.AsyncBaseTransport):
    """Edits the JSON body of every request on its way to ``inner``."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, edit: Callable[[Any], Any]) -> None:
        self._inner = inner
        self._edit = edit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.dumps(self._edit(json.loads(await request.aread()))).encode()
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
        edited = httpx2.Request(request.method, request.url, headers=headers, content=body)
        return await self._inner.handle_async_request(edited)

    async def aclose(self) -> None:
        await self._inner.aclose()


class EditedPosts(WireOnlySessions):
    """Edits the JSON body of every request of sessions without an SDK."""

    def __init__(self, gateway: Gateway, edit: Callable[[Any], Any]) -> None:
        super().__init__(gateway)
        self._edit = edit

    def _post(self, target: str, body: bytes) -> Answered:
        return super()._post(target, json.dumps(self._edit(json.loads(body))).encode())


def drop_thinking(value: Any) -> Any:
    """Without reasoning items, thinking blocks and tags, thought parts, reasoning text and thought signatures."""
    if isinstance(value, str):
        return _THOUGHT.sub("", value)
    if isinstance(value, list):
        return [drop_thinking(item) for item in value if not _is_thinking(item)]
    if isinstance(value, dict):
        return {key: drop_thinking(item) for key, item in value.items() if key not in _PROOFS}
    return value


def _is_thinking(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return item.get("type") in ("reasoning", "thinking", "redacted_thinking") or item.get("thought") is True


def wrong_call_id(value: Any) -> Any:
    """Every tool result names a call that was never made; the calls themselves keep their ids, or names."""
    if isinstance(value, str) and value.startswith("Tool results:"):
        return _ANSWERED.sub(r"[\1x]", value)
    if isinstance(value, list):
        return [wrong_call_id(item) for item in value]
    if not isinstance(value, dict):
        return value
    edited = {key: wrong_call_id(item) for key, item in value.items()}
    if edited.get("type") == "function_call":
        return edited
    for key in _ANSWERS:
        if isinstance(edited.get(key), str):
            edited[key] += "x"
    response = edited.get("functionResponse") or edited.get("function_response")
    if isinstance(response, dict) and response.get("id"):
        response["id"] += "x"
    return edited

"""Breakages of requests, below the SDK: JSON in, JSON out, on whichever wire it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from harness.endpoint import Endpoints
from harness.loop.sessions.wire_only import Answered
from harness.targets.wire_only import WireOnlySessions
from harness.wire import history_members
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.needs import has_phases, keeps_thinking_mode

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
        """Send the request with its JSON body as the edit returns it."""
        body = json.dumps(self._edit(json.loads(await request.aread()))).encode()
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
        edited = httpx2.Request(request.method, request.url, headers=headers, content=body)
        return await self._inner.handle_async_request(edited)

    async def aclose(self) -> None:
        """Close the transport below."""
        await self._inner.aclose()


class EditedPosts(WireOnlySessions):
    """Edits the JSON body of every request of sessions without an SDK."""

    def __init__(self, endpoints: Endpoints, edit: Callable[[Any], Any]) -> None:
        super().__init__(endpoints)
        self._edit = edit

    def _post(self, target: str, headers: Mapping[str, str], body: bytes) -> Answered:
        return super()._post(target, headers, json.dumps(self._edit(json.loads(body))).encode())


def drop_thinking(value: Any) -> Any:
    """Without reasoning items, thoughts, thinking blocks and tags, thought parts, reasoning text and signatures."""
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
    kinds = ("reasoning", "thinking", "redacted_thinking", "thought")
    return item.get("type") in kinds or item.get("thought") is True or "reasoningContent" in item


@breaks("edit", "thinking-moved-in-front", "history/model-order")
@seen_in("thinking-behind-a-call")
def think_first(value: Any) -> Any:
    """Sends a turn back with all its thinking in front of its calls."""
    for message in value.get("messages", ()):
        if message["role"] == "assistant" and isinstance(message["content"], list):
            message["content"].sort(key=lambda block: not _is_thinking(block))
    return value


@breaks("edit", "thinking-switched-off", "history/thinking-mode", needs=keeps_thinking_mode)
@seen_in("thinking-in-every-turn")
def think_once(value: Any) -> Any:
    """Asks for no thinking in the requests that have results."""
    blocks = [block for message in value.get("messages", ()) for block in message["content"]]
    has_results = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
    return {**value, "thinking": {"type": "disabled"}} if has_results else value


@breaks("edit", "wrong-call-id", "continuation/", "history/results")
@seen_in("create-then-edit")
def wrong_call_id(value: Any) -> Any:
    """Answers every tool call under another id."""
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
    response = edited.get("functionResponse") or edited.get("function_response") or edited.get("toolResult")
    for key in ("id", "toolUseId"):
        if isinstance(response, dict) and response.get(key):
            response[key] += "x"
    return edited


@breaks("edit", "phase-dropped", "history/model-phase", needs=has_phases)
@seen_in("create-then-edit")
def drop_phase(value: Any) -> Any:
    """Sends the model's commentary back as any text."""
    items = value.get("input") if isinstance(value, dict) else None
    if not isinstance(items, list):
        return value
    return {**value, "input": [{key: item[key] for key in item if key != "phase"} for item in items]}


@breaks("edit", "text-not-returned", "history/model-text", unseen_on="text-tags")  # where calls are text
@seen_in("create-then-edit")
def drop_text(value: Any) -> Any:
    """Sends calls back without what the model said beside them."""
    if isinstance(value, list):
        return [drop_text(item) for item in value if not _is_words_of_the_model(item)]
    if not isinstance(value, dict):
        return value
    for key in ("content", "parts"):
        if value.get("role") in ("assistant", "model") and isinstance(blocks := value.get(key), list):
            calls = [block for block in blocks if "text" not in block or block.get("thought")]
            return {**value, key: calls or blocks}
    if value.get("role") == "assistant" and value.get("tool_calls"):
        return {**value, "content": None}
    return {key: drop_text(item) if key in history_members() else item for key, item in value.items()}


def _is_words_of_the_model(item: Any) -> bool:
    """Whether an item of a list is all that the model says beside its calls: the wire has items for each."""
    if not isinstance(item, dict):
        return False
    kind: object = item.get("type")
    return kind == "model_output" or (kind == "message" and item.get("role") == "assistant")


@breaks("edit", "history-trimmed", "history/append-only")
@seen_in("create-then-edit")
def trim_history(value: Any) -> Any:
    """Sends only the question and the last turn."""
    return {key: _trimmed(item) if key in history_members() else item for key, item in value.items()}


def _trimmed(entries: list[Any]) -> list[Any]:
    first_user = next((at for at, entry in enumerate(entries) if is_of_the_user(entry)), 0)
    return entries[: first_user + 1] + entries[max(first_user + 1, _last_turn(entries)) :]


def _last_turn(entries: list[Any]) -> int:
    """Where the last turn begins: where the model says something behind an entry of somebody else; 0 if nowhere."""
    of_others = [not _is_of_the_model(entry) for entry in entries]
    begins = (at for at in range(len(entries) - 1, 0, -1) if of_others[at - 1] and not of_others[at])
    return next(begins, 0)


def is_of_the_user(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of a history is a message of the user's; results may be in one."""
    return entry.get("role") == "user" or entry.get("type") == "user_input"


_STEPS_OF_THE_MODEL = frozenset({"reasoning", "function_call", "thought", "model_output"})


def _is_of_the_model(entry: Mapping[str, Any]) -> bool:
    return entry.get("role") in ("assistant", "model") or entry.get("type") in _STEPS_OF_THE_MODEL


@breaks("edit", "tools-withdrawn", "history/tools", unseen_on="text-tags")  # whose tools are described in prose
@seen_in("create-then-edit")
def withdraw_tools(value: Any) -> Any:
    """Offers fewer tools once one was called."""
    if not any(len(value[key]) > 2 for key in history_members() if key in value):
        return value
    config = value.get("toolConfig", {})
    if "tools" in config:
        return {**value, "toolConfig": {**config, "tools": _one_less(config["tools"])}}
    return {**value, "tools": _one_less(value["tools"])}


def _one_less(tools: list[Any]) -> list[Any]:
    if len(tools) == 1 and (declared := tools[0].get("functionDeclarations")):
        return [{"functionDeclarations": declared[:-1]}]
    return tools[:-1]


@breaks("edit", "arguments-rewritten", "history/model-calls", "continuation/")
@seen_in("create-then-edit")
def alter_arguments(value: Any) -> Any:
    """Sends calls back with a path that it has made of the model's."""
    if isinstance(value, str):
        return value.replace('"index.html"', '"./index.html"')
    if isinstance(value, list):
        return [alter_arguments(item) for item in value]
    if isinstance(value, dict):
        return {key: "./index.html" if item == "index.html" else alter_arguments(item) for key, item in value.items()}
    return value


def made_anew(value: Any) -> Any:
    """Results of a second run of the tools, where they return a receipt."""
    if isinstance(value, str):
        return value.replace('"receipt": "', '"receipt": "2-')
    if isinstance(value, list):
        return [made_anew(each) for each in value]
    if isinstance(value, dict):
        return {key: f"2-{each}" if key == "receipt" else made_anew(each) for key, each in value.items()}
    return value

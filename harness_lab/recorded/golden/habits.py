"""The habits of the recorded engine, added to the reference loop, which must not have them itself.

Each of them is a deviation that ``deviations`` explains: prose becomes the page, a page loses the fences in it, the
arguments that have arrived are searched as text. If a recording agrees with the habits added, then the reasons for its
deviations are what happened, and all that happened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.loop import (
    Delta,
    OnEvent,
    ProviderSession,
    ProviderTurn,
    ToolCall,
    ToolCallDelta,
    ToolOutcome,
    ToolRuntime,
)
from harness.loop.driver import SendMessage
from harness.loop.tools.tool import ToolError
from harness.trace import Event, Final, JsonValue, SetCode, ToolStart

_STEP = 40
_FEWEST_AT_ONCE, _CHUNKS = 200, 18
_ESCAPES = (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"), ('\\"', '"'), ("\\\\", "\\"))
"""Replacements, one after the other, in text that is no JSON."""


class Habits:
    """One run with the engine's habits: ``tools``, ``session`` and ``send_message`` replace the loop's own.

    With ``whole_arguments`` the provider sends arguments as values, and no text is searched.
    """

    def __init__(self, tools: ToolRuntime, send_message: SendMessage, *, whole_arguments: bool) -> None:
        self.tools: Any = _Tools(tools)
        self._read = _value if whole_arguments else _found
        self._runtime = tools
        self._send = send_message
        self._arguments: dict[str, str] = {}
        self._started: set[str] = set()
        self._shown: dict[str, int] = {}

    def session(self, session: ProviderSession) -> Any:
        """``session``, whose deltas are passed to ``hear`` first."""
        return _Session(session, self.hear)

    async def hear(self, delta: Delta) -> None:
        """Announce and preview a call of create_file by what a search finds in the arguments so far."""
        if not isinstance(delta, ToolCallDelta):
            return
        text = self._arguments[delta.id] = self._arguments.get(delta.id, "") + delta.arguments
        content = self._read(text, "content") if delta.name == "create_file" else None
        if content is None:
            return
        if delta.id not in self._started:
            self._started.add(delta.id)
            path = self._read(text, "path")
            shown: dict[str, JsonValue] = {"content": content, **({} if path is None else {"path": path})}
            await self._send(ToolStart(delta.id, delta.name, self._runtime.summary(delta.name, shown)))
        before = self._shown.get(delta.id, 0)
        if content and (not before or len(content) - before >= _STEP):
            await self._preview(delta.id, content)

    async def send_message(self, event: Event) -> None:
        """Pass an event on, as the engine would have reported it."""
        if isinstance(event, ToolStart):
            if event.id not in self._started:
                await self._send(event)
            if event.name == "create_file":
                await self._rest(event.id)
        elif isinstance(event, Final) and event.outcome == "completed" and not self._runtime.code:
            await self._send(replace(event, code=_page(event.text or "")))
        elif not (isinstance(event, SetCode) and not event.code):
            await self._send(event)

    async def _rest(self, id: str) -> None:
        """The part of a call that has not been shown before it runs: its end, or all of it in large pieces."""
        content = _value(self._arguments.get(id, ""), "content") or ""
        if id in self._shown or id in self._started:
            if len(content) > self._shown.get(id, 0):
                await self._preview(id, content)
            return
        step = max(_FEWEST_AT_ONCE, len(content) // _CHUNKS)
        for end in range(step, len(content) + step, step):
            await self._preview(id, content[:end])

    async def _preview(self, id: str, code: str) -> None:
        self._shown[id] = len(code)
        await self._send(SetCode(code, id, preview=True))


class _Session:
    """A session with a second listener for its deltas."""

    def __init__(self, session: ProviderSession, hear: OnEvent) -> None:
        self._session = session
        self._hear = hear

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        async def both(delta: Delta) -> None:
            await self._hear(delta)
            await on_event(delta)

        return await self._session.stream_turn(both)


class _Tools:
    """Tools that do not handle previews, with the engine's results."""

    def __init__(self, tools: ToolRuntime) -> None:
        self._tools = tools

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tools, name)

    def previews(self, name: str) -> bool:  # noqa: ARG002 - ``Habits`` shows them
        return False

    async def run(self, call: ToolCall) -> ToolOutcome:
        arguments = _object(call.arguments)
        if call.name == "create_file" and isinstance(content := arguments.get("content"), str):
            call = replace(call, arguments=json.dumps({**arguments, "content": _page(content)}))
        if call.name == "edit_file" and (of_none := _edit_of_none(arguments)) is not None:
            return ToolError("old_text not found", old_text=of_none.get("old_text")).outcome
        return await self._tools.run(call)


def _edit_of_none(arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The edit with nothing to replace, if there is one."""
    edits = arguments.get("edits") or [arguments]
    every = edits if isinstance(edits, list) else []
    return next((edit for edit in every if isinstance(edit, dict) and edit.get("count") == 0), None)


def _object(arguments: str) -> dict[str, Any]:
    """Arguments as an object; empty if they are none."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


# --- texts ------------------------------------------------------------------------------------------------------


def _value(arguments: str, key: str) -> str | None:
    """The string under ``key`` of complete arguments."""
    found = _object(arguments).get(key)
    return found if isinstance(found, str) else None


def _found(text: str, key: str) -> str | None:
    """The string under ``key`` by a search of the text: it begins after the first such key, wherever that is, and ends
    at the last quotation mark of all."""
    begun = re.search(rf'"{key}"[^:]*:\s*"', text)
    if begun is None:
        return None
    raw = text[begun.end() :]
    ends = list(_quotes(raw))
    raw = raw[: ends[-1]] if ends else raw
    if _odd(raw, len(raw)):
        raw = raw[:-1]
    try:
        value: str = json.loads(f'"{raw}"')
    except ValueError:
        for escape, character in _ESCAPES:
            raw = raw.replace(escape, character)
        return raw
    return value


def _quotes(text: str) -> Iterator[int]:
    return (each.start() for each in re.finditer('"', text) if not _odd(text, each.start()))


def _odd(text: str, end: int) -> bool:
    """Whether an odd number of backslashes precedes a place."""
    return (end - len(text[:end].rstrip("\\"))) % 2 == 1


def _page(text: str) -> str:
    """The first page in a text without fences, or else the text."""
    inner = re.search(r'<file path="[^"]*">(.*?)</file>', text, re.DOTALL)
    text = inner[1].strip() if inner else re.sub(r"```(?:html)?\n", "", text)
    page = re.search(r"(?:<!doctype html[^>]*>\s*)?<html.*?</html>", text, re.DOTALL | re.IGNORECASE)
    return page[0] if page else text

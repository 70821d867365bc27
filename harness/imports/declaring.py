"""A recorded loop as a scenario: its prompt, its tools with their results, and the model's turns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.imports.continued import tool_output
from harness.imports.links import Link
from harness.imports.loops import RecordedLoop
from harness.wire import FinishReason, Message, Refusal, Text, ToolDeclaration, Turn
from harness.wire.base import Json

_OUTCOMES: Final[Mapping[FinishReason, str]] = {
    FinishReason.MAX_TOKENS: "truncated",
    FinishReason.REFUSAL: "refused",
    FinishReason.CONTENT_FILTER: "refused",
    FinishReason.TOOL_CALLS: "turn-limit",
}
"""How a run ends if its last turn stops for this reason, unless that is ``completed``."""

_UNMARKED: Final = frozenset({FinishReason.END, FinishReason.TOOL_CALLS})
"""Stop reasons that a turn itself implies."""

_LONGEST: Final = 20
"""Turns that every profile allows by default."""

_NO_PARAMETERS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}


class Unsayable(Exception):
    """A loop that no scenario can express. ``why`` is one of ``harness.imports.writing.UNWRITTEN``."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def declared(loop: RecordedLoop, links: Sequence[Link], name: str) -> Json:
    """The scenario file that expresses ``loop``. Raises ``Unsayable``.

    If a tool of the loop had more than one result, somebody else runs it in the scenario, and every round of calls is
    resolved as it was recorded.
    """
    results = _results(loop, links)
    varying = {tool for tool, values in results.items() if len(values) > 1}
    caller = list(_caller(links))
    if caller and varying:
        raise Unsayable("results differ")
    first, last = loop.steps[0].asked, loop.steps[-1].reply
    finish_reason = last.turn.stop if last else FinishReason.END
    file: Json = {
        "scenario": name,
        "profile": "tool-runner" if caller else "pydantic-ai" if varying else "universal",
        "summary": f"Recorded: {loop.name}, {len(loop.steps)} requests to {first.model or 'a model'}.",
        "wires": [loop.wire],
        "stream": loop.steps[0].responses[0].streamed,
        "prompt": list(_prompt(first.messages)),
        "tools": [_tool(tool, results, varying) for tool in first.tools],
        "resolve": [each for each in (_round(loop, link, varying) for link in links) if each],
        "caller": caller,
        "model": [_turn(step.reply.turn) for step in loop.steps if step.reply],
        "expect": {"outcome": _OUTCOMES.get(finish_reason, "completed"), "requests": len(loop.steps)},
    }
    if finish_reason is FinishReason.TOOL_CALLS or len(loop.steps) >= _LONGEST:
        file["turn_limit"] = len(loop.steps)
    return {key: value for key, value in file.items() if value != []}


# --- what the loop starts with -----------------------------------------------------------------------------------


def _prompt(messages: Sequence[Message]) -> Iterator[Json]:
    for message in messages:
        if message.role not in ("system", "user") or not all(isinstance(part, Text) for part in message.parts):
            raise Unsayable("prompt without words")
        if message.text or message.role == "user":
            yield {message.role: message.text}


def _results(loop: RecordedLoop, links: Sequence[Link]) -> dict[str, dict[str, tuple[Any, bool]]]:
    """The results of each tool that was called, each different one once."""
    found: dict[str, dict[str, tuple[Any, bool]]] = {}
    for link in links:
        for call, result in zip(link.turn.calls, link.results, strict=True):
            value = tool_output(loop.wire, result)
            found.setdefault(call.name, {})[json.dumps(value, sort_keys=True)] = value
    return found


def _tool(tool: ToolDeclaration, results: Mapping[str, Mapping[str, tuple[Any, bool]]], varying: set[str]) -> Json:
    entry: Json = {
        "name": tool.name,
        "description": tool.description or tool.name,
        "parameters": {**_NO_PARAMETERS, **tool.parameters},
    }
    if tool.name in varying:
        return {**entry, "kind": "external"}
    value, ok = next(iter(results.get(tool.name, {}).values()), (None, True))
    return {**entry, "returns": value} if ok else {**entry, "raises": _words(value)}


def _round(loop: RecordedLoop, link: Link, varying: set[str]) -> Json:
    """The results of the calls of a turn that somebody else runs, by tool and in call order."""
    resolved: Json = {}
    for call, result in zip(link.turn.calls, link.results, strict=True):
        if call.name in varying:
            value, ok = tool_output(loop.wire, result)
            resolved.setdefault(call.name, []).append({"supply": value} if ok else {"fail": _words(value)})
    return resolved


def _words(value: Any) -> str:
    """The text of a failed call."""
    if isinstance(value, dict) and value.keys() == {"error"}:
        value = value["error"]
    return (value if isinstance(value, str) else json.dumps(value)) or "failed"


def _caller(links: Sequence[Link]) -> Iterator[Json]:
    """The user's messages between turns."""
    for turn, link in enumerate(links, 1):
        words = [link.sent.extra] if link.sent.extra else []
        for message in link.sent.messages:
            if message.role != "user" or not all(isinstance(part, Text) for part in message.parts):
                raise Unsayable("words without text")
            words.append(message.text)
        if words:
            pushed = ["turn", *(["response"] if link.results else []), *({"user": each} for each in words)]
            yield {"after": turn, "do": [{"push_messages": pushed}]}


# --- what the model says --------------------------------------------------------------------------------------


def _turn(turn: Turn) -> Json:
    refusal = "".join(part.text for part in turn.parts if isinstance(part, Refusal))
    calls = [{"name": call.name, "arguments": call.arguments or "{}"} for call in turn.calls]
    finish_reason = "" if turn.stop in _UNMARKED else turn.stop.value
    members: Json = {"text": turn.text, "refusal": refusal, "calls": calls, "stop": finish_reason}
    return {name: member for name, member in members.items() if member} or {"stop": "end"}

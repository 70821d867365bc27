"""The automatic model: it needs no script. It calls tools that the request offers, and answers with text after that.

What it says follows from the request alone, so a request that is sent again gets the same answer, and sub-agents and
titles are answered as well as the conversation that began them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

from harness.gateway.examples import example
from harness.gateway.recognition import tagged
from harness.gateway.source import ModelRequest
from harness.scenario import TurnStep
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Message,
    Part,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    wire,
)
from harness.wire.output_format import demanded_schema

__all__ = ["AutomaticModel"]

_ANSWER: Final = "This is the answer of the automatic model."
_BEFORE_CALLS: Final = "I will use the tools."
_THOUGHT: Final = "The tools can answer this."
_TEXTS: Final = ("example", "another example")
"""What a string is in the arguments of the first call and of the second, where the schema says nothing more."""

_MOST_TURNS: Final = 5
"""Turns with calls in a conversation. An agent that adds texts of its own user between its turns must end, too."""

_MOST_CALLS: Final = len(_TEXTS)
"""Calls in one turn: two are in parallel, which is where loops go wrong most often."""

_READS_FIRST: Final = (
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "look",
    "query",
    "show",
    "view",
    "check",
    "describe",
)
"""How the names of tools begin that only read. The loop runs what it is asked to run, so these are called first."""


class AutomaticModel:
    """Calls up to two of the tools that are offered, in parallel, with arguments that fit their JSON Schemas; answers
    with text once they were called. (One tool is called twice.)

    Its texts have a tag each, by which they are recognised when they come back.

    It obeys what a request says of calls and of the answer: a tool choice, no parallel calls, JSON of a schema,
    thinking. A model that must call a tool calls one after another, each once.
    """

    repeats: Final = True

    def next(self, request: ModelRequest) -> TurnStep:
        """Return calls of the offered tools, or a final text where the results are already there."""
        asked = request.conversation
        tag = blake2b(request.body, digest_size=4).hexdigest()
        calls = _calls(asked)
        thinking = (ThinkingPart(_THOUGHT),) if wire(asked.wire).asks_to_think(asked.body) else ()
        parts: tuple[Part, ...] = (Text(tagged(_BEFORE_CALLS, tag)), *calls) if calls else (Text(_answer(asked, tag)),)
        return TurnStep(Turn((*thinking, *parts), FinishReason.TOOL_CALLS if calls else FinishReason.END))

    def left(self) -> Sequence[str]:
        """Return nothing: there are no recordings."""
        return ()


def _answer(asked: Conversation, tag: str) -> str:
    schema, text = demanded_schema(asked.body), tagged(_ANSWER, tag)
    return text if schema is None else json.dumps(example(schema, text=text))


def _calls(asked: Conversation) -> tuple[Call, ...]:
    """The calls of the next turn; none where the model is to answer."""
    choice = wire(asked.wire).tool_choice(asked.body)
    if sum(bool(message.calls) for message in asked.messages) >= _MOST_TURNS:
        return ()
    called = [call.name for message in _since_the_user(asked) for call in message.calls]
    offered = [tool for tool in _functions(asked) if choice.names is None or tool.name in choice.names]
    if not offered or choice.forbidden or (called and not choice.required):
        return ()
    if choice.required:
        offered = [tool for tool in offered if tool.name not in called]
        return tuple(map(_call, offered[:1], _TEXTS))
    ordered = sorted(offered, key=lambda tool: not tool.name.lower().startswith(_READS_FIRST))
    most = 1 if choice.alone else _MOST_CALLS
    return tuple(map(_call, (ordered * most)[:most], _TEXTS))


def _call(tool: ToolDeclaration, text: str) -> Call:
    return Call(tool.name, json.dumps(example({"type": "object", **tool.parameters}, text=text, minimal=True)))


def _since_the_user(asked: Conversation) -> Sequence[Message]:
    """What has been said since the user spoke last."""
    spoken = [at for at, each in enumerate(asked.messages) if each.role == "user" and each.text and not each.results]
    return asked.messages[spoken[-1] + 1 :] if spoken else asked.messages


def _functions(asked: Conversation) -> list[ToolDeclaration]:
    """The offered tools whose arguments are JSON; custom tools of OpenAI take any text."""
    native = asked.body.get("tools")
    custom = {_name(tool) for tool in (native if isinstance(native, list) else []) if _member(tool, "type") == "custom"}
    free = custom if wire(asked.wire).custom_tools else set()
    return [tool for tool in asked.tools if tool.name and tool.name not in free]


def _name(tool: Any) -> str:
    name = _member(tool, "name") or _member(_member(tool, "custom"), "name")
    return name if isinstance(name, str) else ""


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None

"""The automatic model: it needs no script. It calls tools that the request offers, and answers with text after that.

What it says follows from the request alone, so a request that is sent again gets the same answer, and sub-agents and
titles are answered as well as the conversation that began them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from harness.gateway.examples import example
from harness.gateway.source import ModelRequest
from harness.scenario import TurnStep
from harness.wire import Call, Conversation, FinishReason, Message, Part, Text, Thinking, ToolDeclaration, Turn
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

_READING: Final = (
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

    It obeys what a request says of calls and of the answer: a tool choice, no parallel calls, JSON of a schema,
    thinking. A model that must call a tool calls one after another, each once.
    """

    def next(self, question: ModelRequest) -> TurnStep:
        asked = question.conversation
        calls = _calls(asked)
        thinking = (Thinking(_THOUGHT),) if _thinks(asked) else ()
        said: tuple[Part, ...] = (Text(_BEFORE_CALLS), *calls) if calls else (Text(_answer(asked)),)
        return TurnStep(Turn((*thinking, *said), FinishReason.TOOL_CALLS if calls else FinishReason.END))

    def left(self) -> Sequence[str]:
        return ()


def _answer(asked: Conversation) -> str:
    schema = demanded_schema(asked.body)
    return _ANSWER if schema is None else json.dumps(example(schema, text=_ANSWER))


def _calls(asked: Conversation) -> tuple[Call, ...]:
    """The calls of the next turn; none where the model is to answer."""
    choice = _choice(asked)
    if sum(bool(message.calls) for message in asked.messages) >= _MOST_TURNS:
        return ()
    called = [call.name for message in _since_the_user(asked) for call in message.calls]
    offered = [tool for tool in _functions(asked) if choice.names is None or tool.name in choice.names]
    if not offered or choice.forbidden or (called and not choice.required):
        return ()
    if choice.required:
        offered = [tool for tool in offered if tool.name not in called]
        return tuple(map(_call, offered[:1], _TEXTS))
    ordered = sorted(offered, key=lambda tool: not tool.name.lower().startswith(_READING))
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
    free = custom if asked.wire.startswith("openai") else set()
    return [tool for tool in asked.tools if tool.name and tool.name not in free]


def _name(tool: Any) -> Any:
    return _member(tool, "name") or _member(_member(tool, "custom"), "name")


# --- what a request says of calls ---------------------------------------------------------------------------------


class _Choice:
    """What the request leaves to the model.

    ``names``: only these tools, None for all; ``required``: it must call one; ``forbidden``: it must call none;
    ``alone``: one call per turn.
    """

    def __init__(self, word: object, names: Sequence[object], *, alone: bool) -> None:
        self.names = frozenset(name for name in names if isinstance(name, str)) or None
        mode = word.lower() if isinstance(word, str) else ""
        self.required = mode in ("required", "any", "tool", "function")
        self.forbidden = mode == "none"
        self.alone = alone


def _choice(asked: Conversation) -> _Choice:
    if asked.wire == "gemini-generate":
        config = _member(_either(asked.body, "toolConfig", "tool_config"), "functionCallingConfig")
        names = _member(config, "allowedFunctionNames")
        return _Choice(_member(config, "mode"), names if isinstance(names, list) else [], alone=False)
    choice = asked.body.get("tool_choice")
    alone = asked.body.get("parallel_tool_calls") is False or _member(choice, "disable_parallel_tool_use") is True
    if not isinstance(choice, dict):
        return _Choice(choice, [], alone=alone)
    name = choice.get("name") or _member(choice.get("function"), "name")
    return _Choice(choice.get("type"), [name], alone=alone)


def _thinks(asked: Conversation) -> bool:
    """Whether the request asks for thinking in a form that the loop must send back."""
    if asked.wire == "anthropic-messages":
        return _member(asked.body.get("thinking"), "type") in ("enabled", "adaptive")
    return asked.wire == "openai-responses" and isinstance(asked.body.get("reasoning"), dict)


def _either(body: Any, *names: str) -> Any:
    return next((found for name in names if (found := _member(body, name)) is not None), None)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None

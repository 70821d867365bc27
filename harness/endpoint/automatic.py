"""The automatic model: it needs no script. It calls tools that the request offers, and answers with text after that.

What it says follows from the request alone, so a request that is sent again gets the same answer, and sub-agents and
titles are answered as well as the conversation that began them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

from harness.endpoint.behaviours import PARALLEL, Behaviour
from harness.endpoint.fitted import fitted_answer, fitted_calls, unfit_answer, unfit_tools
from harness.endpoint.recognition import tagged
from harness.endpoint.source import ModelRequest
from harness.scenario import TurnStep
from harness.wire import (
    Conversation,
    FinishReason,
    Message,
    Part,
    Text,
    ToolDeclaration,
    Turn,
    wire,
)

_ANSWER: Final = "This is the answer of the automatic model."
_BEFORE_CALLS: Final = "I will use the tools."
_THOUGHT: Final = "The tools can answer this."
_NOT_CALLED: Final = (
    "no tool is called: the automatic model calls functions of 'tools', and no custom tools or 'functions'"
)
_MOST_TURNS: Final = 5
"""Most turns with calls in a conversation: an agent that adds user texts of its own between turns must end, too."""

_MOST_CALLS: Final = 2
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
"""How names of read-only tools begin. The loop really runs the calls, so these tools are called first."""


class AutomaticModel:
    """Calls up to two of the offered tools in parallel, with arguments that fit their JSON Schemas. After that it
    answers with text. (A single tool is called twice. A tool whose schema no arguments fit is not called.)

    Each of its texts has a tag, by which the text is recognised when it comes back.

    It obeys what a request demands: a tool choice, no parallel calls, JSON of a schema, thinking. If it must call a
    tool, it calls each tool once, one after another. A ``behaviour`` changes what it does.
    """

    repeats: Final = True

    def __init__(self, behaviour: Behaviour = PARALLEL) -> None:
        self._behaviour = behaviour
        self._count = 0

    def next(self, request: ModelRequest) -> TurnStep:
        """Return calls of the offered tools, or a final text if the results are already there."""
        asked = request.conversation
        self._count += 1
        tag = self._tag(request)
        calls = fitted_calls(*_tools_to_call(asked, self._behaviour))
        thought = self._behaviour.thought(asked, _THOUGHT)
        thinking: tuple[Part, ...] = () if thought is None else (thought,)
        before: tuple[Part, ...] = (Text(tagged(_BEFORE_CALLS, tag)),) if self._behaviour.speaks else ()
        answer = () if calls else (Text(fitted_answer(asked, _ANSWER, tagged(_ANSWER, tag))),)
        parts: tuple[Part, ...] = (*before, *calls) if calls else answer
        turn = Turn((*thinking, *parts), FinishReason.TOOL_CALLS if calls else FinishReason.END)
        return TurnStep(self._behaviour.change(turn, asked))

    def _tag(self, request: ModelRequest) -> str:
        """A tag that no other answer has: the same request may be asked again, in this case or in another one."""
        asked = blake2b(f"{self._count} {request.case} ".encode(), digest_size=4)
        asked.update(request.body)
        return asked.hexdigest()

    def notes(self, asked: Conversation) -> Iterator[str]:
        """What the model could not say in its answer to a request, and why: a line for each thing."""
        wanted = _tools_to_call(asked, self._behaviour)
        if asked.tools and not _functions(asked):
            yield _NOT_CALLED
        yield from unfit_tools(*wanted)
        if not fitted_calls(*wanted):
            yield from unfit_answer(asked, _ANSWER)

    def left(self) -> Sequence[str]:
        """Return nothing: there are no recordings."""
        return ()


def _tools_to_call(asked: Conversation, behaviour: Behaviour) -> tuple[list[ToolDeclaration], int, int]:
    """The tools to call in the next turn (the likeliest first), the most calls allowed, and the number of calls so far.
    There are no tools if the model is to answer with text."""
    choice = wire(asked.wire).tool_choice(asked.body)
    before = sum(len(message.calls) for message in asked.messages)
    made = _turns(_since_the_user(asked))
    offered = [tool for tool in _functions(asked) if choice.names is None or tool.name in choice.names]
    is_done = len(made) >= behaviour.turns and not choice.required
    if not offered or choice.forbidden or is_done or len(_turns(asked.messages)) >= _MOST_TURNS:
        return [], 0, before
    if choice.required:
        called = {name for names in made for name in names}
        return [tool for tool in offered if tool.name not in called], 1, before
    ordered = sorted(offered, key=lambda tool: not tool.name.lower().startswith(_READS_FIRST))
    most = 1 if choice.alone else min(behaviour.at_once, _MOST_CALLS)
    at = len(made) * most % len(ordered)
    return ordered[at:] + ordered[:at], most, before


def _turns(messages: Sequence[Message]) -> list[list[str]]:
    """The names of the tools that each turn has called: one turn may be several messages, and results end it."""
    turns: list[list[str]] = []
    ended = True
    for message in messages:
        if message.calls:
            turns += [[]] if ended else []
            turns[-1] += [call.name for call in message.calls]
        ended = not message.calls and (ended or bool(message.results) or message.role == "user")
    return turns


def _since_the_user(asked: Conversation) -> Sequence[Message]:
    """The messages since the last one of the user."""
    spoken = [at for at, each in enumerate(asked.messages) if each.role == "user" and each.text and not each.results]
    return asked.messages[spoken[-1] + 1 :] if spoken else asked.messages


def _functions(asked: Conversation) -> list[ToolDeclaration]:
    """The offered tools whose arguments are JSON; custom tools of OpenAI take any text."""
    native = asked.body.get("tools")
    if native is None and "functions" in asked.body:
        return []  # of 2023: its calls have another form, which the model does not speak
    custom = {_name(tool) for tool in (native if isinstance(native, list) else []) if _member(tool, "type") == "custom"}
    free = custom if wire(asked.wire).custom_tools else set()
    return [tool for tool in asked.tools if tool.name and tool.name not in free]


def _name(tool: Any) -> str:
    name = _member(tool, "name") or _member(_member(tool, "custom"), "name")
    return name if isinstance(name, str) else ""


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None

"""The tools of a case as callables, for loops that run their tools themselves.

They do what the scenario says. If a loop reports no tools to its user, the harness reports ``toolStart`` and
``toolResult`` from here instead, because a tool that ran is a fact.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from harness.errors import BadInput
from harness.loop.tools import (
    FileState,
    Implementation,
    PlaceholderImages,
    ToolError,
    ToolOutcome,
    Workbench,
    implementation,
)
from harness.loop.tools.inline import inline
from harness.loop.tools.tool import crashed
from harness.scenario import Tool, is_fresh
from harness.targets.ended import EndedTools
from harness.targets.moments import Moments, ToolMoment
from harness.trace import JsonValue, SetCode, ToolResult, ToolStart
from harness.wire import Call

Arguments = Mapping[str, JsonValue] | JsonValue
"""What a loop passes to a tool: an object, if it has parsed the arguments, or else whatever the model wrote."""


class ToolRaised(Exception):
    """The tool failed, as the scenario wants it. ``str`` of it is the message that the model should get."""


@dataclass(frozen=True, slots=True)
class CallableTool:
    """One tool: its description for the model, and how it is run.

    ``kind`` is ``function``, ``output`` (its arguments are the result of the run), ``external`` (somebody else runs it)
    or ``unapproved`` (it may run once somebody has approved). ``extra`` is text for the model beside the
    tool's result; empty for most tools.
    """

    name: str
    description: str
    parameters: Mapping[str, JsonValue]
    kind: str
    extra: str
    _box: _Toolbox

    async def __call__(self, arguments: Arguments, *, id: str | None = None) -> JsonValue:
        """Run the tool on the arguments, whatever they are, and return its result.

        ``id`` is the id of the model's call, if the loop knows it. Without it, or with an id that the model has not
        issued, the call is found by name and arguments. Raises ``ToolRaised`` if the scenario says that the tool
        fails.
        """
        return _result_of(await self._box.run(self.name, arguments, id))

    def now(self, arguments: Arguments, *, id: str | None = None) -> JsonValue:
        """Like ``__call__``, for loops that are not asynchronous.

        Raises ``BadInput`` for a tool that waits for another, and ``asyncio.CancelledError`` if the caller cancels
        the run while the tool runs: nobody can stop it from outside.
        """
        if self._box.waits(self.name):
            raise BadInput(f"the tool {self.name} waits for another one to end: call it with 'await'")
        try:
            self._box.run(self.name, arguments, id, may_wait=False).send(None)
        except StopIteration as end:
            return _result_of(end.value)
        raise AssertionError(f"the tool {self.name} has waited")


def callables(tools: Sequence[Tool], options: Sequence[str], moments: Moments) -> tuple[CallableTool, ...]:
    """The tools of a case, in the order in which the model is offered them."""
    box = _Toolbox(tools, options, moments)
    return tuple(
        CallableTool(
            tool.declaration.name,
            tool.declaration.description,
            tool.declaration.parameters,
            tool.kind,
            tool.extra,
            box,
        )
        for tool in tools
    )


class _Toolbox:
    """The shared state of the tools of one case: the file that they edit, and which of the model's calls were run."""

    def __init__(self, tools: Sequence[Tool], options: Sequence[str], moments: Moments) -> None:
        self._observe = moments.observe
        self._at_tool = moments.at_tool
        self._issued = moments.issued
        self._claimed: set[tuple[int, int]] = set()
        self._bench = Workbench(FileState(), PlaceholderImages(), options)
        self._ended = EndedTools(tools, moments.note_waited)
        self._tools = {tool.declaration.name: _implementation(tool) for tool in tools}
        self._fresh = frozenset(tool.declaration.name for tool in tools if is_fresh(tool.returns))
        self._waiting = frozenset(tool.declaration.name for tool in tools if tool.finishes_after)

    def waits(self, name: str) -> bool:
        """Whether the tool ends only after another one."""
        return name in self._waiting

    async def run(self, name: str, arguments: Arguments, id: str | None, *, may_wait: bool = True) -> ToolOutcome:
        call = id if id and self._is_issued_once(id) else self._claim(name, arguments) or id or f"{name}-unasked"
        self._observe(ToolStart(call, name, _plain(arguments)))
        await self._moment(call, may_wait, "begun")
        await self._ended.wait_for_those_before(name)
        outcome = await self._outcome(
            name, self._as_called(name, call, arguments) if name in self._fresh else arguments
        )
        self._ended.add(name)
        if outcome.code is not None:
            self._observe(SetCode(outcome.code, call))
        self._observe(ToolResult(call, name, outcome.summary, outcome.ok))
        await self._moment(call, may_wait, "returned" if outcome.ok else "failed")
        return outcome

    async def _moment(self, call: str, may_wait: bool, moment: ToolMoment) -> None:
        """Let the caller act, if the scenario has it act now. A cancelled tool that cannot wait is broken off."""
        place = self._place(call)
        if place is None or (over := self._at_tool(*place, moment)) is None:
            return
        if not may_wait:
            raise asyncio.CancelledError("the caller has cancelled the run")
        await over

    def _place(self, call: str) -> tuple[int, int] | None:
        """Turn and number of a call of the model, both from 1."""
        for turn, made in enumerate(self._issued()):
            for at, _ in enumerate(made):
                if self._own_id(turn, at) == call:
                    return turn + 1, at + 1
        return None

    async def _outcome(self, name: str, arguments: Arguments) -> ToolOutcome:
        try:
            return await self._tools[name].run(self._bench, cast(Mapping[str, JsonValue], arguments))
        except ToolError as error:
            return error.outcome
        except Exception as error:  # noqa: BLE001  # arguments of any shape come here; the model gets it
            return crashed(error)

    def _claim(self, name: str, arguments: Arguments) -> str | None:
        """The id of the model's call for this run: the one that fits, in the latest turn with a call that was not run.

        A loop may have altered the arguments (repaired, completed), so fitting arguments are preferred, not required.
        If no call is left, a call is run again. None: the model has not called the tool.
        """
        calls = [
            (turn, at, call)
            for turn, made in reversed(list(enumerate(self._issued())))
            for at, call in enumerate(made)
            if call.name == name
        ]
        left = [(turn, at, call) for turn, at, call in calls if (turn, at) not in self._claimed] or calls
        if not left:
            return None
        latest = [each for each in left if each[0] == left[0][0]]
        turn, at, _ = next((each for each in latest if _same(each[2], arguments)), latest[0])
        self._claimed.add((turn, at))
        return self._own_id(turn, at)

    def _as_called(self, name: str, id: str, arguments: Arguments) -> Arguments:
        """The arguments as the model wrote them. The tool's return value is made from them.

        A loop may have altered them (completed, read as other types). If they equal those of a call, they stay.
        """
        calls = [call for made in self._issued() for call in made if call.name == name]
        if any(_same(call, arguments) for call in calls):
            return _read(arguments)
        written = next((call.arguments for call in calls if call.id == id), None)
        return _read(arguments if written is None else written)

    def _is_issued_once(self, id: str) -> bool:
        """Whether the id names one call: a loop may have ids of its own, and a model may repeat one."""
        return sum(call.id == id for made in self._issued() for call in made) == 1

    def _own_id(self, turn: int, at: int) -> str:
        """The provider's id of the call, or another id if it has none or repeats the id of an earlier call."""
        issued = self._issued()
        call = issued[turn][at]
        taken = {each.id for made in (*issued[:turn], issued[turn][:at]) for each in made}
        return call.id if call.id and call.id not in taken else f"{call.name}-{turn}-{at}"


def _implementation(tool: Tool) -> Implementation:
    return implementation(tool.declaration.name) if tool.canonical else inline(tool)


def _read(arguments: Arguments) -> Arguments:
    """Arguments, parsed if they are the JSON text of an object."""
    if not isinstance(arguments, str):
        return arguments
    try:
        value: JsonValue = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return value


def _plain(arguments: Arguments) -> JsonValue:
    return dict(arguments) if isinstance(arguments, Mapping) else arguments


def _same(call: Call, arguments: Arguments) -> bool:
    if isinstance(arguments, str) and arguments == call.arguments:
        return True  # the loop has not looked
    try:
        return bool(json.loads(call.arguments or "{}") == _plain(arguments))
    except ValueError:
        return False


def _result_of(outcome: ToolOutcome) -> JsonValue:
    if not outcome.ok:
        raise ToolRaised(_message(outcome.result))
    return outcome.result


def _message(result: JsonValue) -> str:
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else json.dumps(result)

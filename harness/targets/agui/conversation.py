"""The runs of one case over AG-UI: the harness posts what the user says, and runs the tools that it offers.

To the agent these are tools of the user's program. It ends its run when the model has called one, and another run goes
on with the result. The agent runs its own tools itself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from harness.agui import AgUiReader, DataLines, Frontend, ReadEvent
from harness.agui.lines import NoStream
from harness.targets.base import CaseRun
from harness.targets.command.case_line import case_id
from harness.targets.failed import TargetFailed
from harness.targets.tools import Arguments, CallableTool, ToolRaised
from harness.trace import RAISED, Failure, JsonValue, ToolResult
from harness.trace import Final as RunFinal

_MOST_RUNS: Final = 50
"""The most runs of a case. The user's program needs this limit: a limit of the agent begins anew with each run."""

Post = Callable[[bytes, Callable[[bytes], None]], Awaitable[None]]
"""Sends the body of a request, and passes the answer on as it arrives."""


class AgUiConversation:
    """The messages between harness and agent in one run of a case. ``offers``: the agent is offered the tools."""

    def __init__(self, case_run: CaseRun, *, offers: bool = True) -> None:
        self._case_run = case_run
        self._tools = {tool.name: tool for tool in case_run.callables} if offers else {}
        self._reader = AgUiReader()
        self._lines = DataLines()
        self._end: RunFinal | Failure | None = None
        stored: Any = case_run.state.get("messages", [])
        self._frontend = Frontend(case_id(case_run), stored)

    async def drive(self, post: Post) -> None:
        """Let the agent answer. Raises ``TargetFailed`` if it sends something that is no stream."""
        for role, text in self._case_run.prompt:
            self._frontend.say(role, text)
        for _ in range(_MOST_RUNS):
            left = await self._run(post)
            if not left:
                break
            await self._answer(left)
        else:
            self._case_run.emit(Failure(RAISED, f"the program of the user asks no more after {_MOST_RUNS} runs"))
            return
        if isinstance(self._end, RunFinal):
            self._case_run.emit(self._end)

    async def _run(self, post: Post) -> list[str]:
        """One run of the agent. Returns the ids of the calls that the harness is to answer."""
        self._begin()
        try:
            await post(
                self._frontend.run_input([*map(_declaration, self._tools.values())], self._forwarded_props()),
                self._feed,
            )
            self._take(self._lines.close())
        except NoStream as problem:
            raise TargetFailed(f"Line {problem.line} of the answer of its server is no stream: {problem}") from None
        finally:
            self._case_run.state["messages"] = [*self._frontend.messages]
        if self._end != RunFinal(""):
            return []
        return [id for id in self._reader.unanswered if self._frontend.call(id)[0] in self._tools]

    def _begin(self) -> None:
        self._end, self._lines = None, DataLines()

    def _forwarded_props(self) -> dict[str, JsonValue]:
        """What an agent that can ask for any model may look at."""
        case = self._case_run
        return {"case": case_id(case), "wire": case.wire, "model": case.model}

    def _feed(self, data: bytes) -> None:
        self._take(self._lines.feed(data))

    def _take(self, texts: list[tuple[int, str]]) -> None:
        for _, text in texts:
            for read in self._reader.read(text):
                self._one(read)

    def _one(self, read: ReadEvent) -> None:
        self._case_run.note_agui(read.record)
        if not read.record.wrong:
            self._frontend.take(read)
        for event in read.events:
            if isinstance(event, RunFinal | Failure):
                self._end = event
            if not isinstance(event, RunFinal):  # whether it is the end is known when the calls are
                self._case_run.emit(event)

    # --- tools that the harness runs ------------------------------------------------------------------------------

    async def _answer(self, ids: list[str]) -> None:
        """Run the tools of the calls, and add the results in call order. Tools that wait run side by side."""
        answered = await asyncio.gather(*(self._result(id) for id in ids))
        for id, (content, ok) in zip(ids, answered, strict=True):
            self._reader.answered(id)
            self._frontend.answer(id, content, failed=not ok)

    async def _result(self, id: str) -> tuple[str, bool]:
        name, text = self._frontend.call(id)
        output, ok = await _outcome(self._tools[name], _arguments_in(text), id)
        self._case_run.emit(ToolResult(id, name, output, ok))
        return output if isinstance(output, str) else json.dumps(output), ok


async def _outcome(tool: CallableTool, arguments: Arguments, id: str) -> tuple[JsonValue, bool]:
    try:
        return await tool(arguments, id=id), True
    except ToolRaised as raised:
        return str(raised), False


def _arguments_in(text: str) -> Arguments:
    """The arguments as a value, or the text itself if it is no JSON."""
    try:
        value: Arguments = json.loads(text or "{}")
    except ValueError:
        return text
    return value


def _declaration(tool: CallableTool) -> dict[str, JsonValue]:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}

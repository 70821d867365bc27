"""What a command says on its standard output: events for its user, tool calls, a state, and other text.

And what the harness sends to its standard input meanwhile: results, a cancellation, and what the user says.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Mapping
from typing import Any, Literal

from harness.agui import AgUiReader
from harness.targets.base import CaseRun
from harness.targets.command.begun import begun
from harness.targets.command.case_line import case_id
from harness.targets.command.output import LineSplitter, TargetFailed
from harness.targets.tail import Tail
from harness.targets.tools import Arguments, CallableTool, ToolRaised
from harness.trace import RAISED, EventRecord, Failure, Final, JsonValue, TraceError, problem_of
from harness.trace.parsing import read_record

EventFormat = Literal["harness", "ag-ui"]
"""The format in which a loop reports its events: the one in ``docs/command-protocol.md``, or AG-UI."""

_OURS = frozenset({"call", "done", "event", "state"})

_SHOWN = 200

_LONGEST_STATE = 8 * 1024 * 1024
"""The most bytes of the line with the state that a loop stores for its next run."""


class CommandConversation:
    """One case's conversation. ``answer`` takes the lines for the command's standard input.

    ``done`` is called when a persistent command has ended the case; None for a command that ends with its case.
    """

    def __init__(
        self, case_run: CaseRun, done: Callable[[], None] | None = None, *, events: EventFormat = "harness"
    ) -> None:
        self.answer: Callable[[bytes], None] = lambda _line: None
        self.is_done = False
        self.is_cancelled = False
        self._done = done
        self._reader = AgUiReader() if events == "ag-ui" else None
        self._printed = Tail()
        self._case_run = case_run
        self._lines = LineSplitter("standard output", self._line)
        self._number = 0
        self._emitted: set[type] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._tools = {tool.name: tool for tool in case_run.callables}
        self._waiting = frozenset(tool.declaration.name for tool in case_run.tools if tool.finishes_after)

    def feed(self, data: bytes) -> None:
        """Read output. Raises ``TargetFailed`` for what is no event, no call and not the program's own printing."""
        if self._case_run.emits == frozenset():
            self._printed.feed(data)
        else:
            self._lines.feed(data)

    @property
    def printed(self) -> str:
        """The last output that is neither an event nor a call."""
        rest = "" if self._lines.begun.startswith(b"{") else self._lines.begun[-_SHOWN:].decode("utf-8", "replace")
        return f"{self._printed}\n{rest}".strip()

    @property
    def has_spoken(self) -> bool:
        """Whether the command has sent anything to the harness, and so has read its case."""
        return self._number > 0

    def cancel(self, interrupt: Callable[[], object] | None = None) -> None:
        """The caller cancels the run: the program must end it. ``interrupt`` signals a program that reads no lines."""
        self.is_cancelled = True
        if interrupt is None:
            self._write({"cancel": True})
        else:
            interrupt()

    def say(self, text: str) -> None:
        """The user says something while the run goes on."""
        self._write({"say": text})

    def stop(self) -> None:
        """Nobody waits for the results of its calls any longer."""
        for task in self._running:
            task.cancel()

    def ended(self, code: int, message: str) -> None:
        """The command has ended by itself; its exit code says how. ``message`` is what it printed last.

        A cancelled run may end in any way, so its end is not reported. Raises ``TargetFailed`` like ``feed``, because
        the last line may lack a line break.
        """
        self._lines.close()
        if self.is_cancelled:
            return
        emits = self._case_run.emits
        if code != 0 and Failure not in self._emitted:
            self._case_run.emit(Failure(RAISED, f"{manner(code)}\n{message}".strip()))
        elif self._emitted and not self._emitted & {Failure, Final} and (emits is None or "final" in emits):
            self._case_run.emit(Final(""))

    def _line(self, line: bytes) -> None:
        self._number += 1
        if self._reader is not None and (text := _data_of(line)) is not None:
            self._read(self._reader, text)
            return
        if not line.startswith(b"{"):
            self._printed.feed(line + b"\n")
            return
        try:
            message: Mapping[str, Any] = json.loads(line.decode())
        except (ValueError, RecursionError) as error:
            raise self._wrong(line, f"not JSON: {error}") from None
        if self.is_done:
            raise self._wrong(line, "the case has ended with its 'done' line; the next one begins with its case line")
        if "event" in message:
            self._event(line)
        elif "call" in message:
            self._take_call(line, message)
        elif "state" in message:
            self._take_state(line, message)
        elif "done" in message:
            self._take_done(line, message)
        else:
            raise self._wrong(line, "expected an object with the member 'event', 'call' or 'state'")

    def _read(self, reader: AgUiReader, text: str) -> None:
        """Take an event of AG-UI. A run that ends with calls of tools goes on, or the command ends."""
        for read in reader.read(text):
            self._case_run.note_agui(read.record)
            goes_on = read.record.type == "RUN_FINISHED" and bool(reader.unanswered)
            for event in read.events:
                if not (goes_on and event == Final("")):
                    self._emitted.add(type(event))
                    self._case_run.emit(event)

    def _take_done(self, line: bytes, message: Mapping[str, Any]) -> None:
        if self._done is None:
            raise self._wrong(line, "a 'done' line is for targets that declare 'persistent: true' in a target file")
        if message != (expected := {"done": case_id(self._case_run)}):
            raise self._wrong(line, f"expected {json.dumps(expected)}")
        self.is_done = True
        self._done()

    def _take_state(self, line: bytes, message: Mapping[str, Any]) -> None:
        """Take the state that the loop stores for the next run of the case. It replaces the earlier state."""
        state = message["state"]
        if len(message) != 1 or not isinstance(state, dict):
            raise self._wrong(line, 'expected {"state": OBJECT}, with nothing beside it')
        if len(line) > _LONGEST_STATE:
            raise self._wrong(line, f"a state of more than {_LONGEST_STATE // 1024**2} MiB")
        try:
            json.dumps(state, allow_nan=False)
        except ValueError:
            raise self._wrong(line, "NaN and Infinity are no JSON") from None
        self._case_run.state.clear()
        self._case_run.state.update(state)

    def _event(self, line: bytes) -> None:
        try:
            record = read_record("", line.decode())
        except TraceError as error:
            raise self._wrong(line, "; ".join(problem.removeprefix(": ") for problem in error.problems)) from None
        assert isinstance(record, EventRecord)  # noqa: S101 - it has the member 'event'
        if problem := problem_of(record.event):
            raise self._wrong(line, problem)
        self._emitted.add(type(record.event))
        self._case_run.emit(record.event)

    def _wrong(self, line: bytes, why: str) -> TargetFailed:
        text = line.decode("utf-8", "replace")
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(line):,} bytes)"
        return TargetFailed(
            f"Line {self._number} of its standard output is no event: {why}.\n    {shown}\n"
            "Lines that begin with '{' are for the harness: print others on standard error, or declare 'emits: []'."
        )

    # --- tools that the harness runs for the command -----------------------------------------------------------

    def _take_call(self, line: bytes, message: Mapping[str, Any]) -> None:
        match message:
            case {"call": {"key": key, "name": str(name), "arguments": arguments, **rest}} if (
                len(message) == 1 and rest.keys() <= {"id"} and isinstance(id := rest.get("id"), str | None)
            ):
                self._run(key, name, arguments, id)
            case _:
                expected = '{"call": {"key": ANY, "name": TEXT, "arguments": OBJECT, "id": TEXT or left out}}'
                raise self._wrong(line, f"expected {expected}")

    def _run(self, key: JsonValue, name: str, arguments: Arguments, id: str | None) -> None:
        """Run the tool: at once, so that reports stay in order, and from its first wait on in a task."""
        tool = self._tools.get(name)
        if tool is None:
            self._result(key, False, f"there is no tool {name!r}")
            return
        work = self._answer_call(key, tool, arguments, id)
        task = asyncio.get_running_loop().create_task(work) if name in self._waiting else begun(work)
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _answer_call(self, key: JsonValue, tool: CallableTool, arguments: Arguments, id: str | None) -> None:
        try:
            self._result(key, True, await tool(arguments, id=id), tool.extra)
        except ToolRaised as raised:
            self._result(key, False, str(raised))

    def _result(self, key: JsonValue, ok: bool, output: JsonValue, extra: str = "") -> None:
        self._write({"result": {"key": key, "ok": ok, "output": output, "extra": extra}})

    def _write(self, line: Mapping[str, JsonValue]) -> None:
        self.answer(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")


def _data_of(line: bytes) -> str | None:
    """The JSON of an AG-UI event, alone on its line or behind ``data:``; None for a line of our own protocol."""
    text = line.decode("utf-8", "replace")
    if text.startswith("data:"):
        return text.removeprefix("data:").removeprefix(" ")
    if not text.startswith("{"):
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return None if _OURS.intersection(message) and "type" not in message else text


def manner(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"

"""A command as a target."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from harness.scenario.agent_tools import text_of, words_in
from harness.targets.agent import AgentSetup, Workspace, workspace
from harness.targets.agent.words import words_of_case
from harness.targets.base import CaseRun, Isolation
from harness.targets.command.case_line import case_line
from harness.targets.command.conversation import CommandConversation, EventFormat
from harness.targets.command.output import LineSplitter, TargetFailed
from harness.targets.command.process import Process, Take
from harness.targets.command.running import Connect, Start, start_openly
from harness.targets.command.surroundings import GUARDED, lasting_surroundings, surroundings
from harness.targets.command.version import version_of
from harness.targets.declaration import Declaration
from harness.targets.environment import without_own
from harness.targets.tail import Tail

_SILENT: Final = (
    "It has said nothing. Does it read its standard input to the end? The case is the first line; the results of calls "
    "come after it, so it stays open."
)


_PRINTED_NOTHING: Final = "It has printed nothing."

_NOT_DONE: Final = (
    "The target file declares 'persistent: true', so the program must end each case with the line "
    "{\"done\": CASE}; CASE is the member 'case' of the case's line."
)


@dataclass(frozen=True)
class CommandTarget:
    """A program that runs the loop, never started by a shell.

    ``command`` is the program with its arguments. ``environment`` is set for it beside the user's own variables.
    It runs in ``directory`` (None: where the harness runs). It is started once for every run of a case. A
    ``persistent`` program does one run after another: as many processes of it are started as cases run at once, and a
    new one for a resumed run. ``start`` starts it, with or without a seal. ``passes`` are the user's variables that
    reach it although their names look like secrets. ``agent`` says in which folders it runs and what it finds there.
    ``command`` and ``environment`` may contain words whose values only a case knows (``agent.words``).
    ``version_command`` prints its version. ``events`` is the format in which it reports its events.
    """

    name: str
    command: tuple[str, ...]
    declaration: Declaration = field(default_factory=Declaration)
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    persistent: bool = False
    passes: tuple[str, ...] = ()
    agent: AgentSetup = field(default_factory=AgentSetup)
    version_command: tuple[str, ...] = ()
    events: EventFormat = "harness"
    isolation: Isolation = "command"
    start: Start = field(default=start_openly, repr=False, compare=False)
    _idle: list[Worker] = field(default_factory=list, repr=False, compare=False)

    def sealed(self, start: Start, connect: Connect) -> CommandTarget:  # noqa: ARG002 - it says all on its output
        """The same target, but ``start`` starts its processes."""
        return replace(self, start=start, _idle=[])

    async def run(self, case_run: CaseRun) -> None:
        """Drive the loop once. Raises ``TargetFailed`` if the program breaks the protocol."""
        if self.persistent:
            await self._run_in_worker(case_run)
            return
        output, errors = CommandConversation(case_run, events=self.events), Errors(case_run.note_blocked)
        process = self._start_process(case_run, output.feed, errors.feed)
        self._connect(output, case_run, process)
        case_run.before_requests(process.catch_up)
        try:
            await _converse(process, output, errors, case_line(case_run) if self.agent.reads == "case" else b"")
        finally:
            await process.end()
        output.ended(process.code, _last_words(output, errors))

    async def close(self) -> None:
        """End the processes that wait for another case."""
        idle = [self._idle.pop() for _ in range(len(self._idle))]
        await asyncio.gather(*(worker.process.leave() for worker in idle))

    def workspace(self, files: Mapping[str, str]) -> AbstractContextManager[Workspace | None]:
        """The folders of a case while the block runs (``HasWorkspace``)."""
        return workspace(self.agent, files, self.command) if self.agent.needs_folders else nullcontext()

    @property
    def keeps_to_folders(self) -> bool:
        """Whether a seal lets the program write only the folders of its case (``KeepsToFolders``)."""
        return self.agent.keeps_to_folders

    @property
    def asks_version(self) -> bool:
        """Whether the file names a command that prints the version."""
        return bool(self.version_command)

    def versions(self) -> Mapping[str, str]:
        """The version that the program prints (``Versioned``). Its environment is like the one in a case.

        Do not call this where an event loop runs.
        """
        if not self.version_command:
            return {}
        with self.workspace({}) as folders:
            known = {name: value for name, value in self.environment.items() if not any(words_in(value))}
            own = {**self._around(folders), **known}
            directory = self.directory if folders is None or folders.workdir is None else folders.workdir
            start = self._start_in(folders)
            asked = version_of(self.version_command, directory, without_own(own, "", self._passes), start)
            found = asyncio.run(asked)
        return {} if found is None else {self.name: found}

    def _start_process(self, case_run: CaseRun, output: Take, errors: Take) -> Process:
        """The program of a run, in the folders of its case. They are set up before the first run."""
        words = words_of_case(case_run, self.agent.by_wire.get(case_run.wire, {}))
        folders = case_run.workspace
        if folders is not None and case_run.number == 1 and not case_run.compacts:
            folders.write({path: text_of(text, words) for path, text in self.agent.files.items()})
        own = self._around(folders)
        own |= {name: text_of(value, words) for name, value in self.environment.items()}
        command = self._command_of(case_run)
        directory = self.directory if folders is None or folders.workdir is None else folders.workdir
        environment = surroundings(case_run, own, self._passes)
        start = self._start_in(folders)
        return Process([text_of(each, words) for each in command], environment, directory, output, errors, start)

    def _around(self, folders: Workspace | None) -> dict[str, str]:
        """The variables of this process that the program gets."""
        return dict(os.environ) if folders is None else folders.environment(os.environ, self.passes)

    def _start_in(self, folders: Workspace | None) -> Start:
        """Starts the program of a case. If all its folders are made for the case, it may write only these."""
        if folders is None or not self.keeps_to_folders:
            return self.start
        own = [each for each in (folders.home, folders.workdir) if each is not None]
        return partial(self.start, writable=[*own, *(each for each in self.agent.writes if each.exists())])

    def _command_of(self, case_run: CaseRun) -> tuple[str, ...]:
        if case_run.compacts and self.agent.compact:
            return self.agent.compact
        return self.agent.again if case_run.number > 1 and self.agent.again else self.command

    async def _run_in_worker(self, case_run: CaseRun) -> None:
        done = asyncio.get_running_loop().create_future()
        output = CommandConversation(case_run, lambda: done.set_result(None), events=self.events)
        errors = Errors(case_run.note_blocked)
        worker = await self._worker(case_run, output.feed, errors.feed)
        process, kept = worker.process, False
        self._connect(output, case_run, process)
        case_run.alias(worker.address)
        case_run.before_requests(process.catch_up)
        try:
            await _converse(process, output, errors, case_line(case_run, persistent=True), done)
            if output.is_done:
                output.ended(0, "")
                kept = not process.is_over
        except asyncio.CancelledError as late:
            late.add_note(_NOT_DONE)
            raise
        finally:
            if not kept:
                await process.end()
        if kept:
            self._idle.append(worker)
        elif not output.is_done:
            output.ended(process.code, _last_words(output, errors))

    async def _worker(self, case_run: CaseRun, output: Take, errors: Take) -> Worker:
        """A process that waits for a case, or else a new one. For a resumed run a new one replaces one that waits."""
        resumed = case_run.resumed
        while self._idle:
            worker = self._idle.pop()
            wanted = lasting_surroundings(case_run, self._own(), worker.address, self._passes)
            if worker.environment == wanted and not worker.process.is_over and not resumed:
                worker.process.listen(output, errors)
                return worker
            await worker.process.leave()
            if resumed:
                break
        address = f"worker-{secrets.token_hex(4)}"
        environment = lasting_surroundings(case_run, self._own(), address, self._passes)
        process = Process(self.command, environment, self.directory, output, errors, self.start)
        return Worker(address, environment, process)

    def _connect(self, output: CommandConversation, case_run: CaseRun, process: Process) -> None:
        """Let the program hear of the things that it has declared to take while it runs."""
        if "cancel" in self.declaration.capabilities:
            loop, number = asyncio.get_running_loop(), self.agent.interrupt
            how = None if number is None else partial(process.interrupt, number)
            # in a step of its own, so that a call that has ended just now has its result before
            case_run.on_cancel(lambda: loop.call_soon_threadsafe(output.cancel, how))
        if "steer" in self.declaration.capabilities:
            case_run.on_say(output.say)

    @property
    def _passes(self) -> tuple[str, ...]:
        """Variables that are set for the program are meant for it, so they pass, too."""
        return (*self.passes, *self.environment)

    def _own(self) -> Mapping[str, str]:
        return {**os.environ, **self.environment}


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that runs one case after another. ``address`` is the name under which the endpoint knows it."""

    address: str
    environment: Mapping[str, str]
    process: Process


async def _converse(
    process: Process,
    output: CommandConversation,
    errors: Errors,
    case: bytes,
    done: asyncio.Future[None] | None = None,
) -> None:
    """Send the process its case, and listen until it has exited or ``done`` is done. Raises ``TargetFailed``.

    A process that gets no case reads nothing.
    """
    output.answer = process.write
    try:
        if case:
            process.write(case)
        else:
            process.finish_input()
        await process.over(done)
    except asyncio.CancelledError as late:
        silent = "" if output.has_spoken else _SILENT if case else _PRINTED_NOTHING
        late.add_note(_last_words(output, errors) or silent)
        raise
    except TargetFailed as failed:
        raise TargetFailed(f"{failed}\n{_last_words(output, errors)}".strip()) from None
    finally:
        output.stop()


class Errors:
    """The program's standard error: its last lines, for people, and the hosts that the guard has refused."""

    def __init__(self, note_blocked: Callable[[str], None]) -> None:
        self.tail = Tail()
        self._note_blocked = note_blocked
        self._lines = LineSplitter("standard error", self._line)

    def feed(self, data: bytes) -> None:
        """Take some of its bytes."""
        self.tail.feed(data)
        self._lines.feed(data)

    def _line(self, line: bytes) -> None:
        if line.startswith(GUARDED):
            self._note_blocked(line.removeprefix(GUARDED).decode("utf-8", "replace"))


def _last_words(output: CommandConversation, errors: Errors) -> str:
    """The last output of the program: on standard error, or, if there is none, on standard output."""
    return str(errors.tail) or output.printed

"""A server of AG-UI as a target: a program that is started, and its address, to which runs are posted."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from harness.scenario.agent_tools import text_of
from harness.sealing.errors import SealRefused
from harness.targets.agent.words import words_of_case
from harness.targets.agui.conversation import AgUiConversation
from harness.targets.agui.posted import PostedRun, request_bytes
from harness.targets.base import CaseRun, Isolation
from harness.targets.command.ports import free_port
from harness.targets.command.process import Process
from harness.targets.command.running import Connect, Start, connect_openly, start_openly
from harness.targets.command.surroundings import lasting_surroundings, surroundings
from harness.targets.command.target import Errors
from harness.targets.declaration import Declaration
from harness.targets.failed import TargetFailed
from harness.targets.tail import Tail

_BETWEEN: Final = 0.05
"""Seconds between two looks at whether the server listens."""


@dataclass(frozen=True)
class AgUiTarget:
    """A program that serves an agent over AG-UI at ``url``, never started by a shell.

    ``url`` and ``command`` contain ``$port`` where the port belongs: as many processes are started as cases run at
    once, each with a port of its own. A ``persistent`` process serves one case after another. The agent is offered the
    tools of a case, unless it has declared that it has them itself. ``connect`` reaches a port where the program runs.
    The other members are the same as in ``CommandTarget``.
    """

    name: str
    url: str
    command: tuple[str, ...]
    declaration: Declaration = field(default_factory=Declaration)
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    persistent: bool = False
    passes: tuple[str, ...] = ()
    isolation: Isolation = "command"
    start: Start = field(default=start_openly, repr=False, compare=False)
    connect: Connect = field(default=connect_openly, repr=False, compare=False)
    _idle: list[_Server] = field(default_factory=list, repr=False, compare=False)

    def sealed(self, start: Start, connect: Connect) -> AgUiTarget:
        """The same target, but its processes run behind a seal."""
        return replace(self, start=start, connect=connect, _idle=[])

    async def run(self, case_run: CaseRun) -> None:
        """Drive the agent once. Raises ``TargetFailed`` if its server does not answer, or answers without a stream."""
        server = self._waiting() if self._idle and not case_run.resumed else self._start_server(case_run)
        kept = False
        server.note_blocked = case_run.note_blocked
        if server.alias:
            case_run.alias(server.alias)
        conversation = AgUiConversation(case_run, offers=not self.declaration.own_tools)
        try:
            await self._ready(server)
            await conversation.drive(lambda body, take: self._post(server, case_run, body, take))
            kept = self.persistent and not server.process.is_over
        except asyncio.CancelledError as late:
            late.add_note(server.last_words or "Its server has said nothing.")
            raise
        except TargetFailed as failed:
            raise TargetFailed(f"{failed}\n{server.last_words}".strip()) from None
        finally:
            if not kept:
                await server.process.end()
        if kept:
            self._idle.append(server)

    async def close(self) -> None:
        """End the processes that wait for another case."""
        servers = [self._idle.pop() for _ in range(len(self._idle))]
        await asyncio.gather(*(server.process.end() for server in servers))

    def _waiting(self) -> _Server:
        server = self._idle.pop()
        server.process.listen(server.printed.feed, server.errors.feed)
        return server

    def _start_server(self, case_run: CaseRun) -> _Server:
        """A server for one case, or for many. Its standard output is no protocol, only its own printing."""
        alias = f"worker-{secrets.token_hex(4)}" if self.persistent else ""
        port = free_port()
        words = {"port": str(port), **({} if alias else words_of_case(case_run, {}))}
        own = {**os.environ, **{name: text_of(value, words) for name, value in self.environment.items()}}
        passes = (*self.passes, *self.environment)
        environment = (
            lasting_surroundings(case_run, own, alias, passes) if alias else surroundings(case_run, own, passes)
        )
        command = [text_of(word, words) for word in self.command]
        server = _Server(port, text_of(self.url, words), alias)
        server.process = Process(
            command, environment, self.directory, server.printed.feed, server.errors.feed, self.start
        )
        return server

    async def _ready(self, server: _Server) -> None:
        """Wait until the server listens; the case has a deadline."""
        while True:
            try:
                self.connect(server.port).close()
            except (OSError, SealRefused):
                if server.process.is_over:
                    await server.process.over()
                    raise TargetFailed(f"Its server has ended with exit code {server.process.code}.") from None
                await asyncio.sleep(_BETWEEN)
            else:
                return

    async def _post(self, server: _Server, case_run: CaseRun, body: bytes, take: Callable[[bytes], None]) -> None:
        url = urlsplit(server.url)
        path = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
        try:
            connection = self.connect(server.port)
        except (OSError, SealRefused):
            raise TargetFailed("Its server does not listen any longer.") from None
        posted = PostedRun(connection, take)
        case_run.before_requests(posted.catch_up)
        try:
            await posted.over(request_bytes(url.netloc, path, body))
        finally:
            posted.close()


class _Server:
    """A process that serves an agent: its port, its address, and the name under which the endpoint knows it."""

    process: Process

    def __init__(self, port: int, url: str, alias: str) -> None:
        self.port = port
        self.url = url
        self.alias = alias
        self.printed = Tail()
        self.note_blocked: Callable[[str], None] = lambda _: None
        self.errors = Errors(lambda host: self.note_blocked(host))

    @property
    def last_words(self) -> str:
        """The last output of the server: on standard error, or else on standard output."""
        return str(self.errors.tail) or str(self.printed)

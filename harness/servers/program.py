"""The gateway as a child process: started in a clean environment, behind a seal where the machine allows it, and ready.

Its environment has no secret of the user's, and every SDK in it finds our models. Behind a seal it reaches these and
nothing else; a door leads our client through the seal to its port.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from harness.errors import BadInput
from harness.runner.serving.program import surroundings
from harness.sealing.commands import Spawner
from harness.sealing.errors import CannotStart
from harness.servers.door import door
from harness.servers.preset import KEY, Preset, filled
from harness.targets.command.ports import free_port
from harness.targets.command.process import Process
from harness.targets.command.program import program
from harness.targets.command.running import Start, start_openly
from harness.targets.command.version import version_of

_BETWEEN: Final = 0.1
"""Seconds between two looks at whether it is ready."""

_MOST_PRINTED: Final = 4_000
"""Characters at the end of its output that a message quotes."""

_READY: Final = 200


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the gateway runs: what starts a command there, and what connects to a port of it (None: no seal)."""

    start: Start = start_openly
    connect: Callable[[int], socket.socket] | None = None
    listener: Callable[[int], socket.socket] | None = None

    def free_port(self) -> int:
        """A port on which nothing listens now."""
        if self.listener is None:
            return free_port()
        with self.listener(0) as found:
            port: int = found.getsockname()[1]
            return port


@contextmanager
def ground(*, sealed: bool) -> Iterator[Ground]:
    """Where the gateway runs while the block does. Raises ``HarnessError`` where the seal cannot be made."""
    if not sealed:
        yield Ground()
        return
    spawner = Spawner()
    try:
        yield Ground(spawner.start, spawner.connection, spawner.listener)
    finally:
        spawner.close()


@dataclass(frozen=True, slots=True)
class RunningGateway:
    """A gateway that is ready: its ``url`` for clients, and its ``version`` (empty where it does not say one)."""

    url: str
    version: str = ""


@asynccontextmanager
async def running_gateway(
    preset: Preset, fakes: Mapping[str, str], place: Ground, folder: Path, seconds: float
) -> AsyncIterator[RunningGateway]:
    """Start the gateway of a preset, wait until it is ready, and end it with the block.

    ``fakes`` are the addresses of our models by the names of the upstreams; ``folder`` gets its configuration. It runs
    where this process does. Raises ``BadInput`` where it cannot be started, ends, or is not ready in these ``seconds``.
    """
    port = place.free_port()
    words = _words(preset, fakes, folder, port)
    _write_config(preset, words)
    environment = _environment(preset, words, next(iter(fakes.values())))
    command = program(filled(preset.command, words), f"the command of the gateway {preset.name}")
    printed = _Tail()
    version = await _version(preset, command[0], environment, place)
    process = Process(command, environment, None, printed.add, printed.add, place.start)
    try:
        async with _outside_address(place, port) as url:
            await _ready(process, f"{url}{preset.ready}", printed, seconds, preset)
            yield RunningGateway(url, version)
    except CannotStart as problem:
        raise BadInput(f"cannot start {problem.name}: {problem.why}") from None
    finally:
        await process.end()


@asynccontextmanager
async def _outside_address(place: Ground, port: int) -> AsyncIterator[str]:
    """The address at which the gateway's port is reached from here."""
    if place.connect is None:
        yield f"http://127.0.0.1:{port}"
        return
    connect = place.connect
    async with door(lambda: connect(port)) as outside:
        yield f"http://127.0.0.1:{outside}"


async def _ready(process: Process, url: str, printed: _Tail, seconds: float, preset: Preset) -> None:
    async with httpx2.AsyncClient(trust_env=False, timeout=seconds) as client:
        try:
            async with asyncio.timeout(seconds):
                while not await _answers(client, url):
                    if process.is_over:
                        await process.over()
                        raise BadInput(f"the gateway {preset.name} has ended with code {process.code}{printed}")
                    await asyncio.sleep(_BETWEEN)
        except TimeoutError:
            raise BadInput(
                f"the gateway {preset.name} is not ready after {seconds:g} s: {preset.ready} does not answer with 200; "
                f"correct 'ready' of the preset, or give it more time with --start-timeout{printed}"
            ) from None


async def _answers(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == _READY
    except httpx2.TransportError:
        return False


async def _version(preset: Preset, name: str, environment: Mapping[str, str], place: Ground) -> str:
    if not preset.version:
        return ""
    command = program(filled(preset.version, {"program": name}), f"the version of the gateway {preset.name}")
    return await version_of(command, None, environment, place.start) or ""


def _words(preset: Preset, fakes: Mapping[str, str], folder: Path, port: int) -> dict[str, str]:
    paths = {"folder": str(folder), "config": str(folder / preset.config_file)}
    return {**paths, "port": str(port), "key": KEY, **{f"fake.{name}": url for name, url in fakes.items()}}


def _write_config(preset: Preset, words: Mapping[str, str]) -> None:
    if preset.config is None:
        return
    text = preset.config if isinstance(preset.config, str) else json.dumps(preset.config, indent=1)
    file = Path(words["config"])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(filled(text, words), encoding="utf-8")


def _environment(preset: Preset, words: Mapping[str, str], fake: str) -> dict[str, str]:
    own = {name: filled(value, words) for name, value in preset.environment.items()}
    fakes = {f"HARNESS_FAKE_{name[5:].replace('-', '_').upper()}": url for name, url in words.items() if "." in name}
    return {**surroundings(fake, os.environ), **fakes, **own}


class _Tail:
    """The end of what a program has printed."""

    def __init__(self) -> None:
        self._text = b""

    def add(self, data: bytes) -> None:
        self._text = (self._text + data)[-_MOST_PRINTED:]

    def __str__(self) -> str:
        text = self._text.decode("utf-8", "replace").strip()
        return f"; it has printed:\n{text}" if text else "; it has printed nothing"

"""What a loop has started ends with its case, however the harness ends, and wherever it hides."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL

import psutil
import pytest

from tests.commands import start_harness, write_hello

HERE = Path(__file__).resolve().parent
SECONDS = 60
"""In which what is killed has ended. Far beyond what it takes on a busy machine."""

PROGRAM = [sys.executable, str(HERE / "leaving.py")]
STARTED = {
    "function": ["run", "hello.yaml", "--target", "tests.sealing.leaving:run"],
    "command": ["run", "hello.yaml", "--target", f"cmd:{shlex.join(PROGRAM)}"],
    "serve": ["serve", "--", *PROGRAM],
}


@dataclass
class Left:
    """A harness that runs a loop which has started others: ``harness`` itself, and ``started``, all below it."""

    harness: psutil.Process
    started: list[psutil.Process]

    def below(self, kind: str) -> psutil.Process:
        """The outermost process of a worker, or of a spawner, which is the one that has the loop below it."""
        found = [each for each in self.harness.children() if len(each.children(recursive=True)) >= len(LOOP)]
        assert len(found) == 1, (kind, found)
        return found[0]


LOOP = ("loop", "child", "session", "cleared", "double")


@pytest.fixture
def left(tmp_path: Path) -> Iterator[Callable[..., Left]]:
    """Start a harness with a loop, and give it when everything is there; nothing of it is left afterwards."""
    write_hello(tmp_path, "hello")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    found: list[Left] = []

    def start(kind: str, *options: str) -> Left:
        words = STARTED[kind]
        at = words.index("--") if "--" in words else len(words)
        path = os.pathsep.join(filter(None, [str(HERE.parent.parent), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "TEST_PIPE": str(tmp_path / "pipe"), "PYTHONPATH": path}
        process = start_harness(
            *words[:at], *options, *words[at:], cwd=tmp_path, env=environment, stdout=DEVNULL, stderr=DEVNULL
        )
        running.append(process)
        assert select.select([reader], [], [], SECONDS)[0], "nothing was started"
        numbers = json.loads(os.read(reader, 4096))
        harness = psutil.Process(process.pid)
        started = harness.children(recursive=True)
        if "--no-isolate" in options:
            started += [psutil.Process(number) for number in numbers]
        found.append(Left(harness, started))
        return found[-1]

    running: list[subprocess.Popen[str]] = []
    yield start
    for each in found:
        for process in (each.harness, *each.started):
            with suppress(psutil.NoSuchProcess):
                process.kill()
    for harness in running:
        harness.wait(SECONDS)
    os.close(reader)


def alive(processes: list[psutil.Process], seconds: float = SECONDS) -> list[psutil.Process]:
    """Those that have not ended within some seconds; one that is dead, and that nobody has reaped, has."""
    waiting = [process for process in processes if process.is_running()]
    _, waiting = psutil.wait_procs([each for each in waiting if not is_dead(each)], seconds)
    return [each for each in waiting if not is_dead(each)]


def is_dead(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("kind", STARTED)
def test_nothing_is_left_where_the_harness_is_killed(left: Callable[..., Left], kind: str) -> None:
    found = left(kind, "--isolate")
    assert len(found.started) >= len(LOOP)
    found.harness.kill()
    assert alive(found.started) == []


@pytest.mark.parametrize("kind", STARTED)
def test_nothing_is_left_where_what_is_behind_the_seal_is_killed(left: Callable[..., Left], kind: str) -> None:
    found = left(kind, "--isolate")
    killed = found.below(kind)
    below = killed.children(recursive=True)
    assert len(below) >= len(LOOP)
    killed.kill()
    assert alive(below) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", STARTED)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_nothing_is_left_where_the_harness_is_interrupted(
    left: Callable[..., Left], kind: str, number: signal.Signals
) -> None:
    found = left(kind, "--isolate")
    found.harness.send_signal(number)
    assert alive(found.started) == []


@pytest.mark.parametrize("kind", STARTED)
def test_without_a_seal_something_is_left(left: Callable[..., Left], kind: str) -> None:
    """So that the tests above prove something: what they start does try to outlive its case."""
    found = left(kind, "--no-isolate")
    found.harness.kill()
    assert alive(found.started, 1.0) != []

"""What is watched is sealed off as what is run, sees no secret of the user's, and ends when nobody looks any more."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

import psutil
import pytest

from harness.sealing.allowed import Sealing
from harness.watch import Performance, chosen_case
from harness.watch.messages import Message
from tests.commands import write_hello
from tests.sealing.trap import Trap, trap

pytestmark = pytest.mark.anyio

LOOP = '''\
"""Says what it sees of the environment and of the network, starts what would outlive it, and goes on at leisure."""

import json, os, pathlib, subprocess, sys, time

HERE = pathlib.Path(__file__).parent
ASK = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as connection:
    connection.sendall(b"way-watched")
    connection.settimeout(5)
    connection.recv(1)
"""


def run(case=None):
    host, port = json.loads((HERE / "trap.json").read_text())
    asked = subprocess.run([sys.executable, "-I", "-c", ASK, host, str(port)], capture_output=True, text=True)
    network = asked.stderr.strip().splitlines()[-1] if asked.returncode else "reached"
    secrets = [name for name in ("GITHUB_TOKEN", "CUSTOMER_DSN") if name in os.environ]
    subprocess.Popen(["sleep", (HERE / "mark").read_text()], start_new_session=True, env={})
    found = HERE / "found.part"
    found.write_text(json.dumps([network, secrets]))
    found.rename(HERE / "found.json")
    time.sleep(float((HERE / "seconds").read_text()))


if __name__ == "__main__":
    run()
'''
TARGETS = {
    "function": "python: watched_loop:run",
    "command": f"command: {json.dumps([sys.executable, 'watched_loop.py'])}",
}


class Watched:
    """``begin`` runs the loop with somebody watching. What was sent is in ``messages``, what it saw in ``found``."""

    def __init__(self, folder: Path, caught: Trap) -> None:
        self.folder = folder
        self.messages: list[Message] = []
        self.mark = f"1000.{token_hex(8).translate(str.maketrans('abcdef', '012345'))}"
        (folder / "trap.json").write_text(json.dumps([caught.host, caught.port]), encoding="utf-8")
        (folder / "mark").write_text(self.mark, encoding="utf-8")

    async def begin(self, kind: str, sealing: Sealing, *, works: float = 0) -> asyncio.Task[None]:
        """For so many seconds the loop goes on when it has seen everything."""
        text = f"target: mine\n{TARGETS[kind]}\ndirectory: {self.folder}\nwires: [anthropic-messages]\nemits: []\n"
        (self.folder / "mine.yaml").write_text(text, encoding="utf-8")
        (self.folder / "seconds").write_text(str(works), encoding="utf-8")
        target = str(self.folder / "mine.yaml")
        item = await chosen_case(str(self.folder / "hello.yaml"), wire=None, target=target)
        performance = Performance(item, target, lambda _: "", sealing=sealing)
        return asyncio.create_task(performance(self.messages.append))

    @property
    def found(self) -> list[object]:
        file = self.folder / "found.json"
        return list(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else []

    def left(self) -> list[psutil.Process]:
        """What the loop has started beside, wherever it is."""
        return [each for each in psutil.process_iter(["cmdline"]) if self.mark in (each.info["cmdline"] or ())]


async def until(holds: Callable[[], object], seconds: float = 60) -> None:
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s")


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Trap], Watched]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GITHUB_TOKEN", "ghs-Qm3vZp81xWk")
    monkeypatch.setenv("CUSTOMER_DSN", "dsn-81xWkQm3vZp")
    (tmp_path / "watched_loop.py").write_text(LOOP, encoding="utf-8")
    write_hello(tmp_path, "hello")

    return lambda caught: Watched(tmp_path, caught)


@pytest.mark.parametrize("kind", TARGETS)
async def test_a_loop_that_is_watched_reaches_nobody(
    kind: str, watched: Callable[[Trap], Watched], tmp_path: Path
) -> None:
    with trap(tmp_path) as caught:
        seen = watched(caught)
        await (await seen.begin(kind, "required"))
    assert not caught.caught
    assert seen.found == ["OSError: [Errno 101] Network is unreachable", []]
    assert seen.messages[-1]["verdict"] == "fail"  # it has asked for nothing
    assert os.environ["GITHUB_TOKEN"]  # it is the user's, still


async def test_the_trap_catches_one_that_is_not_sealed(watched: Callable[[Trap], Watched], tmp_path: Path) -> None:
    with trap(tmp_path) as caught:
        seen = watched(caught)
        await (await seen.begin("command", "off"))
    assert caught.caught == {"watched"}
    assert seen.found == ["reached", []]


@pytest.mark.parametrize("kind", TARGETS)
async def test_a_loop_ends_with_all_that_it_has_started_when_its_visitor_leaves(
    kind: str, watched: Callable[[Trap], Watched], tmp_path: Path
) -> None:
    with trap(tmp_path) as caught:
        seen = watched(caught)
        performing = await seen.begin(kind, "required", works=1000)
        await until(lambda: seen.found and seen.left())
        performing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await performing
    await until(lambda: not seen.left())

"""The program that ``harness serve`` starts: it ends when it is asked to, or else is ended."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.runner.serving import Program, program
from harness.runner.serving.activity import Activity

pytestmark = pytest.mark.anyio

READY = (
    "import socket; held = socket.create_connection(('127.0.0.1', {port})); import threading; threading.Event().wait()"
)
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + READY


async def started(source: str) -> Program:
    """A program that has got so far as to connect."""
    connected = asyncio.Event()

    def connects(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        connected.set()

    server = await asyncio.start_server(connects, "127.0.0.1", 0)
    text = source.format(port=server.sockets[0].getsockname()[1])
    found = await Program.start([sys.executable, "-c", text], "http://127.0.0.1:1/case/x")
    await asyncio.wait_for(connected.wait(), 120)
    server.close()
    await server.wait_closed()
    return found


async def test_a_program_is_asked_to_end_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "GRACE", 1000.0)
    running = await started(READY)
    await running.end()
    assert await running.wait() == -signal.SIGTERM


@pytest.mark.parametrize("hurried", [True, False], ids=["hurried", "late"])
async def test_a_program_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, hurried: bool) -> None:
    monkeypatch.setattr(program, "GRACE", 1000.0 if hurried else 0.01)
    hurry = asyncio.Event()
    if hurried:
        hurry.set()
    running = await started(STUBBORN)
    await running.end(hurry)
    assert await running.wait() == -signal.SIGKILL


async def test_what_cannot_be_started_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("no program", encoding="utf-8")
    with pytest.raises(BadInput, match=r"cannot start .*agent: Permission denied"):
        await Program.start([str(tmp_path / "agent")], "http://127.0.0.1:1/case/x")


async def test_serving_ends_once_and_for_the_first_reason() -> None:
    activity = Activity(requests=2, idle=1000.0)
    for _ in range(2):
        activity.began()
        activity.ended()
    activity.end("interrupted")
    assert (activity.over.is_set(), activity.enough) == (True, True)
    assert activity.why == "2 requests have been answered (--requests)"


async def test_a_request_that_is_being_answered_is_no_idle_time() -> None:
    activity = Activity(idle=0.01)
    activity.began()
    activity.began()
    activity.ended()
    assert not activity.over.is_set()
    activity.ended()
    await asyncio.wait_for(activity.over.wait(), 120)
    assert activity.why == "there was no request for 0.01 s (--idle)"

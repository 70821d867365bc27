"""A command without a seal: what it inherits of the harness's own way to take signals."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from harness.sealing.commands import Place
from harness.targets.command.running import start_openly

pytestmark = pytest.mark.anyio

IGNORED = (
    "import signal; print(*[n.name for n in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_IGN])"
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("ignoring", [False, True])
@pytest.mark.parametrize("place", ["session", "group", "terminal"])
async def test_only_one_in_the_group_of_the_terminal_ignores_what_is_ignored_here(place: Place, ignoring: bool) -> None:
    """A job in the background ignores Ctrl-C, and ``nohup`` SIGHUP; what the harness sends is meant for it."""
    way = signal.SIG_IGN if ignoring else signal.SIG_DFL
    before = {number: signal.signal(number, way) for number in (signal.SIGINT, signal.SIGHUP)}
    reader, writer = os.pipe()
    try:
        command = start_openly([sys.executable, "-c", IGNORED], dict(os.environ), None, (0, writer, 2), place)
        assert await command.exited == 0
        await command.end()
    finally:
        os.close(writer)
        for number, usual in before.items():
            signal.signal(number, usual)
    with os.fdopen(reader) as file:
        expected = "SIGINT SIGHUP" if ignoring and place == "terminal" else ""
        assert file.read().strip() == expected

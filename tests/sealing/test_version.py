"""The command that prints an agent's version is sealed off as the agent is, and leaves nothing behind."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.runner.sealed import versions_of
from harness.runner.sources import SCRIPTED
from harness.sealing.allowed import Sealing
from harness.targets.file import open_file

STAYS = "import time; time.sleep(600)"
ASKS = """
import socket, subprocess, sys
subprocess.Popen([sys.executable, "-c", {stays!r}, {mark!r}], start_new_session=True)
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=5)
    print("version 6.6.6")
except OSError:
    print("version 1.0.0")
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this machine's loopback on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("asked", "version"), [("possible", "1.0.0"), ("off", "6.6.6")])
def test_the_command_reaches_nothing_behind_a_seal(tmp_path: Path, port: int, asked: Sealing, version: str) -> None:
    mark = f"left by {tmp_path.name}"
    asks = ASKS.format(stays=STAYS, mark=mark, port=port)
    file = tmp_path / "agent.yaml"
    file.write_text(
        f"target: agent\ncommand: ['{sys.executable}']\ninput: nothing\n"
        f"home: temporary\nversion: ['{sys.executable}', -c, {json.dumps(asks)}]\n",
        encoding="utf-8",
    )
    target = open_file(file)
    assert versions_of(target, SCRIPTED, asked) == {target.name: version}
    assert [each for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or ())] == []

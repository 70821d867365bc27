"""What one machine has found another tries first, by way of a Redis server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.fuzz.chunks import Chunk
from harness.fuzz.search import run_chunk


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The URL of a Redis server of our own, on a socket that nobody else can reach."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server is installed")
    socket = tmp_path / "redis.sock"
    words = [program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = ""
            while "accept connections" not in said and process.poll() is None:
                said = process.stdout.readline()
            yield f"unix://{socket}"
        finally:
            process.terminate()
            process.stdout.read()  # type: ignore[union-attr]  # it ends when its pipe does


def test_what_was_found_elsewhere_is_tried_first(toy: str, server: str) -> None:
    few = Chunk(toy, "cuts", "drawn", 99, 2)
    assert not run_chunk(few).found, "so few do not find it by themselves"
    assert run_chunk(replace(few, first=0, examples=200, database=server)).found
    assert run_chunk(replace(few, database=server)).found
    assert not run_chunk(replace(few, target=None, database=server)).found, "of another target it is no mistake"


def test_a_server_that_is_not_there_is_told(toy: str, tmp_path: Path) -> None:
    nobody = f"unix://{tmp_path / 'nobody.sock'}"
    with pytest.raises(BadInput, match=r"--database unix://.*: no Redis server answers"):
        run_chunk(Chunk(toy, None, "drawn", 0, 2, nobody))


def test_without_the_client_it_says_what_to_install(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(BadInput, match="install the extra 'redis'"):
        run_chunk(Chunk(toy, None, "drawn", 0, 2, "redis://127.0.0.1:1"))

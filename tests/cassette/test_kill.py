"""kill -9 at any moment of a recording: nothing that was there is lost, and nothing that was told as recorded."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.cassette import read_cassette
from harness.cassette.cassette_writer import CassetteWriter, Mode
from harness.cassette.write import document, written
from tests.cassette.killed_recorder import NothingSecret, interaction

ROOT = Path(__file__).resolve().parent.parent.parent
BEFORE = [1, 2, 3]
COUNT = 16
KILLS = 25  # of each of the two modes that write over a cassette
BETWEEN_TWO = 0.4  # so many of them while the recorder waits after an interaction
LONGEST = 300.0  # seconds; who tells nothing for so long never will

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a killed recorder is a forked one")


@dataclass
class Recorder:
    """The process that records, and what it told."""

    process: subprocess.Popen[bytes]
    buffer: bytes = b""
    told: list[str] = field(default_factory=list)

    def start(self, mode: Mode, first: int, path: Path, pause: int = COUNT + 1) -> None:
        """Begin to record, and stop after so many interactions, if there are as many."""
        self.told = []
        self._write(f"{mode} {COUNT} {first} {pause} {path}")
        self.listen(lambda: self.numbers("pid "))

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def listen(self, enough: Callable[[], object]) -> None:
        """Take in what is told until it is enough."""
        while not enough():
            assert self._heard(LONGEST), f"nothing more is told after {self.told}"

    def listen_for(self, seconds: float) -> None:
        """Take in what is told within so many seconds."""
        until = time.monotonic() + seconds
        while self._heard(max(0.0, until - time.monotonic())):
            pass

    def _heard(self, seconds: float) -> bool:
        """Whether something was told within so many seconds."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        if ready:
            heard = os.read(self.process.stdout.fileno(), 65536)
            assert heard, f"the process of the recorder has ended, with {self.process.wait()}"
            *lines, self.buffer = (self.buffer + heard).split(b"\n")
            self.told += [line.decode() for line in lines]
        return bool(ready)

    def numbers(self, name: str) -> list[int]:
        return [int(text.removeprefix(name)) for text in self.told if text.startswith(name)]

    def send(self, number: signal.Signals) -> None:
        os.kill(self.numbers("pid ")[0], number)

    def ends(self) -> None:
        self._write("wait")
        self.listen(lambda: "ended" in self.told)


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    command = [sys.executable, "-m", "tests.cassette.killed_recorder"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        yield Recorder(process)
        process.stdin.close()


def numbers(path: Path) -> list[int]:
    """What a cassette holds; each interaction is the one that it says it is."""
    found = [int(each.request or b"") for each in read_cassette(path).interactions]
    assert document(None, (written(interaction(number)) for number in found)) == path.read_text()
    return found


def begin(path: Path) -> None:
    path.write_text(document(None, (written(interaction(number)) for number in BEFORE)))


def usual_time(recorder: Recorder, mode: Mode, path: Path) -> float:
    """How many seconds a recording takes that nobody kills."""
    begin(path)
    started = time.monotonic()
    recorder.start(mode, 100, path)
    recorder.ends()
    assert recorder.told[-2:] == ["finished", "ended"]
    return time.monotonic() - started


@pytest.mark.parametrize("mode", ["new_episodes", "all"])
def test_a_recorder_is_killed(recorder: Recorder, tmp_path: Path, mode: Mode) -> None:
    path = tmp_path / "loop.yaml"
    usual = usual_time(recorder, mode, path)
    moments = random.Random(f"kill {mode}")
    parts: dict[Path, bytes] = {}
    interrupted = 0
    for first in range(1000, 1000 + 100 * KILLS, 100):
        begin(path)
        whole = [*(BEFORE if mode == "new_episodes" else []), *range(first, first + COUNT)]
        added = moments.randint(0, COUNT)
        recorder.start(mode, first, path, pause=added)
        recorder.listen(lambda added=added: len(recorder.numbers("added ")) == added)  # type: ignore[misc]
        if moments.random() > BETWEEN_TWO:
            recorder.send(signal.SIGCONT)
            recorder.listen_for(moments.uniform(0, usual / COUNT))
        recorder.send(signal.SIGKILL)
        recorder.ends()

        after = numbers(path)
        assert after in (BEFORE, whole)
        assert after == whole or "finished" not in recorder.told
        assert all(part.read_bytes() == content for part, content in parts.items())
        new = {part: part.read_bytes() for part in tmp_path.glob("loop.interrupted-*") if part not in parts}
        parts |= new
        beside = [number for part in new for number in numbers(part)]
        assert {*recorder.numbers("added ")} <= {*after, *beside}
        assert not beside or set(BEFORE) <= {*after, *beside}
        interrupted += after == BEFORE
    assert interrupted >= KILLS // 5  # those that were stopped, on the slowest machine, too
    usual_time(recorder, mode, path)  # nobody is kept out by what is dead


def test_a_second_recorder_does_not_disturb_the_first(recorder: Recorder, tmp_path: Path) -> None:
    path = tmp_path / "loop.yaml"
    with CassetteWriter.open(path, "once", None, redactor=NothingSecret(), scan=lambda _text: []) as tape:
        tape.add(interaction(1))
        recorder.start("all", 100, path)
        recorder.ends()
        assert recorder.told[1:] == [
            f"refused {path}: another recorder (process {os.getpid()}) is recording it; wait until it has finished, or "
            "record to another file",
            "ended",
        ]
        tape.add(interaction(2))
    assert numbers(path) == [1, 2]

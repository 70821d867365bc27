"""A process that records until it is killed, and begins again as another.

It reads lines ``MODE COUNT FIRST PAUSE PATH``. For each it starts a process of its own, which tells ``pid N``, then
``added N`` after each interaction and ``finished``, or ``refused WHY``. After PAUSE interactions, if there are as many,
that process stops until somebody sends it SIGCONT. The next line is ``wait``: when the process has ended, however it
did, ``ended`` is told. Before that line its number belongs to it even if it has ended, so that nobody else is killed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import cast

from harness.cassette import Delivery, Interaction
from harness.cassette.cassette_writer import CassetteWriter, Mode
from harness.errors import BadInput


class NothingSecret:
    def redact(self, interaction: Interaction) -> Interaction:
        return interaction


def interaction(number: int) -> Interaction:
    """An interaction that can be told by its number, of a size as a model's answers have it."""
    response = b'data: {"number": %d}\n\n' % number * 50
    return Interaction(
        "POST", "https://a/", {}, str(number).encode(), 200, {}, response, delivery=Delivery((len(response),), (1.0,))
    )


def _tell(text: str) -> None:
    os.write(sys.stdout.fileno(), f"{text}\n".encode())


def _stop_if(paused: bool) -> None:
    if paused:
        os.kill(os.getpid(), signal.SIGSTOP)


def _record(mode: Mode, count: int, first: int, pause: int, path: Path) -> None:
    with CassetteWriter.open(path, mode, None, redactor=NothingSecret(), scan=lambda _text: []) as tape:
        for number in range(first, first + count):
            _stop_if(number == first + pause)
            tape.add(interaction(number))
            _tell(f"added {number}")
        _stop_if(count == pause)
    _tell("finished")


def main() -> None:
    for line in sys.stdin:
        mode, count, first, pause, path = line.rstrip("\n").split(" ", 4)
        child = os.fork()
        if child == 0:
            _tell(f"pid {os.getpid()}")
            try:
                _record(cast("Mode", mode), int(count), int(first), int(pause), Path(path))
            except BadInput as error:
                _tell(f"refused {error}")
            os._exit(0)
        sys.stdin.readline()
        os.waitpid(child, 0)
        _tell("ended")


if __name__ == "__main__":
    main()

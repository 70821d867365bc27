"""A loop that starts processes which try to outlive it, each in another way; also a program that does so.

All of them have one pipe open. Who reads it sees its end when none of them is left.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

CHILD = [sys.executable, "-IS", "-c", "import time; time.sleep(1000)"]


def _double() -> int:
    """Start one by a process that ends at once, so that it is the child of nobody. Returns its number."""
    heard, says = os.pipe()
    if (between := os.fork()) == 0:
        os.setsid()
        if (last := os.fork()) == 0:
            os.execve(CHILD[0], CHILD, {})  # noqa: S606 - no shell is wanted
        os.write(says, str(last).encode())
        os._exit(0)
    os.waitpid(between, 0)
    return int(os.read(heard, 20))


def leave() -> None:
    """Start them, write their numbers to the pipe, and wait to be killed."""
    pipe = os.open(os.environ["TEST_PIPE"], os.O_WRONLY)
    os.set_inheritable(pipe, True)
    started = [
        subprocess.Popen(CHILD, close_fds=False),
        subprocess.Popen(CHILD, close_fds=False, start_new_session=True),
        subprocess.Popen(CHILD, close_fds=False, start_new_session=True, env={}),
    ]
    os.write(pipe, json.dumps([*(each.pid for each in started), _double()]).encode() + b"\n")
    threading.Event().wait()


def run(case: object) -> None:
    leave()


if __name__ == "__main__":
    leave()

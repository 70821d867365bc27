"""The process that does a batch. A worker of the cluster starts it with ``python -m`` this module.

It reads the worker's module search path and the batch from standard input. It writes each result to standard output as
it comes, then ``DONE`` or the reason why it cannot continue. The end of its input (also caused by the worker's death)
ends it like a Ctrl-C ends a run.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import pickle
import signal
import sys
import threading
from typing import IO, Any

from harness.runner.distributed.errand import DONE
from harness.runner.executor import Executor
from harness.runner.worker import Broken


def main() -> None:
    """Read the batch, do it, and exit."""
    talk = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed in this process stands among the worker's own words
    stdin = sys.stdin.buffer
    sys.path += [place for place in pickle.load(stdin) if place not in sys.path]  # noqa: S301 - the worker's own
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        end = _done(stdin, talk)
        _say(talk, end)


def _done(stdin: IO[bytes], talk: IO[bytes]) -> Broken | str:
    try:
        batch: tuple[Executor[Any, Any], list[Any]] = pickle.load(stdin)  # noqa: S301 - of the run that asks for it
        executor, items = batch
        threading.Thread(target=_end_with, args=(stdin,), daemon=True).start()
        executor.run(items, lambda result: _say(talk, pickle.dumps(result)))
    except Exception as error:  # noqa: BLE001 - the run reports it, whatever it is
        return Broken.by(error)
    return DONE


def _say(talk: IO[bytes], message: bytes | Broken | str) -> None:
    pickle.dump(message, talk)
    talk.flush()


def _end_with(stdin: IO[bytes]) -> None:
    os.read(stdin.fileno(), 1)  # beneath the buffer, whose lock the end of this process wants
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):
        _thread.interrupt_main()
    else:
        signal.pthread_kill(main, signal.SIGINT)  # which waits while a worker process is being started


if __name__ == "__main__":
    main()

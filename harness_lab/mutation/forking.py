"""Judgements in forks of one warm process, several at once, each with limits of CPU time and of elapsed time."""

from __future__ import annotations

import gc
import json
import os
import resource
import selectors
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar

_Item = TypeVar("_Item")
_MEMORY = 6 << 30
"""Bytes of address space: a mistake that collects without end must not use up the machine's memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``cpu``: seconds of CPU time of a fork; ``wall``: seconds from its start to its end."""

    cpu: int
    wall: float


@dataclass(frozen=True, slots=True)
class Forked(Generic[_Item]):
    """The result of an item in a fork: a JSON value; or None, and how it ended: ``late``, or ``died`` with the
    cause."""

    item: _Item
    result: Any
    late: bool = False
    died: str = ""


@dataclass(slots=True)
class _Fork(Generic[_Item]):
    item: _Item
    process: int
    ends: float
    text: bytearray = field(default_factory=bytearray)
    late: bool = False


def in_forks(
    items: Iterable[_Item], work: Callable[[_Item], Any], limits: Callable[[_Item], Limits], jobs: int
) -> Iterator[Forked[_Item]]:
    """Do ``work`` for each item in a fork of this process, at most ``jobs`` at once, and yield each result as it comes.

    ``work`` returns a JSON value. A fork has a session of its own, which is ended with it; its output is discarded. No
    other thread may run here.
    """
    gc.collect()
    gc.freeze()
    waiting = iter(items)
    with selectors.DefaultSelector() as selector:
        while True:
            while len(selector.get_map()) < jobs and (item := next(waiting, None)) is not None:
                _begin(selector, item, work, limits(item))
            if not selector.get_map():
                return
            yield from _ended(selector)


def _begin(selector: selectors.BaseSelector, item: _Item, work: Callable[[_Item], Any], limits: Limits) -> None:
    here, there = os.pipe()
    process = os.fork()
    if not process:
        os.close(here)
        _work(there, lambda: work(item), limits)
    os.close(there)
    selector.register(here, selectors.EVENT_READ, _Fork(item, process, time.monotonic() + limits.wall))


def _ended(selector: selectors.BaseSelector) -> Iterator[Forked[Any]]:
    """The forks that have ended, after waiting for the next event of any fork."""
    forks: list[_Fork[Any]] = [key.data for key in selector.get_map().values()]
    soonest = min(fork.ends for fork in forks)
    for key, _ in selector.select(max(0.0, soonest - time.monotonic())):
        fork: _Fork[Any] = key.data
        if piece := os.read(key.fd, 1 << 16):
            fork.text += piece
            continue
        selector.unregister(key.fd)
        os.close(key.fd)
        yield _outcome(fork)
    for fork in forks:
        if time.monotonic() > fork.ends and not fork.late:
            fork.late = True
            _end(fork.process)


def _outcome(fork: _Fork[_Item]) -> Forked[_Item]:
    _end(fork.process)
    _, status = os.waitpid(fork.process, 0)
    if fork.text:
        return Forked(fork.item, json.loads(fork.text))
    by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if fork.late or by == signal.SIGXCPU:
        return Forked(fork.item, None, late=True)
    died = f"signal {by}" if by else f"exit code {os.waitstatus_to_exitcode(status)}"
    return Forked(fork.item, None, died=died)


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _work(there: int, work: Callable[[], Any], limits: Limits) -> NoReturn:
    """In the fork: do the work, report the result, and exit without the interpreter's own shutdown."""
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        text = json.dumps(work()).encode()
        with open(there, "wb") as pipe:
            pipe.write(text)
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, the fork must end here and not go on as its parent
        with suppress(OSError):
            os.write(there, json.dumps({"crash": traceback.format_exc(limit=-3)}).encode())
    finally:
        os._exit(code)

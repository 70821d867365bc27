"""What must not be reached: listeners of this machine, which stand for those of all others, and note who comes."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

_WAY = re.compile(rb"way[=-]([\w-]+)")
_LAST = b"nothing more comes"
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"


@dataclass
class Trap:
    """``host`` is an address of this machine, not loopback where it has one. It listens on ``port`` there, for TCP and
    UDP, at the path ``unix``, and at the abstract name ``abstract``. ``caught`` are the names of the ways that came; a
    connection without a name is ``?``.
    """

    host: str
    port: int
    unix: Path
    abstract: str
    caught: set[str] = field(default_factory=set)
    _readers: list[threading.Thread] = field(default_factory=list)
    _last: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def note(self, data: bytes) -> None:
        if data == _LAST:
            self._last.release()
            return
        found = {name.decode() for name in _WAY.findall(data)}
        self.caught |= found or ({"?"} if data else set())

    def read(self, connection: socket.socket) -> None:
        """Read what a connection says, in a thread of its own."""
        reader = _thread(lambda: _read(connection, self))
        self._readers.append(reader)

    def settle(self) -> None:
        """Wait until all that has come is noted: what comes last to a listener is accepted last."""
        with socket.socket(type=socket.SOCK_DGRAM) as datagram:
            datagram.sendto(_LAST, (self.host, self.port))
        places: list[tuple[int, Any]] = [
            (socket.AF_INET, (self.host, self.port)),
            (socket.AF_UNIX, str(self.unix)),
            (socket.AF_UNIX, f"\0{self.abstract}"),
        ]
        for family, place in places:
            with socket.socket(family) as stream:
                stream.connect(place)
                stream.sendall(_LAST)
        for _ in range(1 + len(places)):
            assert self._last.acquire(timeout=30), "the trap has stopped listening"
        for reader in self._readers:
            reader.join(30)


def own_address() -> str:
    """An address of this machine that is not loopback, if it has one. Nothing is sent."""
    with socket.socket(type=socket.SOCK_DGRAM) as asked, suppress(OSError):
        asked.connect(("192.0.2.1", 9))
        return str(asked.getsockname()[0])
    return "127.0.0.1"


@contextmanager
def trap(folder: Path) -> Iterator[Trap]:
    """A trap while the block runs."""
    host, abstract, unix = own_address(), f"trap-{token_hex(4)}", folder / "trap.sock"
    with ExitStack() as stack:
        streams, datagrams, port = _pair(stack, host)
        caught = Trap(host, port, unix, abstract)
        for name in (str(unix), f"\0{abstract}"):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(name)
            listener.listen()
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            _thread(lambda listener=listener: _accept(listener, caught))
        unix.chmod(0o777)
        stack.callback(streams.shutdown, socket.SHUT_RDWR)
        _thread(lambda: _accept(streams, caught))
        stack.callback(lambda: datagrams.sendto(b"", (host, port)))
        _thread(lambda: _receive(datagrams, caught))
        yield caught
        caught.settle()


def _pair(stack: ExitStack, host: str) -> tuple[socket.socket, socket.socket, int]:
    """TCP and UDP on one port."""
    while True:
        streams = socket.create_server((host, 0))
        datagrams = socket.socket(type=socket.SOCK_DGRAM)
        try:
            datagrams.bind((host, streams.getsockname()[1]))
        except OSError:
            streams.close()
            datagrams.close()
            continue
        stack.enter_context(streams)
        stack.enter_context(datagrams)
        return streams, datagrams, streams.getsockname()[1]


def _thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _accept(listener: socket.socket, caught: Trap) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        caught.read(connection)


def _read(connection: socket.socket, caught: Trap) -> None:
    connection.settimeout(5)
    with connection, suppress(OSError):
        data = connection.recv(4096)
        caught.note(data)
        if data.startswith(b"GET"):
            connection.sendall(_ANSWER)


def _receive(datagrams: socket.socket, caught: Trap) -> None:
    while True:
        try:
            data = datagrams.recv(4096)
        except OSError:
            return
        if not data:
            return
        caught.note(data)

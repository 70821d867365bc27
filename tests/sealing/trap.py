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

__all__ = ["Trap", "own_address", "trap"]

_WAY = re.compile(rb"way[=-]([\w-]+)")
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

    def note(self, data: bytes) -> None:
        found = {name.decode() for name in _WAY.findall(data)}
        self.caught |= found or ({"?"} if data else set())


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


def _thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def _accept(listener: socket.socket, caught: Trap) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_read, args=(connection, caught), daemon=True).start()


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

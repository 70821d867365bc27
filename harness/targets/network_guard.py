"""A process in which Python code reaches nobody but this machine: any other request raises, and is reported.

By an audit hook, which sees Python's own sockets; it does not see libraries with sockets of their own, nor processes
that the code starts. A hook cannot be taken out again, so it belongs in a process that runs loops and nothing else.
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, Final

from harness.gateway.loopback import is_loopback

__all__ = ["isolate", "watched"]

_ADDRESSES: Final = {
    "socket.connect": "connect",
    "socket.sendto": "send",
    "socket.sendmsg": "send",
}
"""Events with a socket and the address that it is to reach."""

_NAMES: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
"""Events with the name of a host; an address in its place is looked up nowhere."""

_watchers: list[Callable[[str], None]] = []


def isolate() -> None:
    """Let nothing leave this machine from now on. What wants to gets a ``PermissionError``."""
    own = socket.gethostname()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _ADDRESSES:
            _check(_ADDRESSES[event], *_host_and_port(arguments[1]), own)
        elif event == "socket.gethostbyaddr" or (event in _NAMES and not _is_address(arguments[0])):
            _check("look up", arguments[0], None, own)

    sys.addaudithook(hook)


@contextmanager
def watched(note_blocked: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, call ``note_blocked`` with each request that is refused, in whichever thread."""
    _watchers.append(note_blocked)
    try:
        yield
    finally:
        _watchers.remove(note_blocked)


def _host_and_port(address: Any) -> tuple[Any, Any]:
    """Of an address of the internet; those of other families have neither."""
    return address[:2] if isinstance(address, tuple) and len(address) >= 2 else (None, None)


def _is_address(host: Any) -> bool:
    try:
        return isinstance(host, str) and bool(ip_address(host.partition("%")[0]))
    except ValueError:
        return False


def _check(does: str, host: Any, port: Any, own: str) -> None:
    name = host.decode("utf-8", "replace") if isinstance(host, bytes) else host
    if not isinstance(name, str) or name in ("", own) or is_loopback(name):
        return
    what = f"{does} {name}" if port is None else f"{does} {name}:{port}"
    for note_blocked in _watchers:
        note_blocked(what)
    text = f"harness: {what} is blocked: outbound traffic is not allowed; send requests to the base URL of the case"
    raise PermissionError(errno.EACCES, text)

"""Limits Python code of a process to this machine: any other request raises, and is reported.

This is an audit hook, which sees Python's own sockets. It does not see libraries with sockets of their own, nor
processes that the code starts. A hook cannot be removed, so it belongs in a process that runs loops and nothing else.
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, Final

from harness.endpoint.loopback import is_loopback

_ADDRESSES: Final = {
    "socket.connect": "connect",
    "socket.sendto": "send",
    "socket.sendmsg": "send",
}
"""Audit events with a socket and the address that it wants to reach."""

_NAMES: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
"""Audit events with the name of a host. If the name is an address, nobody looks it up."""

_BELOW: Final = {getattr(socket, name, None): name for name in ("AF_PACKET", "AF_VSOCK")}
"""Socket families that reach other machines without an internet address."""

_Check = Callable[[str, Any, Any], None]

_watchers: list[Callable[[str], None]] = []


def isolate() -> None:
    """Let no request leave this machine from now on. Such a request raises ``PermissionError``."""
    sys.addaudithook(_hook(_checking(socket.gethostname())))


def _hook(check: _Check) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook. It keeps the functions that it calls, because names of this module may get other values."""
    host_and_port, is_address = _host_and_port, _is_address
    addresses, names, below = dict(_ADDRESSES), _NAMES, dict(_BELOW)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in addresses:
            check(addresses[event], *host_and_port(arguments[1]))
        elif event == "socket.getnameinfo":
            check("look up", host_and_port(arguments[0])[0], None)
        elif event == "socket.gethostbyaddr" or (event in names and not is_address(arguments[0])):
            check("look up", arguments[0], None)
        elif event == "socket.__new__" and arguments[1] in below:
            check("open", below[arguments[1]], None)

    return hook


@contextmanager
def watched(note_blocked: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, call ``note_blocked`` with each request that is refused, in whichever thread."""
    _watchers.append(note_blocked)
    try:
        yield
    finally:
        _watchers.remove(note_blocked)


def _host_and_port(address: Any) -> tuple[Any, Any]:
    """The host and port of an internet address; None for addresses of other families.

    They are read as the socket will read them, even if the address is an object of a subclass.
    """
    if not isinstance(address, tuple) or tuple.__len__(address) < 2:
        return None, None
    return tuple.__getitem__(address, 0), tuple.__getitem__(address, 1)


def _is_address(host: Any) -> bool:
    try:
        return isinstance(host, str) and bool(ip_address(str.__str__(host).partition("%")[0]))
    except ValueError:
        return False


def _checking(own: str, here: Callable[[str], bool] = is_loopback) -> _Check:
    """A function that raises for hosts other than this machine. ``own`` is the name of this machine."""
    watchers = _watchers

    def check(does: str, host: Any, port: Any) -> None:
        if host is None:
            return
        if isinstance(host, bytes | bytearray | memoryview):
            host = bytes(memoryview(host)).decode("utf-8", "replace")
        name = str.__str__(host) if isinstance(host, str) else repr(host)
        if name in ("", own) or here(name):
            return
        what = f"{does} {name}" if port is None else f"{does} {name}:{port}"
        for note_blocked in watchers:
            note_blocked(what)
        text = f"harness: {what} is blocked: outbound traffic is not allowed; send requests to the base URL of the case"
        raise PermissionError(errno.EACCES, text)

    return check

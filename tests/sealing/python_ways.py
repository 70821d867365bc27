# ruff: noqa: S310, BLE001 - what it does is not to be imitated
"""Ways out of a process in Python, tried one after another; also a program that tries them, and a loop.

Needs nothing but the standard library, so that any Python can run it. Each way carries its name to the trap
(``tests/sealing/trap.py``) in what it sends.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 5
"""That a way may take."""


def _send(connection: socket.socket, way: str) -> None:
    with connection:
        connection.sendall(f"way={way};".encode())


def _tcp(way: str, address: Any, family: int = socket.AF_INET) -> None:
    connection = socket.socket(family)
    connection.settimeout(SECONDS)
    connection.connect(address)
    _send(connection, way)


def _udp(way: str, address: Any) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(f"way={way};".encode(), address)


def _run(*words: str, **more: Any) -> None:
    subprocess.run(words, check=True, timeout=SECONDS, capture_output=True, **more)


class Address(tuple[Any, ...]):
    """A tuple that says that it is another address."""

    def __getitem__(self, at: Any) -> Any:
        return ("127.0.0.1", 1)[at]


class HostText(str):
    """A text that says that it is any text it is compared with."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


def ways(host: str, port: int) -> dict[str, Callable[[str], object]]:
    """What can be tried to reach the trap at ``host``, by name."""
    url = f"http://{host}:{port}"
    number = int.from_bytes(socket.inet_aton(host), "big")
    child = f"import socket; s = socket.create_connection(({host!r}, {port}), 5); s.sendall(b'way={{}};'); s.close()"

    def connect_ex(way: str) -> None:
        connection = socket.socket()
        if problem := connection.connect_ex((host, port)):
            raise OSError(problem, os.strerror(problem))
        _send(connection, way)

    def udp_connect(way: str) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.connect((host, port))
            sender.send(f"way={way};".encode())

    def sendmsg(way: str) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.sendmsg([f"way={way};".encode()], [], 0, (host, port))

    async def streams(way: str) -> None:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), SECONDS)
        writer.write(f"way={way};".encode())
        await writer.drain()
        writer.close()

    def in_a_new_loop(way: str) -> None:
        failed: list[BaseException] = []

        def work() -> None:
            try:
                asyncio.run(streams(way))
            except BaseException as error:
                failed.append(error)

        import threading

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(SECONDS)
        if failed:
            raise failed[0]

    def fork(way: str) -> None:
        process = os.fork()
        if process == 0:
            try:
                _tcp(way, (host, port))
            finally:
                os._exit(0)
        os.waitpid(process, 0)

    def by_libc(way: str) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        with socket.socket() as connection:
            connection.settimeout(None)
            address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(port), socket.inet_aton(host))
            if libc.connect(connection.fileno(), address, len(address)) != 0:
                raise OSError(ctypes.get_errno(), "connect")
            connection.sendall(f"way={way};".encode())

    def rust(way: str) -> None:
        import jsonschema_rs

        jsonschema_rs.validator_for({"$ref": f"{url}/way={way};"})

    def packet(way: str) -> None:
        """A frame on the loopback device, made by hand."""
        content = f"way={way};".encode()
        udp = struct.pack(">HHHH", 9, port, 8 + len(content), 0) + content
        here = socket.inet_aton("127.0.0.1")
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, here, here)
        total = sum(struct.unpack(">10H", head))
        total = (total & 0xFFFF) + (total >> 16)
        head = head[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF) + head[12:]
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:  # type: ignore[attr-defined,unused-ignore]
            sender.bind(("lo", 0))
            sender.send(bytes(12) + b"\x08\x00" + head + udp)

    def without_the_check(way: str) -> None:
        guard = sys.modules.get("harness.targets.network_guard")
        names = ("_check", "_checking", "_host_and_port", "is_loopback")
        before = {name: getattr(guard, name) for name in names if hasattr(guard, name)}
        for name in before:
            setattr(guard, name, lambda *_: None)
        try:
            _tcp(way, (host, port))
        finally:
            for name, function in before.items():
                setattr(guard, name, function)

    def icmp(way: str) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sender:
            sender.sendto(b"\x08\x00\xf7\xff\x00\x00\x00\x00", (host, 0))

    def found_by_libc(way: str) -> None:
        libc = ctypes.CDLL(None)
        if libc.getaddrinfo(f"way-{way}.example.invalid".encode(), None, None, ctypes.byref(ctypes.c_void_p())) != 0:
            raise OSError("no answer")

    return {
        "create_connection": lambda way: _send(socket.create_connection((host, port), SECONDS), way),
        "connect_ex": connect_ex,
        "bytes": lambda way: _tcp(way, (host.encode(), port)),
        "bytearray": lambda way: _tcp(way, (bytearray(host.encode()), port)),
        "bytearray-udp": lambda way: _udp(way, (bytearray(host.encode()), port)),
        "tuple-subclass": lambda way: _tcp(way, Address((host, port))),
        "str-subclass": lambda way: _tcp(way, (HostText(host), port)),
        "mapped-ipv6": lambda way: _tcp(way, (f"::ffff:{host}", port), socket.AF_INET6),
        "decimal": lambda way: _tcp(way, (str(number), port)),
        "sendto": lambda way: _udp(way, (host, port)),
        "sendmsg": sendmsg,
        "udp-connect": udp_connect,
        "urllib": lambda way: urllib.request.urlopen(f"{url}/way={way};", timeout=SECONDS).close(),
        "asyncio": in_a_new_loop,
        "fork": fork,
        "subprocess-python": lambda way: _run(sys.executable, "-c", child.format(way)),
        "cleared-environment": lambda way: _run(sys.executable, "-c", child.format(way), env={}),
        "subprocess-curl": lambda way: _run("curl", "-sSf", "-m", "5", f"{url}/way={way};"),
        "curl-noproxy": lambda way: _run("curl", "-sSf", "-m", "5", "--noproxy", "*", f"{url}/way={way};"),
        "bash": lambda way: _run("bash", "-c", f"printf 'way={way};' > /dev/tcp/{host}/{port}"),
        "ctypes": by_libc,
        "rust": rust,
        "packet": packet,
        "without-the-check": without_the_check,
        "icmp": icmp,
        "getaddrinfo": lambda way: socket.getaddrinfo(f"way-{way}.example.invalid", 80),
        "gethostbyname_ex": lambda way: socket.gethostbyname_ex(f"way-{way}.example.invalid"),
        "gethostbyaddr": lambda way: socket.gethostbyaddr(host),
        "getnameinfo": lambda way: socket.getnameinfo((host, port), socket.NI_NAMEREQD),
        "ctypes-getaddrinfo": found_by_libc,
    }


def beyond_the_network(unix: str, abstract: str, outsider: int) -> dict[str, Callable[[str], object]]:
    """What reaches others on this machine without an address of the internet."""

    def attach(way: str) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        attached = 16
        if libc.ptrace(attached, outsider, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")
        raise AssertionError("attached")

    return {
        "unix-socket": lambda way: _tcp(way, unix, socket.AF_UNIX),
        "abstract-socket": lambda way: _tcp(way, f"\0{abstract}", socket.AF_UNIX),
        "unmounted-unix-socket": lambda way: (_run("umount", unix), _tcp(way, unix, socket.AF_UNIX)),
        "remounted-unix-socket": lambda way: (
            _run("unshare", "-rm", "umount", unix),
            _tcp(way, unix, socket.AF_UNIX),
        ),
        "ptrace": attach,
        "signal": lambda way: os.kill(outsider, 0),
        "network-namespace": lambda way: _run("nsenter", f"--net=/proc/{outsider}/ns/net", "true"),
    }


def attempted(given: dict[str, Any]) -> dict[str, str]:
    """Try every way; by its name, how it ended."""
    tried = ways(given["host"], given["port"])
    tried |= beyond_the_network(given["unix"], given["abstract"], given["outsider"])
    outcomes = {}
    socket.setdefaulttimeout(SECONDS)
    for name, attempt in tried.items():
        try:
            attempt(name)
            outcomes[name] = "done"
        except BaseException as error:
            outcomes[name] = f"{type(error).__name__}: {error}"
    return outcomes


def try_all() -> None:
    """Try every way, and write down in a file how each ended."""
    given = json.loads(Path(os.environ["TEST_WAYS"]).read_text(encoding="utf-8"))
    network = {name: Path(f"/proc/self/net/{name}").read_text(encoding="utf-8") for name in ("dev", "route")}
    found = {
        "outcomes": attempted(given),
        "network": network,
        "processes": sorted(path.name for path in Path("/proc").iterdir()),
    }
    Path(given["out"]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    base = os.environ["ANTHROPIC_BASE_URL"]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Say hello."}]}
    heads = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(f"{base}/v1/messages", json.dumps(body).encode(), heads)) as answer:
        answer.read()
    try_all()

"""The table of docs/security.md: each way out of a loop that was tried, what became of it then, and what does now.

What gets out now is what ``test_ways_out`` finds; this only writes it down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.sealing.python_ways import beyond_the_network, ways
from tests.sealing.test_ways_out import PAST_THE_GUARDS, UNSEEN

NODE = Path(__file__).parent / "node_ways.mjs"

ASK_A_PROXY = {"urllib", "subprocess-curl", "rust"}
"""Clients that ask a proxy, which a command has."""

OUT_THEN = {
    "function": {
        *("bytearray", "bytearray-udp", "tuple-subclass", "str-subclass", "subprocess-python", "subprocess-curl"),
        *("curl-noproxy", "bash", "ctypes", "rust", "ctypes-getaddrinfo", "getnameinfo", "packet", "without-the-check"),
    },
    "python": set(ways("192.0.2.9", 1)) - ASK_A_PROXY - {"cleared-environment"},
    "node": {
        *("net-lookup", "http-lookup", "dgram-lookup", "dns-servers-localhost", "worker-bare", "child-bare"),
        *("curl-noproxy", "python", "binding"),
    },
}
"""What got out when the harness was attacked from outside."""

NEW = {"cleared-environment", *beyond_the_network("", "", 0), "child-sync-bare"}
"""What was not tried then."""

LOOKED_UP = {"getaddrinfo", "gethostbyname_ex", "gethostbyaddr", "getnameinfo"}
CAUGHT = {"function": LOOKED_UP | {"packet", "icmp"}, "python": set[str](), "node": set[str]()}
"""What no trap sees and a guard refuses without a seal, which ``test_what_the_guards_see_is_named`` finds."""

WHY: dict[str, str] = {
    **dict.fromkeys(("subprocess-python", "cleared-environment", "bash", "python"), "another program has no guard"),
    **dict.fromkeys(("subprocess-curl", "curl-noproxy"), "another program, which need not ask a proxy"),
    **dict.fromkeys(("ctypes", "ctypes-getaddrinfo"), "beneath Python's sockets"),
    "rust": "sockets of its own, not Python's",
    **dict.fromkeys(("unix-socket", "abstract-socket"), "no address of the internet, which guards look at"),
    "signal": "the same user's processes",
}
"""Why a guard cannot stop it. In a command in Python there is none: nothing can be loaded into any program."""


def node_ways() -> list[str]:
    """The ways that the program on Node tries, in its order."""
    text = NODE.read_text(encoding="utf-8")
    body = text[text.index("const ways = {") : text.index("\n};", text.index("const ways = {"))]
    return [quoted or bare for quoted, bare in re.findall(r'^  (?:"([\w-]+)"|([\w]+)):', body, re.MULTILINE)]


def table() -> str:
    """The table in Markdown."""
    return "\n".join([*_rows(_python(), ("function", "python")), "", *_rows(node_ways(), ("node",))])


def _python() -> list[str]:
    return [*ways("192.0.2.9", 1), *beyond_the_network("", "", 0)]


LOOPS = {"function": "function in Python", "python": "command in Python", "node": "on Node"}


def _rows(names: list[str], loops: tuple[str, ...]) -> Iterator[str]:
    columns: list[tuple[str, Callable[[str], str]]] = [("way", lambda name: f"`{name}`")]
    for loop in loops:
        columns.append((f"{LOOPS[loop]}: then", lambda name, loop=loop: _then(loop, name)))
        columns.append(("not sealed", lambda name, loop=loop: _open(loop, name)))
    columns.append(("sealed", lambda name: "stopped"))
    columns.append(("why it cannot be stopped without a seal", lambda name: _why(name, loops)))
    yield _row([title for title, _ in columns])
    yield _row(["---"] * len(columns))
    for name in names:
        yield _row([cell(name) for _, cell in columns])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _then(loop: str, name: str) -> str:
    if (loop, name) == ("function", "gethostbyaddr"):
        return "did not apply"
    return "out" if name in OUT_THEN[loop] else "not tried" if name in NEW else "stopped"


def _open(loop: str, name: str) -> str:
    if name in ("unmounted-unix-socket", "remounted-unix-socket"):
        return "needs a seal"
    if name in PAST_THE_GUARDS[loop] or name == "signal":
        return "out"
    seen = name not in UNSEEN and not (loop != "node" and name in LOOKED_UP | {"ctypes-getaddrinfo"})
    return "stopped" if seen or name in CAUGHT[loop] else "not measured"


def _why(name: str, loops: tuple[str, ...]) -> str:
    return WHY.get(name, "") if _open(loops[0], name) == "out" else ""

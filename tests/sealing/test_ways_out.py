"""Every known way out of a loop, tried for real: none leaves a seal, and without one it is known which do."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.sealing.allowed import Sealing
from tests.commands import write_hello
from tests.runner.misbehaving import keep_nothing
from tests.sealing.python_ways import beyond_the_network, ways
from tests.sealing.trap import Trap, own_address, trap

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LOOPS = {
    "function": "python: tests.sealing.function_loop:run",
    "python": f"command: {json.dumps([sys.executable, str(HERE / 'python_ways.py')])}",
    "node": f"command: {json.dumps(['node', str(HERE / 'node_ways.mjs')])}",
}


@dataclass
class Tried:
    """What came of all the ways: ``outcomes`` as the loop has seen them, ``caught`` who got to the trap."""

    caught: set[str]
    outcomes: dict[str, str]
    network: dict[str, str]
    processes: list[str]
    result: CaseResult


@pytest.fixture
def outsider() -> Iterator[int]:
    """A process of this user, outside."""
    with subprocess.Popen(["sleep", "1000"]) as process:  # noqa: S607 - wherever it is
        yield process.pid
        process.kill()


Attempt = Callable[[str, Sealing], Tried]


@pytest.fixture
def attempt(tmp_path: Path, outsider: int, monkeypatch: pytest.MonkeyPatch) -> Attempt:
    def run(loop: str, sealing: Sealing) -> Tried:
        write_hello(tmp_path, "hello")
        target = f"target: mine\n{LOOPS[loop]}\ndirectory: {ROOT}\nwires: [anthropic-messages]\n"
        (tmp_path / "mine.yaml").write_text(target, encoding="utf-8")
        opening = partial(open_target, str(tmp_path / "mine.yaml"))
        out = tmp_path / "ways.json"
        monkeypatch.setenv("TEST_WAYS", str(tmp_path / "given.json"))
        results: list[CaseResult] = []
        with trap(tmp_path) as listening:
            (tmp_path / "given.json").write_text(json.dumps(given(listening, outsider, out)), encoding="utf-8")
            work = CaseWork(opening, keep_nothing, deadline=300.0, sealing=sealing)
            planned = plan(load([tmp_path / "hello.yaml"]), target=opening(Endpoints()))
            executor = Processes(work, 1) if loop == "function" else InProcess(work)
            executor.run(planned, results.append)
        assert out.exists(), results
        return Tried(listening.caught, result=results[0], **json.loads(out.read_text(encoding="utf-8")))

    return run


def given(listening: Trap, outsider: int, out: Path) -> dict[str, Any]:
    return {
        "host": listening.host,
        "port": listening.port,
        "unix": str(listening.unix),
        "abstract": listening.abstract,
        "outsider": outsider,
        "python": sys.executable,
        "out": str(out),
    }


UNSEEN = frozenset({"packet", "icmp", "ptrace", "signal", "network-namespace"})
"""Ways that no trap sees: they have got out where they were done."""

PYTHON = frozenset(ways("192.0.2.9", 1)) | frozenset(beyond_the_network("", "", 0))
IN_A_CHILD = {"subprocess-python", "cleared-environment", "bash", "curl-noproxy"}
PAST_THE_GUARDS = {
    "function": IN_A_CHILD | {"subprocess-curl", "ctypes", "rust", "unix-socket", "abstract-socket"},
    "python": PYTHON
    - {"urllib", "subprocess-curl", "rust"}  # which ask the proxy
    - {"getaddrinfo", "gethostbyname_ex", "gethostbyaddr", "getnameinfo", "ctypes-getaddrinfo"}  # seen by no trap
    - {"unmounted-unix-socket", "remounted-unix-socket", *UNSEEN},
    "node": {"python", "curl-noproxy", "unix-socket"},
}
"""Without a seal these get out, and are named by nobody: other languages have no guard, and neither have the sockets of
a library that is not Python's or Node's own."""


PROXIED = "GET http://HOST/way"
NAMED = {
    "function": {
        *("connect HOST", "connect ::ffff:HOST", f"connect {int.from_bytes(socket.inet_aton(own_address()), 'big')}"),
        *("send HOST", "look up HOST", "open AF_PACKET"),
        *("look up way-getaddrinfo.example.invalid", "look up way-gethostbyname_ex.example.invalid"),
    },
    "python": {PROXIED},
    "node": {
        *("connect HOST", "send HOST (UDP)", "connect HOST (UDP)", "process.binding tcp_wrap", PROXIED),
        *("lookup dns-lookup.example.invalid", "lookup dns-lookup-callback.example.invalid"),
        *("resolve4 dns-resolve.example.invalid", "resolve4 way-dns-servers.example.invalid"),
        *("resolve4 way-dns-servers-localhost.localhost", "reverse 192.0.2.9", "lookupService 192.0.2.9"),
    },
}
"""What is reported of a run, sealed or not."""


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_leaves_a_seal(attempt: Attempt, loop: str) -> None:
    tried = attempt(loop, "required")
    assert tried.result.verdict == "pass", tried.result
    assert tried.caught == set()
    assert {name for name in UNSEEN if tried.outcomes.get(name) == "done"} == set()
    assert len(tried.outcomes) >= 28
    interfaces = [line.split(":")[0].strip() for line in tried.network["dev"].splitlines()[2:]]
    assert (interfaces, tried.network["route"].splitlines()[1:]) == (["lo"], [])


@pytest.mark.parametrize("loop", LOOPS)
def test_a_seal_shows_no_process_but_those_of_the_case(attempt: Attempt, loop: str, outsider: int) -> None:
    tried = attempt(loop, "required")
    numbers = [int(name) for name in tried.processes if name.isdecimal()]
    assert 1 in numbers
    assert outsider not in numbers
    assert len(numbers) < 20


@pytest.mark.parametrize("loop", LOOPS)
def test_what_the_guards_see_is_named_behind_a_seal_as_well(attempt: Attempt, loop: str) -> None:
    named = {
        re.sub(r":\d+|=.*", "", each.replace(own_address(), "HOST"))
        for each in attempt(loop, "required").result.blocked
    }
    assert named == NAMED[loop]


@pytest.mark.skipif(own_address() == "127.0.0.1", reason="without another address nothing stands for another machine")
@pytest.mark.parametrize("loop", LOOPS)
def test_without_a_seal_it_is_known_what_gets_out(attempt: Attempt, loop: str) -> None:
    """This proves the trap, too: what it does not catch here proves nothing above."""
    tried = attempt(loop, "off")
    assert tried.caught == PAST_THE_GUARDS[loop]
    assert tried.outcomes["signal"] == "done"

"""``harness probe``: a few requests to a model server, and what its answers show."""

from __future__ import annotations

import argparse
import os
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from harness import __version__
from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser, Repeated
from harness.errors import BadInput
from harness.wire import NATIVE_WIRES

if TYPE_CHECKING:
    from harness.report.probed import ProbeReport
    from harness.runner.execute import Finished
    from harness.runner.results import RunResult
    from harness.wire import WireName


ALL: Final = "all"
"""``--wire all``: every API format that is probed."""


def options(command: Parser) -> None:
    """Which server, and what it is asked."""
    command.set_defaults(work=work)
    command.add_argument(
        "url", metavar="URL", help="the server: http://127.0.0.1:8080; another host with --key-env only"
    )
    command.add_argument(
        "--wire",
        dest="wires",
        action=Repeated,
        default=[],
        choices=(*NATIVE_WIRES, ALL),
        required=True,
        metavar="WIRE",
        help="the API format: %(choices)s; repeatable",
    )
    command.add_argument("--model", required=True, metavar="NAME", help="the model to ask for")
    command.add_argument("--key-env", default="", metavar="NAME", help="the variable that has the key of the server")
    command.add_argument(
        "--budget", type=common.at_least_1, metavar="N", help="make at most N requests (default: all steps)"
    )
    command.add_argument(
        "--timeout", type=common.seconds, default=60.0, metavar="SECONDS", help="time limit of one answer (default 60)"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="also write the page, the results and the traces here")


COMMAND: Final = Command(
    "Check a server or a gateway",
    "ask a model server a few questions, and report what its answers show",
    options,
    "harness probe http://127.0.0.1:8080 --wire openai-chat --model smollm2",
    "harness probe https://models.example.com --wire openai-chat --model m1 --key-env EXAMPLE_API_KEY --budget 20",
)


def work(options: argparse.Namespace) -> int:
    """``harness probe``. Returns the exit code."""
    return probe(common.filled(ProbeOptions, options))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """The options of ``harness probe``. ``budget`` is the most requests; None means as many as the steps can make.

    ``key_env`` is the variable with the key, empty if the server needs none.
    """

    url: str
    wires: Sequence[WireName]
    model: str
    key_env: str = ""
    budget: int | None = None
    timeout: float = 60.0
    out: Path | None = None


def probe(options: ProbeOptions) -> int:
    """Ask, report, and write the results to ``out`` if it names a folder. Returns the exit code: 1 if a step is broken.

    Raises ``BadInput`` for a server that must not be asked in this way.
    """
    import asyncio

    from harness.report.probed import ProbeReport
    from harness.runner.results import RunResult
    from harness.servers.probing import requests_of
    from harness.wire import wire as wire_named

    base, key = _server(options)
    wires = NATIVE_WIRES if ALL in options.wires else tuple(options.wires)
    most = sum(requests_of(wire_named(name)) for name in wires)
    budget = most if options.budget is None else min(options.budget, most)
    requests = f"{budget} request{'' if budget == 1 else 's'}"
    print(f"harness probe: at most {requests} to {base}, model {options.model}", flush=True)
    report = ProbeReport()
    started, begun = datetime.now(UTC), time.perf_counter()
    found = asyncio.run(_probe_wires(options, base, key, wires, budget, report))
    target = urlsplit(base).netloc
    cases = tuple(each.result for each in found)
    result = RunResult(__version__, started.isoformat(timespec="seconds"), target, 0, cases)
    if options.out is not None:
        _write(options.out, result, found)
    report.summary(result, options.out, time.perf_counter() - begun)
    return 1 if any(case.verdict == "fail" for case in cases) else 0


async def _probe_wires(
    options: ProbeOptions, base: str, key: str, wires: Sequence[WireName], budget: int, report: ProbeReport
) -> list[Finished]:
    import httpx2

    from harness.runner.redacting import gated
    from harness.servers.asking import Asking
    from harness.servers.probe_results import finished_step
    from harness.servers.probing import Probe
    from harness.wire import wire as wire_named

    found: list[Finished] = []
    repeat = gated(shlex.join(_repeat(options)))
    async with httpx2.AsyncClient(timeout=options.timeout, trust_env=not _is_local(base)) as http:
        asking = Asking(http, base, options.timeout)
        for name in wires:
            one = Probe(wire_named(name), options.model, asking, key, bool(options.key_env), budget)
            async for outcome in one.outcomes():
                found.append(finished_step(outcome, name, urlsplit(base).netloc, repeat))
                report.step(found[-1].result)
            budget = one.budget
    return found


def _server(options: ProbeOptions) -> tuple[str, str]:
    """The server's address without a version, and the key for it.

    Raises ``BadInput`` if it is no URL, or is on another machine and has no key of its own or no encryption.
    """
    from harness.endpoint.loopback import is_loopback
    from harness.servers.preset import KEY

    base = options.url.rstrip("/").removesuffix("/v1").removesuffix("/v1beta")
    split = urlsplit(base)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise BadInput(f"{options.url!r}: expected the URL of a server, such as http://127.0.0.1:8080")
    key = os.environ.get(options.key_env, "") if options.key_env else KEY
    if not key:
        raise BadInput(
            f"--key-env {options.key_env}: expected the variable with the server's key, got none of that name"
        )
    if is_loopback(split.hostname):
        return base, key
    if not options.key_env:
        raise BadInput(
            f"{options.url}: expected a server on this machine, got another host; to ask it all the same, name the "
            "variable that has its key with --key-env"
        )
    if split.scheme == "http":
        raise BadInput(f"{options.url}: a key must not leave this machine in clear; use https")
    return base, key


def _is_local(base: str) -> bool:
    from harness.endpoint.loopback import is_loopback

    return is_loopback(urlsplit(base).hostname or "")


def _repeat(options: ProbeOptions) -> list[str]:
    words = ["harness", "probe", options.url]
    words += [word for name in options.wires for word in ("--wire", name)]
    words += ["--model", options.model]
    return [*words, "--key-env", options.key_env] if options.key_env else words


def _write(out: Path, result: RunResult, found: Sequence[Finished]) -> None:
    from harness.report.files import RunFolder

    folder = RunFolder.create(out)
    with folder.locked():
        folder.clear()
        for each in found:
            if each.result.trace is not None:
                folder.write_trace(each)
        folder.write_results(result)

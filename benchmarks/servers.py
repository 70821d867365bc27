"""The harness as a server on loopback, beside a raw asyncio server and a mock server from npm.

A tool loop of three turns with 30 events each, sent over keep-alive connections, several at once.

ours      ``harness serve``: reads, judges, renders and records each request, and sends each event as a chunk of HTTP
raw       writes bytes that are ready, and does nothing else (``programs/raw_server.py``): an answer in one write, or
          each event in its own
aimock    npm's @copilotkit/aimock: matches each request against its fixtures, makes the events and notes the request;
          it judges nothing (``npm ci --prefix benchmarks/node``)

The client is httpx2 without an SDK, and then the official SDK. Its own time is in what is done in a second, and not in
the CPU time of a request, which is the server's.

A test run starts a mock server and asks it some hundred to some thousand times. So each wire has servers of its own,
and the first requests are counted. What a request takes of servers that have run for long is a row of its own: by then
Node has compiled aimock, and the harness writes the oldest conversations to its disk.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any, Final

import httpx2

from benchmarks.programs.bare import sender
from benchmarks.programs.serving import Server, running
from benchmarks.tracking.figure import Figure, Goal, LeftOut, Row
from benchmarks.tracking.measure import event_loop, rounds_of
from harness.endpoint import Endpoints
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.scenario import load
from harness.targets.wire_only import wire_only
from harness.wire import NativeWireName

PATHS: Final[Mapping[NativeWireName, str]] = {
    "openai-chat": "/v1/chat/completions",
    "anthropic-messages": "/v1/messages",
}
GOALS: Final[Mapping[str, tuple[Goal, ...]]] = {"aimock": (Goal("ratio", "at most", 1.0),)}
"""What the CPU time of a request may be, beside whom."""

NO_GOALS: Final[Mapping[str, tuple[Goal, ...]]] = {}

CONNECTIONS = 4
LOOPS = 12
"""How many loops are played on each connection in a round."""

LONG = 15
"""The rounds that a server has behind it, beside those that are counted, before it is one that has run for long."""

HAS_HAD = "5,000"
"""Requests, about: 144 in a round."""

HERE = Path(__file__).parent
AIMOCK = HERE / "node" / "aimock.mjs"
DELTA = 3
"""Characters of aimock's deltas, so that it sends about as many events as ours, whose deltas are words."""

FILES = (
    {"path": "a.html", "content": "Bread from our old village oven"},
    {"path": "b.html", "content": "Cakes from our new village oven"},
)
TEXT = "Both pages are ready. They say when the bakery is open, and what is fresh there each day from seven on."
SCENARIO = """\
scenario: loop-{number}
profile: screenshot-to-code
summary: Two pages are made and described.
prompt:
  - system: You build web pages.
  - user: A page for a bakery, which is open every day.
tools: [create_file]
model:
  - calls: [{{create_file: {first}}}]
  - calls: [{{create_file: {second}}}]
  - text: {text}
expect: {{outcome: completed, turns: 3}}
"""
_CALL_ID = re.compile(rb'"((?:call|toolu)_[\w-]+)"')

Play = Callable[[bytes], Awaitable[bytes | None]]
"""Sends a request and reads its answer. Returns the id of the call that is in it."""

Player = Callable[[httpx2.AsyncHTTPTransport, str, NativeWireName], Play]
"""Makes of a connection, a server's address and a wire what plays on them."""


def figures(quick: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as made, event_loop() as plain:
        folder = Path(made)
        loops = {wire: plain(partial(_recorded, folder, wire))() for wire in PATHS}
        if missing := _missing():
            yield LeftOut("beside aimock", missing)
        for wire, loop in loops.items():
            with _servers(folder, loops, with_aimock=not missing) as servers, ExitStack() as connections:
                play = partial(_blocks, servers, wire, loop, plain=plain, connections=connections)
                raw, sdk = play(_plain_player), play(_sdk_player)
                rounds_of(raw, 1)
                first = rounds_of(raw, 2 if quick else 9)
                yield from _costs(f"a request of {_events(loop)} events, {wire}", first, GOALS)
                yield from _rates(f"requests by httpx2, {wire}", first)
                rounds_of(sdk, 1)
                yield from _rates(f"requests by the SDK, {wire}", rounds_of(sdk, 2 if quick else 9))
                if not quick:
                    rounds_of(raw, LONG)
                    yield from _costs(f"a request to a server that has had {HAS_HAD}, {wire}", rounds_of(raw, 9))


@contextmanager
def _servers(folder: Path, loops: Mapping[NativeWireName, Loop], *, with_aimock: bool) -> Iterator[list[Server]]:
    """All of them, which nobody has asked anything yet."""
    with ExitStack() as stack:
        servers = [stack.enter_context(_harness(folder)), *stack.enter_context(_raw(folder, loops))]
        yield [*servers, stack.enter_context(_aimock(folder))] if with_aimock else servers


@dataclass(frozen=True, slots=True)
class Loop:
    """The requests of a loop, ``@N@`` in place of the id of the call of turn N, and the events of their answers."""

    requests: tuple[bytes, ...]
    answers: tuple[tuple[str, ...], ...]


Blocks = dict[str, list[tuple[float, float]]]
"""By server, for each round: its CPU seconds for a request, and the requests of a second."""


def _events(loop: Loop) -> str:
    return f"{sum(map(len, loop.answers)) / len(loop.answers):.0f}"


def _costs(what: str, blocks: Blocks, goals: Mapping[str, tuple[Goal, ...]] = NO_GOALS) -> Iterator[Figure]:
    taken = {name: [cpu for cpu, _ in rounds] for name, rounds in blocks.items()}
    ours = taken.pop("ours")
    for name, theirs in taken.items():
        yield Figure.of(what, ours, *goals.get(name, ()), beside=name, theirs=theirs)


def _rates(what: str, blocks: Blocks) -> Iterator[Figure]:
    taken = {name: [many for _, many in rounds] for name, rounds in blocks.items()}
    ours = taken.pop("ours")
    for name, theirs in taken.items():
        yield Figure.of(what, ours, beside=name, theirs=theirs, unit="/s", counted="wall")


# --- the clients ----------------------------------------------------------------------------------------------


def _blocks(
    servers: Sequence[Server],
    wire: NativeWireName,
    loop: Loop,
    player: Player,
    *,
    plain: Callable[..., Any],
    connections: ExitStack,
) -> dict[str, Callable[[], tuple[float, float]]]:
    return {each.name: _block(each, wire, loop, player, plain, connections) for each in servers}


def _block(
    server: Server,
    wire: NativeWireName,
    loop: Loop,
    player: Player,
    plain: Callable[..., Any],
    connections: ExitStack,
) -> Callable[[], tuple[float, float]]:
    """Plays the loop on all connections at once, and says what that took the server, and how many requests a second."""
    transports = [httpx2.AsyncHTTPTransport() for _ in range(CONNECTIONS)]
    for transport in transports:
        connections.callback(plain(transport.aclose))
    plays = [player(each, server.base(number, wire), wire) for number, each in enumerate(transports)]
    requests = CONNECTIONS * LOOPS * len(loop.requests)

    async def play_all() -> None:
        await asyncio.gather(*(_played(loop, play) for play in plays))

    def measure() -> tuple[float, float]:
        before, start = server.cpu(), time.perf_counter()
        plain(play_all)()
        return (server.cpu() - before) / requests, requests / (time.perf_counter() - start)

    return measure


async def _played(loop: Loop, play: Play) -> None:
    for _ in range(LOOPS):
        ids: list[bytes] = []
        for request in loop.requests:
            for turn, id in enumerate(ids):
                request = request.replace(b"@%d@" % turn, id)
            found = await play(request)
            ids += [found] if found else []
        assert len(ids) == len(loop.requests) - 1, f"calls came in {len(ids)} answers of {len(loop.requests)}"


def _plain_player(transport: httpx2.AsyncHTTPTransport, base: str, wire: NativeWireName) -> Play:
    http = httpx2.AsyncClient(transport=transport)
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}

    async def play(request: bytes) -> bytes | None:
        async with http.stream("POST", base + PATHS[wire], content=request, headers=headers) as response:
            answer = b"".join([chunk async for chunk in response.aiter_raw()])
        assert response.status_code == 200, answer
        found = _CALL_ID.search(answer)
        return found[1] if found else None

    return play


def _sdk_player(transport: httpx2.AsyncHTTPTransport, base: str, wire: NativeWireName) -> Play:
    send = sender(wire, transport, base)

    async def play(request: bytes) -> bytes | None:
        ids = [_call_id(event) async for event in await send(json.loads(request))()]
        return next((id.encode() for id in ids if id), None)

    return play


def _call_id(event: Any) -> str | None:
    """The id of the call that begins with this event of an SDK, if one does."""
    if getattr(event, "choices", None):
        calls = event.choices[0].delta.tool_calls
        return calls[0].id if calls else None
    return getattr(getattr(event, "content_block", None), "id", None)


# --- the loop -------------------------------------------------------------------------------------------------


async def _recorded(folder: Path, wire: NativeWireName) -> Loop:
    """The loop as the target ``wire-only`` plays it."""
    gateway = Endpoints()
    target = wire_only(gateway)
    (planned,) = plan(load([_scenarios(folder)[0]]), target=target, wires=[wire])
    (finished,) = await execute([planned], target, gateway, "http://harness", jobs=1)
    assert finished.result.verdict == "pass", finished.result
    requests, answers = [], []
    ids: list[bytes] = []
    for exchange in finished.trace.exchanges:
        assert exchange.response is not None
        requests.append(_with_places(exchange.request.body, ids))
        answers.append(tuple(f"{event}\n\n" for event in exchange.response.body.decode().split("\n\n") if event))
        found = _CALL_ID.search(exchange.response.body)
        ids += [found[1]] if found else []
    return Loop(tuple(requests), tuple(answers))


def _with_places(request: bytes, ids: list[bytes]) -> bytes:
    for turn, id in enumerate(ids):
        request = request.replace(id, b"@%d@" % turn)
    return request


def _scenarios(folder: Path) -> list[Path]:
    """A scenario for each connection: the harness serves a case to one loop at a time."""
    paths = [folder / f"loop-{number}.yaml" for number in range(CONNECTIONS)]
    first, second, text = map(json.dumps, (*FILES, TEXT))
    for number, path in enumerate(paths):
        path.write_text(SCENARIO.format(number=number, first=first, second=second, text=text), encoding="utf-8")
    return paths


# --- the servers ----------------------------------------------------------------------------------------------


@contextmanager
def _harness(folder: Path) -> Iterator[Server]:
    wires = [word for wire in PATHS for word in ("--wire", wire)]
    command = [sys.executable, "-m", "harness", "serve", *map(str, _scenarios(folder)), *wires, "--port", "0"]
    with running(command) as (child, lines):  # SIGINT may be ignored in the background
        base = ""
        for line in lines:
            found = re.search(r"=(http://\S+)/case/", line)
            base = found[1] if found else base
            if line.startswith("serving"):
                break
        yield Server("ours", child.pid, lambda number, _: f"{base}/case/loop-{number}")
    assert child.returncode == 0, f"`harness serve` has found something in our own requests: {child.returncode}"


@contextmanager
def _raw(folder: Path, loops: Mapping[NativeWireName, Loop]) -> Iterator[list[Server]]:
    ready = folder / "answers.json"
    ready.write_text(json.dumps({PATHS[wire]: loop.answers for wire, loop in loops.items()}), encoding="utf-8")
    with running([sys.executable, str(HERE / "programs" / "raw_server.py"), str(ready)]) as (child, lines):
        base = next(lines).strip()
        yield [
            Server("raw asyncio, one write", child.pid, lambda *_: f"{base}/whole"),
            Server("raw asyncio, a write per event", child.pid, lambda *_: f"{base}/events"),
        ]


@contextmanager
def _aimock(folder: Path) -> Iterator[Server]:
    calls = [{"name": "create_file", "arguments": json.dumps(file)} for file in FILES]
    turns = [*({"calls": [call]} for call in calls), {"text": TEXT}]
    file = folder / "turns.json"
    file.write_text(json.dumps({"turns": turns, "delta": DELTA}), encoding="utf-8")
    with running(["node", str(AIMOCK), str(file)]) as (child, lines):
        base = next(lines).strip()
        yield Server("aimock", child.pid, lambda *_: base)


def _missing() -> str:
    """What is not there of what aimock needs."""
    if which("node") is None:
        return "node is not installed"
    if not (AIMOCK.parent / "node_modules").is_dir():
        return "`npm ci --prefix benchmarks/node` has not been run"
    return ""

"""``harness serve``: models on a loopback port for a loop in any language, which it starts or somebody else does."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from harness import __version__
from harness.cli.interruption import undisturbed
from harness.cli.serve_rounds import Input, Played, chosen
from harness.endpoint import PARALLEL, Endpoints, Refusing
from harness.endpoint.server import serving
from harness.errors import BadInput, HarnessError
from harness.ground.collecting import collect_hardly_ever
from harness.ground.signals import ENDING
from harness.runner.judging import Judging, judging
from harness.runner.serving import Activity, Offer, Opening, Program, Served, behaviour_of, in_terminal, offers
from harness.runner.serving.printed import ProgramOutput
from harness.runner.sources import SCRIPTED, Sources, asks_others
from harness.sealing.allowed import Sealing, unsealed
from harness.targets.command.program import program
from harness.targets.command.running import Start, start_openly
from harness.targets.environment import environment
from harness.wire import WireName, wire
from harness.wire.channels import CHANNELS

if TYPE_CHECKING:
    from harness.report.files import RunFolder
    from harness.runner.results import RunResult

_REQUESTS_GRACE = 5.0
"""Seconds that a command has to end by itself once the last of ``--requests`` is answered."""


_INTERRUPTED = "interrupted"
"""Why serving ends at Ctrl-C or SIGTERM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of ``harness serve``.

    No ``paths`` means the automatic model. ``refuse`` and ``without`` select the wrong requests that are refused; rules
    in ``without`` are not reported either. ``command`` is started and asks; None if somebody else starts the loop.
    ``out`` is the folder for the results; ``requests`` and ``idle`` are as for ``Activity``, in each round. ``rounds``
    selects the behaviours of the automatic model for which the command is played (``behaviours``), empty for the plain
    one. ``sealing``: whether the command is sealed off. ``passes`` are the variables with secrets that the command
    gets. ``server`` is the server that the endpoint plays, empty for the provider itself. ``dialect`` is the dialect of
    its streams, empty for the provider's own. ``channels`` are the channels besides HTTP on which a client may ask.
    ``max_findings`` is as for ``harness run``.
    """

    paths: Sequence[Path]
    wires: Sequence[WireName]
    port: int = 0
    seed: int = 0
    refuse: Refusing = "must"
    without: Sequence[str] = ()
    sources: Sources = SCRIPTED
    command: Sequence[str] | None = None
    out: Path | None = None
    rounds: str = ""
    requests: int | None = None
    idle: float | None = None
    sealing: Sealing = "possible"
    passes: Sequence[str] = ()
    server: str = ""
    dialect: str = ""
    channels: Collection[str] = tuple(CHANNELS)
    max_findings: int | None = None


@dataclass(slots=True)
class _Session:
    """The rounds that were played: one, unless there are ``--rounds``."""

    endpoints: Endpoints = field(default_factory=Endpoints)
    rounds: list[Played] = field(default_factory=list)


def serve(options: ServeOptions) -> int:
    """Serve until the command ends, or until Ctrl-C or SIGTERM, then report. Returns the exit code.

    The exit code is 1 if there is a finding. It is a finding, too, that nothing was asked or that the command failed.
    Raises ``BadInput`` for what cannot be served or started. Recordings are put in their place at the end.
    """
    judged = judging(without=options.without, skipped=_skipped_checks(options.without), refuse=options.refuse)
    command = _command(options.command)
    rounds = chosen(options.rounds, options.paths, options.command)
    offered, sources = offers(
        options.paths,
        options.wires,
        seed=options.seed,
        sources=options.sources,
        server=options.server,
        dialect=options.dialect,
        rounds=rounds,
    )
    if command and not options.wires:  # a dialect has the path of another wire, and is served where it is named
        offered = [offer for offer in offered if wire(offer.wires[0]).native] or offered
    if command and len(offered) > len(rounds):
        names = ", ".join(offer.name for offer in offered)
        raise BadInput(f"a command is started once and asks one model: choose one scenario of {names}")
    with _folder(options.out) as folder:
        return _run_session(options, command, judged, offered, sources, folder)


def _skipped_checks(words: Sequence[str]) -> frozenset[str]:
    """Return the checks of drivers among the words of ``--skip``. Calibration takes long to import."""
    if not any(word.startswith("driver") for word in words):
        return frozenset()
    from harness.doctor.checks import named

    return named(words)


def _run_session(
    options: ServeOptions,
    command: Sequence[str],
    judged: Judging,
    offered: Sequence[Offer],
    sources: Sources,
    folder: RunFolder | None,
) -> int:
    why_open = unsealed(options.sealing) if command else ""
    if why_open and options.sealing != "off":
        _say(f"network isolation is off: {why_open}: the command can reach other services and hosts")
    session = _Session()
    started = datetime.now(UTC)
    try:
        with _place(options, sealed=bool(command) and not why_open) as place:
            asyncio.run(_serve(options, command, place, offered, sources, judged, session))
    except KeyboardInterrupt:  # came before there was anything to end
        return 130
    with undisturbed():
        return _conclude(options, command, judged, session, started, folder)


def _command(words: Sequence[str] | None) -> Sequence[str]:
    """The command that is started, if any. Raises ``BadInput`` if there is no such program."""
    if words is None:
        return ()
    if not words:
        raise BadInput("expected a command behind --, got nothing; for example: harness serve -- python my_agent.py")
    return program(list(words), "the command behind --")


@dataclass(frozen=True, slots=True)
class _Whereabouts:
    """Where the command runs: what starts it, and the socket behind the seal at which it reaches the endpoint."""

    start: Start = start_openly
    listener: socket | None = None


@contextmanager
def _place(options: ServeOptions, *, sealed: bool) -> Iterator[_Whereabouts]:
    if not sealed:
        yield _Whereabouts()
        return
    from harness.sealing.commands import Spawner

    spawner = Spawner(in_terminal=in_terminal())
    try:
        yield _Whereabouts(spawner.start, spawner.listener(options.port))
    finally:
        spawner.close()


async def _serve(
    options: ServeOptions,
    command: Sequence[str],
    place: _Whereabouts,
    offered: Sequence[Offer],
    sources: Sources,
    judged: Judging,
    session: _Session,
) -> None:
    collect_hardly_ever()
    async with AsyncExitStack() as stack:
        keyed = asks_others(sources)
        endpoint = serving(session.endpoints, options.port, listener=place.listener, keyed=keyed)
        if command:
            stdin, base = Input(), await stack.enter_async_context(endpoint)
            for offer in offered:
                activity, opening = _opening(options, sources, judged, session)
                served = await opening.open(offer, stack)
                session.rounds.append(Played([served]))
                stdin.rewind()
                _say(_round(len(session.rounds), len(offered), served, base))
                session.rounds[-1] = await _play_round(options, command, place.start, base, served, activity)
                if activity.why == _INTERRUPTED:
                    return
                if not activity.answered:  # nor will it ask for anything in the rounds to come
                    return
        else:
            activity, opening = _opening(options, sources, judged, session)
            all_served = [await opening.open(offer, stack) for offer in offered]
            session.rounds.append(Played(all_served))
            base = await stack.enter_async_context(endpoint)
            with _interruptible(activity, asyncio.Event()):
                _announce(base, all_served)
                await activity.over.wait()
                print("")
            session.rounds = [Played(all_served, ended=not activity.enough)]


def _round(number: int, of: int, served: Served, base: str) -> str:
    """The line that is printed before a round."""
    scenario = served.offer.scenario
    if of > 1:
        behaviour = behaviour_of(scenario)
        return f"round {number} of {of}, {behaviour.name}: {behaviour.summary}"
    return f"{scenario.name} model on {', '.join(served.offer.wires)} at {base}{served.prefix}"


async def _play_round(
    options: ServeOptions, command: Sequence[str], start: Start, base: str, served: Served, activity: Activity
) -> Played:
    """Run the command to its end in a round."""
    hurry = asyncio.Event()
    with _interruptible(activity, hurry), ProgramOutput() as printed:
        url = base + served.prefix
        code = await _with_program(command, start, url, activity, hurry, options.passes, printed.streams)
    stopped = activity.enough or activity.why == _INTERRUPTED
    return Played([served], code, code is not None or not stopped, printed.tags, activity.tags)


def _opening(options: ServeOptions, sources: Sources, judged: Judging, session: _Session) -> tuple[Activity, Opening]:
    """What counts the requests of a round, and what opens its offers."""
    activity = Activity(options.requests, options.idle)
    return activity, Opening(session.endpoints, sources, judged.enforcement, activity, options.channels)


@contextmanager
def _interruptible(activity: Activity, hurry: asyncio.Event) -> Iterator[None]:
    """The first Ctrl-C, SIGTERM or SIGHUP ends serving, another one hurries it. A shell may have had us ignore Ctrl-C,
    and ``nohup`` SIGHUP."""

    def interrupted() -> None:
        if activity.over.is_set():
            hurry.set()
        activity.end(_INTERRUPTED)

    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in ENDING}
    heard = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    with suppress(NotImplementedError):  # on Windows Ctrl-C cancels this task
        for number in heard:
            loop.add_signal_handler(number, interrupted)
    try:
        with suppress(asyncio.CancelledError):
            yield
    finally:
        for number in heard:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])


async def _with_program(
    command: Sequence[str],
    start: Start,
    url: str,
    activity: Activity,
    hurry: asyncio.Event,
    passes: Sequence[str],
    streams: tuple[int, int, int],
) -> int | None:
    """Run the command to its end. Returns its exit code, None if the harness has ended it."""
    started = await Program.start(command, url, start, passes, streams)
    _say(f"started {await _without_secrets(shlex.join(command))}")
    try:
        code = await _over(started, activity, hurry)
        if code is None:
            _say(f"ending the command: {activity.why}")
        return code
    finally:
        await started.end(hurry)


async def _without_secrets(words: str) -> str:
    """A command line as it is printed. The redaction takes long to import, and the command is asking already."""

    def shown() -> str:
        from harness.report.visible import visible
        from harness.runner.redacting import gated

        return visible(gated(words))

    return await asyncio.to_thread(shown)


async def _over(started: Program, activity: Activity, hurry: asyncio.Event) -> int | None:
    """Wait until the command has ended, or is to be ended."""
    gone = asyncio.ensure_future(started.wait())
    over, hurried = asyncio.ensure_future(activity.over.wait()), asyncio.ensure_future(hurry.wait())
    try:
        await asyncio.wait([gone, over], return_when=asyncio.FIRST_COMPLETED)
        if not gone.done() and activity.enough:  # it may be about to end
            await asyncio.wait([gone, hurried], timeout=_REQUESTS_GRACE, return_when=asyncio.FIRST_COMPLETED)
        return gone.result() if gone.done() else None
    finally:
        for each in (gone, over, hurried):
            each.cancel()


def _say(what: str) -> None:
    """Print on standard error: standard output belongs to the command until it has ended."""
    print(f"harness serve: {what}", file=sys.stderr, flush=True)


def _announce(base: str, served: Sequence[Served]) -> None:
    for one in served:
        print(f"{one.offer.scenario.name} on {', '.join(one.offer.wires)}")
        variables: dict[str, str] = {}
        for name in one.offer.wires:
            variables |= environment(name, base + one.prefix)
        for name, value in variables.items():
            print(f"  export {name}={value}")
    print("serving; Ctrl-C or SIGTERM ends it and reports the findings", flush=True)


@contextmanager
def _folder(path: Path | None) -> Iterator[RunFolder | None]:
    """The folder of the results, if there is one: nobody else writes to it while the block runs."""
    if path is None:
        yield None
        return
    from harness.report.files import RunFolder

    folder = RunFolder.create(path)
    with folder.locked():
        folder.clear()
        yield folder


def _conclude(
    options: ServeOptions,
    command: Sequence[str],
    judged: Judging,
    session: _Session,
    started: datetime,
    folder: RunFolder | None,
) -> int:
    """Judge, report and write. The imports are done only here, so that the command does not wait for them."""
    from harness.cli.serve_report import ServedConversation, report
    from harness.runner.processes import manner
    from harness.runner.redacting import gated
    from harness.runner.results import RunResult
    from harness.runner.serving.outcome import ended_tests, outcome
    from harness.runner.serving.tried import Tried

    found: list[ServedConversation] = []
    unkept: HarnessError | None = None  # why there is no folder: what was found is reported all the same
    tried = Tried()
    for played in session.rounds:
        for finished in outcome(
            played.served,
            session.endpoints,
            judged,
            command=command,
            repeat=gated(_repeat(options, command, played)),
            exit_code=played.exit_code,
            ended=played.ended,
            tried=tried,
            noted=played.printed_again,
        ):
            if folder is not None:
                unkept = unkept or _write_error(partial(folder.write_trace, finished))
            found.append(ServedConversation.of(finished))
    if tried.note:
        found = [each.noted(tried.note) for each in found]
    results = tuple(each.result for each in found)
    result = RunResult(__version__, started.isoformat(timespec="seconds"), "served", options.seed, results)
    not_served: Counter[str] = Counter(session.endpoints.not_served(None))
    for played in session.rounds:
        for one in played.served:
            not_served.update(session.endpoints.not_served(one.offer.name))
        if played.exit_code:
            where = f" in the round {behaviour_of(played.served[0].offer.scenario).name}" if session.rounds[1:] else ""
            _say(f"the command ended with {manner(played.exit_code)}{where}")
    report(
        result,
        found,
        not_served,
        None if folder is None or unkept else folder.path,
        ended=ended_tests([one for played in session.rounds for one in played.served]),
        max_findings=options.max_findings,
    )
    if folder is not None:
        unkept = unkept or _write_error(partial(_write, folder, result))
    if unkept is not None:
        raise unkept
    failed = any(played.exit_code for played in session.rounds)
    return 1 if failed or any(each.result.verdict != "pass" for each in found) else 0


def _write_error(write: Callable[[], None]) -> HarnessError | None:
    """Call ``write``, and return the error if the disk refuses it."""
    try:
        write()
    except HarnessError as problem:
        return problem
    return None


def _write(folder: RunFolder, result: RunResult) -> None:
    folder.write_results(result)
    print(f"page:    {folder.path / 'index.html'}")
    print(f"results: {folder.path / 'results.json'}")


def _repeat(options: ServeOptions, command: Sequence[str], played: Played) -> str:
    """The command that serves the same again, in the round that was played."""
    words = ["harness", "serve", *map(str, options.paths)]
    words += [word for wire in options.wires for word in ("--wire", wire)]
    words += [word for rule in options.without for word in ("--skip", rule)]
    words += [] if options.refuse == "must" else ["--refuse", options.refuse]
    words += ["--seed", str(options.seed)] if options.seed else []
    behaviour = behaviour_of(played.served[0].offer.scenario)
    words += [] if behaviour is PARALLEL else ["--rounds", behaviour.name]
    words += ["--as-server", options.server] if options.server else []
    words += ["--dialect", options.dialect] if options.dialect else []
    words += [f"--no-{name}" for name in CHANNELS if name not in options.channels]
    words += ["--no-isolate"] if options.sealing == "off" else []
    return shlex.join([*words, *options.sources.words, *(["--", *command] if command else [])])

"""``harness gateway``: our models behind a gateway, our clients in front of it, and what gets lost between them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

import httpx2

from harness import __version__
from harness.baseline.holding import marked
from harness.baseline.loader import chosen
from harness.baseline.model import BaselineEntry
from harness.cli.interruption import undisturbed
from harness.endpoint import Endpoints
from harness.endpoint.loopback import is_loopback
from harness.endpoint.server import serving
from harness.errors import BadInput
from harness.report.files import RunFolder
from harness.report.pairs import PairReport
from harness.runner.execute import Finished
from harness.runner.redacting import gated
from harness.runner.results import CaseResult, RunResult
from harness.sealing.allowed import Sealing, unsealed
from harness.servers.asking import Asking
from harness.servers.pairs import PairCase, addressed, cases_of, chosen_scenarios
from harness.servers.preset import Preset, preset_of, upstream_of
from harness.servers.program import ground, running_gateway
from harness.servers.running import PairRun
from harness.wire import NATIVE_WIRES, WireName

START: Final = 120.0
"""Seconds that a gateway has to be ready."""

REQUEST: Final = 60.0
"""Seconds that an answer may take: our models answer at once, but the first request may load much of the gateway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOptions:
    """The options of ``harness gateway``.

    ``command`` starts the gateway and replaces the preset's command. ``url`` is the address of a gateway that runs
    already, with ``models`` as its models (upstream and name). ``port`` is the port of our models, 0 for any free one.
    """

    command: str = ""
    preset: str = ""
    url: str = ""
    models: Sequence[str] = ()
    clients: Sequence[WireName] = ()
    upstreams: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    only_streams: bool = False
    info: bool = False
    port: int = 0
    seed: int = 0
    out: Path | None = None
    baseline: str = ""
    start_timeout: float = START
    timeout: float = REQUEST
    sealing: Sealing = "possible"
    verbosity: int = 0
    max_findings: int | None = None


@dataclass(slots=True)
class _GatewayRun:
    """What a run has collected so far."""

    started: datetime
    begun: float
    version: str = ""
    results: list[CaseResult] = field(default_factory=list)


def gateway(options: GatewayOptions) -> int:
    """Run every case, report, and write the results. Returns the exit code: 1 if there is a finding.

    Raises ``BadInput`` for options that fit no gateway, and for a gateway that is not ready.
    """
    preset = _preset(options)
    cases = cases_of(
        preset,
        chosen_scenarios(options.scenarios),
        clients=options.clients,
        upstreams=options.upstreams,
        only_streams=options.only_streams,
    )
    baseline = chosen(options.baseline or None, preset.name)
    why_open = unsealed(options.sealing) if preset.command else "--url"
    if preset.command and why_open and options.sealing != "off":
        print(f"harness gateway: network isolation is off: {why_open}", file=sys.stderr)
    folder = RunFolder.create(options.out) if options.out is not None else RunFolder.unused(Path("reports"))
    run = _GatewayRun(datetime.now(UTC), time.perf_counter())
    report = PairReport(preset.name, verbosity=options.verbosity, max_findings=options.max_findings)
    entries = () if baseline is None else baseline.entries
    with folder.locked():
        folder.clear()
        complete = _ran(options, preset, cases, run, folder, report, entries, sealed=not why_open)
        with undisturbed():
            result = RunResult(
                __version__,
                run.started.isoformat(timespec="seconds"),
                preset.name,
                options.seed,
                _in_order(run.results, cases),
                complete=complete,
                versions={preset.name: run.version} if run.version else {},
                baseline=None if baseline is None else str(baseline.path),
            )
            folder.write_results(result)
            report.summary(result, folder.path, time.perf_counter() - run.begun)
    return _exit_code(result)


def _in_order(results: Sequence[CaseResult], cases: Sequence[PairCase]) -> tuple[CaseResult, ...]:
    """The results in the order of the plan: cases of several upstreams end side by side."""
    places = {each.id: number for number, each in enumerate(cases)}
    return tuple(sorted(results, key=lambda each: places[each.id]))


def _preset(options: GatewayOptions) -> Preset:
    """The gateway under test. Raises ``BadInput`` if the options do not name one."""
    preset = preset_of(options.preset) if options.preset else None
    if options.url:
        if options.command:
            raise BadInput("--url names a gateway that runs already: leave COMMAND out")
        _check_url(options.url)
        return replace(_at_url(options, preset), command="")
    if options.models:
        raise BadInput("--model names the models of a gateway that runs already: name it with --url")
    if preset is None:
        raise BadInput(
            "expected a gateway, got none: 'harness gateway --preset litellm', a preset file of yours, or --url URL "
            "with --model UPSTREAM=NAME (docs/gateways.md)"
        )
    return replace(preset, command=options.command) if options.command else preset


def _at_url(options: GatewayOptions, preset: Preset | None) -> Preset:
    if preset is not None and not options.models:
        return preset
    known = {each.name: each for each in (() if preset is None else preset.upstreams)}
    upstreams = []
    for word in options.models:
        name, equals, model = word.partition("=")
        if not (equals and model and (name in known or name in NATIVE_WIRES)):
            raise BadInput(
                f"--model {word}: expected UPSTREAM=NAME with an upstream of {', '.join(known or NATIVE_WIRES)}, and "
                "the name by which the gateway's clients ask for its model"
            )
        upstreams.append(replace(known[name], model=model) if name in known else upstream_of(name, model))
    if not upstreams:
        raise BadInput("--url needs the models of the gateway: --model UPSTREAM=NAME, or --preset with their names")
    base = preset or Preset(urlsplit(options.url).netloc, "", ())
    return replace(base, upstreams=tuple(upstreams))


def _check_url(url: str) -> None:
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise BadInput(f"--url {url!r}: expected the URL of a gateway, such as http://127.0.0.1:4000")
    if not is_loopback(split.hostname):
        raise BadInput(f"--url {url}: expected a gateway on this machine, which can ask our models; got another host")


def _ran(
    options: GatewayOptions,
    preset: Preset,
    cases: Sequence[PairCase],
    run: _GatewayRun,
    folder: RunFolder,
    report: PairReport,
    entries: Sequence[BaselineEntry],
    *,
    sealed: bool,
) -> bool:
    """Play the cases. Returns False if that was interrupted."""
    pair_run = PairRun(preset.name, _repeat(options), seed=options.seed, info=options.info)

    async def play() -> None:
        async with _stage(options, preset, sealed=sealed) as stage:
            run.version = stage.version
            with report.progress([each.id for each in cases]):
                async for finished in pair_run.results(addressed(cases, stage.fakes), stage.endpoints, stage.asking):
                    _keep(finished, run, folder, report, entries)

    try:
        asyncio.run(play())
    except KeyboardInterrupt:
        return False
    return True


def _keep(
    finished: Finished, run: _GatewayRun, folder: RunFolder, report: PairReport, entries: Sequence[BaselineEntry]
) -> None:
    result = marked(finished.result, entries)
    folder.write_trace(finished)
    run.results.append(result)
    report.finished(result)


@dataclass(frozen=True, slots=True)
class _Stage:
    """Our models and a gateway that is ready; ``asking`` sends it requests."""

    endpoints: Endpoints
    asking: Asking
    fakes: Mapping[str, str]
    version: str


@asynccontextmanager
async def _stage(options: GatewayOptions, preset: Preset, *, sealed: bool) -> AsyncIterator[_Stage]:
    ours = Endpoints()
    async with AsyncExitStack() as stack:
        place = stack.enter_context(ground(sealed=sealed))
        listener = None if place.listener is None else place.listener(options.port)
        base = await stack.enter_async_context(serving(ours, options.port, listener=listener))
        fakes = {each.name: f"{base}/case/{each.name}" for each in preset.upstreams}
        url, version = options.url.rstrip("/"), ""
        if preset.command:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="harness-gateway-")))
            running = running_gateway(preset, fakes, place, folder, options.start_timeout)
            ready = await stack.enter_async_context(running)
            url, version = ready.url, ready.version
        else:
            _announce(fakes)
        http = await stack.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=options.timeout))
        yield _Stage(ours, Asking(http, url, options.timeout), fakes, version)


def _announce(fakes: Mapping[str, str]) -> None:
    """Print the addresses of our models: the user must configure a running gateway to ask them."""
    for name, url in fakes.items():
        print(f"harness gateway: the model of {name} is at {url}", file=sys.stderr, flush=True)


def _repeat(options: GatewayOptions) -> list[str]:
    """The command that runs the same gateway again, without what selects cases."""
    words = ["harness", "gateway", *([options.command] if options.command else [])]
    words += ["--preset", options.preset] if options.preset else []
    words += ["--url", options.url] if options.url else []
    words += [word for model in options.models for word in ("--model", model)]
    words += ["--port", str(options.port)] if options.port else []
    words += ["--seed", str(options.seed)] if options.seed else []
    words += ["--info"] if options.info else []
    return [gated(word) for word in words]


def _exit_code(result: RunResult) -> int:
    if not result.complete:
        return 130
    return 1 if any(case.verdict in ("fail", "error") for case in result.cases) else 0

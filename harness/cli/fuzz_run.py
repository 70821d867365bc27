"""The work of ``harness fuzz``."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from harness.errors import BadInput
from harness.fuzz.adopt import adopt as adopted
from harness.fuzz.campaign import Falsified, Profile
from harness.fuzz.campaigning import CampaignOutcome, pursue
from harness.fuzz.campaigns import CAMPAIGNS
from harness.fuzz.chunks import Chunk, ChunkResult, chunks
from harness.fuzz.reproducer import example_of, read, reproducers, write
from harness.fuzz.terminal import FuzzTerminal
from harness.fuzz.work import FuzzWork
from harness.ground.disk import problem
from harness.runner.distributed.cluster import Cluster
from harness.runner.executor import Executor, InProcess
from harness.runner.processes import Processes, cores
from harness.runner.shards import Shard
from harness.targets.extra import require_reference


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzOptions:
    """The options of ``harness fuzz``.

    ``campaigns`` empty means all, ``examples`` None what the profile says, ``seconds`` None no end but that.
    ``database`` is a folder or a ``redis://`` URL; empty: nothing is kept. ``jobs`` None is one worker process a
    core. ``cluster`` None is this machine, ``shard`` None all chunks.
    """

    campaigns: Sequence[str]
    target: str | None
    examples: int | None
    seconds: float | None
    seed: int
    profile: Profile
    out: Path | None
    database: str
    jobs: int | None
    cluster: Cluster | None = None
    shard: Shard | None = None


def fuzz(options: FuzzOptions) -> int:
    """Pursue the campaigns, print and write what was found. Returns the exit code."""
    _need_hypothesis()
    names = options.campaigns or list(CAMPAIGNS)
    if options.target is not None and len(names) != 1:
        raise BadInput(
            f"--target {options.target}: say which one campaign it is for ({', '.join(CAMPAIGNS)}); each has its own "
            "signature"
        )
    for name in names:
        _need_reference(name, options.target)
    until = time.monotonic() + options.seconds if options.seconds is not None else None
    folder = options.out or Path("reports") / f"fuzz-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    _create_folder(folder)
    terminal = FuzzTerminal()
    outcomes: list[CampaignOutcome] = []
    interrupted = False
    for name in names:
        outcomes.append(CampaignOutcome(name, options.target))
        try:
            _pursue(outcomes[-1], options, terminal, until)
        except KeyboardInterrupt:
            interrupted = True
        terminal.outcome(outcomes[-1], CAMPAIGNS[name].load().features)
        for found in outcomes[-1].found:
            terminal.found(found, write(found, folder / "reproducers"))
        if interrupted:
            break
    results = folder / "fuzz.json"
    results.write_text(json.dumps([outcome.to_json() for outcome in outcomes], indent=1) + "\n", encoding="utf-8")
    terminal.last(results, sum(len(outcome.found) for outcome in outcomes), complete=not interrupted)
    if interrupted:
        return 130
    return int(any(outcome.found or outcome.errors for outcome in outcomes))


def _pursue(outcome: CampaignOutcome, options: FuzzOptions, terminal: FuzzTerminal, until: float | None) -> None:
    campaign = CAMPAIGNS[outcome.campaign].load()
    campaign.open(options.target)  # what cannot be had is reported before anything is tried
    planned = chunks(
        campaign.name,
        options.target,
        size=campaign.chunk,
        enumerated=sum(1 for _ in campaign.enumerated()),
        examples=campaign.budget[options.profile] if options.examples is None else options.examples,
        seed=options.seed,
        database=options.database,
    )
    if options.shard is not None:
        planned = [chunk for chunk in planned if options.shard.holds(chunk.id)]
    with terminal.progress(outcome, sum(chunk.examples for chunk in planned)) as on_result:
        pursue(outcome, planned, _ReportingExecutor(_executor(options), on_result), until)


def _executor(options: FuzzOptions) -> Executor[Chunk, ChunkResult]:
    """Worker processes; what others have written never runs in this one, which it could end or block."""
    if options.cluster is not None:
        from harness.runner.distributed.executor import Distributed

        return Distributed(FuzzWork(), options.cluster)
    jobs = options.jobs or cores()
    return InProcess(FuzzWork()) if jobs == 1 and options.target is None else Processes(FuzzWork(), jobs)


@dataclass(frozen=True, slots=True)
class _ReportingExecutor:
    """Passes each result of an executor to ``report`` first."""

    inner: Executor[Chunk, ChunkResult]
    report: Callable[[ChunkResult], None]

    def run(self, items: Sequence[Chunk], on_finished: Callable[[ChunkResult], None], /) -> None:
        def ended(result: ChunkResult) -> None:
            self.report(result)
            on_finished(result)

        self.inner.run(items, ended)


def replay(paths: Sequence[Path], target: str | None) -> int:
    """Test the subject with every reproducer again: 1 where an oracle still objects to one, else 0."""
    _need_hypothesis()
    terminal = FuzzTerminal()
    falsified = False
    for path in reproducers(paths):
        found = read(path)
        _need_reference(found.campaign, target or found.target)
        campaign = CAMPAIGNS[found.campaign].load()
        example = example_of(found, path)
        try:
            campaign.check(example, campaign.open(target or found.target))
            now = "no oracle objects any longer"
        except Falsified as objection:
            falsified = True
            now = f"still falsified: {objection}" if objection.oracle == found.oracle else f"now falsified: {objection}"
        terminal.repeated(path, found, now)
    return int(falsified)


def adopt(path: Path, folder: Path | None) -> int:
    """Make a regression scenario of a reproducer, in ``scenarios/regressions`` where no folder is named."""
    _need_hypothesis()
    FuzzTerminal().adopted(adopted(path, folder or Path("scenarios") / "regressions"))
    return 0


def _need_hypothesis() -> None:
    if find_spec("hypothesis") is None:
        raise BadInput("harness fuzz: Hypothesis is not installed; pip install 'agent-loop-harness[fuzz]'")


def _need_reference(campaign: str, target: str | None) -> None:
    """Raises ``BadInput`` without the extra, for a campaign that asks the SDKs or runs the reference loop."""
    if campaign in ("stream", "requests") or (campaign == "loop" and target is None):
        require_reference(f"harness fuzz {campaign}")


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = problem(error, f"{folder}: cannot create the folder")
        raise BadInput(f"{found}; choose another --out") if isinstance(found, BadInput) else found from None

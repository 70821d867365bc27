"""``harness record``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.cli.run import RunOptions, run
from harness.gateway import Gateway
from harness.report.terminal import visible
from harness.runner.execute import Finished
from harness.runner.executor import InProcess, Work
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.runner.sources import Cassettes, Recording, cassette_of
from harness.scenario import load
from harness.wire import WireName

if TYPE_CHECKING:
    from harness.cassette.tape import Mode

__all__ = ["RecordOptions", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """The options of ``harness record`` (``harness.runner.sources.Recording`` tells most of them)."""

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    folder: Path
    mode: Mode
    upstream: str | None
    model: str | None
    server: str | None
    scripted: bool


def record(options: RecordOptions) -> int:
    """Run the scenarios against models and keep what these say; then replay it, and judge that.

    The endpoint refuses nothing while it records: whether a request is wrong is for the model's server to say. No trace
    is written of it, because what was said is only kept without its secrets. Returns the exit code of the replay, or 3
    where something could not be recorded.
    """
    sources = Recording(options.folder, options.mode, options.upstream, options.model, options.server, options.scripted)
    _check_upstreams(options)
    planned = _planned(options, sources)
    results = _recorded(planned, options, sources)
    failed = [result for result in results if result.verdict == "error"]
    if len(failed) == len(results):
        return 3
    print("replaying what was recorded")
    return max(3 if failed else 0, _replayed([each for each in results if each not in failed], options))


def _check_upstreams(options: RecordOptions) -> None:
    """Raises ``BadInput`` before anything is asked where somebody cannot be."""
    from harness.recording import upstream_of

    for wire in () if options.scripted else options.wires:
        upstream_of(wire, options.upstream, os.environ)


def _planned(options: RecordOptions, sources: Recording) -> list[PlannedCase]:
    target = open_target(options.target, Gateway())
    try:
        return plan(
            load(options.paths),
            target=target,
            wires=options.wires,
            source=sources.name,
            variations=sources.variations,
        )
    finally:
        asyncio.run(target.close())


def _recorded(planned: Sequence[PlannedCase], options: RecordOptions, sources: Recording) -> list[CaseResult]:
    results: list[CaseResult] = []

    def ended(result: CaseResult) -> None:
        results.append(result)
        path = cassette_of(options.folder, result.scenario, result.wire)
        if result.error is None:
            requests = f"{result.requests} request{'' if result.requests == 1 else 's'}"
            print(f"  {path}: {requests} in {result.seconds:.1f} s")
        else:
            print(f"  {path}: not recorded\n    {_harmless(result.error)}")

    print(f"recording {options.target}: {len(planned)} case{'' if len(planned) == 1 else 's'}")
    work = Work(partial(open_target, options.target), _nothing_kept, judging(refuse="nothing"), sources=sources)
    InProcess(work).run(planned, ended)
    return results


def _nothing_kept(finished: Finished) -> None:
    """A trace of what was really said may hold anything."""


def _harmless(error: str) -> str:
    """What went wrong, on one line or more, without a key in it."""
    from harness.cassette.secrets import Redactor

    lines = visible(Redactor().redact_text(error)).strip().splitlines()
    return "\n    ".join(lines[-12:])


def _replayed(results: Sequence[CaseResult], options: RecordOptions) -> int:
    ids = " or ".join(sorted({result.id for result in results}))
    wires = cast(Sequence[WireName], sorted({result.wire for result in results}))
    return run(
        RunOptions(
            paths=options.paths,
            wires=wires,
            target=options.target,
            judging=judging(),
            expression=ids,
            jobs=1,
            seed=0,
            out=None,
            sources=Cassettes(options.folder),
        )
    )

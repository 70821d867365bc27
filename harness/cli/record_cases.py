"""The work of ``harness record``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from harness.cli.drive import run
from harness.cli.run_options import RunOptions
from harness.cli.sealed import note_open
from harness.errors import BadInput
from harness.report.terminal import visible
from harness.runner.cases import CaseWork
from harness.runner.execute import DEADLINE, Finished
from harness.runner.executor import InProcess
from harness.runner.judging import judging
from harness.runner.opening import examined, open_target, plan_for
from harness.runner.plan import PlannedCase
from harness.runner.redacting import gated
from harness.runner.results import CaseResult
from harness.runner.sources import Cassettes, Recording, cassette_of
from harness.scenario import load
from harness.sealing.allowed import Sealing
from harness.wire import WireName


def record(
    paths: Sequence[Path],
    wires: Sequence[WireName],
    target: str,
    recording: Recording,
    *,
    sealing: Sealing = "possible",
    out: Path | None = None,
    transport: str = "",
) -> int:
    """Run the scenarios against models and keep what these say; then replay it, and judge that.

    The endpoint refuses nothing while it records: whether a request is wrong is for the model's server to say. No trace
    is written of it, because what was said is only kept without its secrets. Returns the exit code of the replay, or 3
    where something could not be recorded. ``sealing`` says whether the loop is sealed off, ``out`` where the results of
    the replay go (None: a new folder), and ``transport`` is the channel on which the loop asks, empty for HTTP. Raises
    ``BadInput``.
    """
    if transport and recording.scripted:
        raise BadInput(f"--transport {transport}: --scripted records over HTTP; leave one of them out")
    check_upstreams(wires, recording)
    note_open(target, recording, sealing)
    planned = plan_for(target, load(paths), wires=wires, sources=recording, transport=transport)
    print(f"recording {visible(gated(target))}: {len(planned)} case{'' if len(planned) == 1 else 's'}")
    results = recorded(planned, target, recording, partial(_print_result, folder=recording.folder), sealing)
    kept = [result for result in results if result.verdict != "error"]
    if not kept:
        return 3
    print("replaying what was recorded")
    code = _replayed(kept, paths, target, recording, sealing, out, transport)
    return max(code, 0 if len(kept) == len(results) else 3)


def check_upstreams(wires: Sequence[WireName], recording: Recording) -> None:
    """Raises ``BadInput`` before anything is asked where somebody cannot be."""
    from harness.cassette.upstream import upstream_of

    for wire in () if recording.scripted else wires:
        upstream_of(wire, recording.upstream, os.environ)


def recorded(
    planned: Sequence[PlannedCase],
    target: str,
    recording: Recording,
    on_result: Callable[[CaseResult], None],
    sealing: Sealing,
) -> list[CaseResult]:
    """Run the cases against models and pass each result to ``on_result`` as it comes. No trace is kept."""
    results: list[CaseResult] = []

    def ended(result: CaseResult) -> None:
        results.append(result)
        on_result(result)

    work = CaseWork(
        partial(open_target, target),
        _nothing,
        judging(refuse="nothing"),
        deadline=examined(target).declaration.timeout or DEADLINE,
        sources=recording,
        sealing=sealing,
    )
    InProcess(work).run(planned, ended)
    return results


def _nothing(finished: Finished) -> None:
    """What is kept of a case that is recorded, beside its cassette."""


def _print_result(result: CaseResult, folder: Path) -> None:
    path = cassette_of(folder, result.scenario, result.wire)
    if result.error is None:
        requests = f"{result.requests} request{'' if result.requests == 1 else 's'}"
        print(f"  {path}: {requests} in {result.seconds:.1f} s")
    else:
        print(f"  {path}: not recorded\n    {harmless(result.error)}")


def harmless(error: str) -> str:
    """What went wrong, on one line or more, without a key in it."""
    from harness.secrets import Redactor

    lines = visible(Redactor().redact_text(error)).strip().splitlines()
    return "\n    ".join(lines[-12:])


def _replayed(
    results: Sequence[CaseResult],
    paths: Sequence[Path],
    target: str,
    recording: Recording,
    sealing: Sealing,
    out: Path | None,
    transport: str,
) -> int:
    return run(
        RunOptions(
            paths=paths,
            wires=cast(Sequence[WireName], sorted({result.wire for result in results})),
            target=target,
            judging=judging(),
            expression=" or ".join(result.id for result in results),
            jobs=1,
            seed=0,
            out=out,
            sources=Cassettes(recording.folder, patterns=recording.patterns),
            sealing=sealing,
            transport=transport,
        )
    )

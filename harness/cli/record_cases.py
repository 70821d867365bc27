"""The work of ``harness record``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from harness.runner.sources import Cassettes, Recording, Sources, cassette_of
from harness.scenario import load
from harness.sealing.allowed import Sealing
from harness.wire import WireName


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """The options of ``harness record``.

    ``sealing`` says whether the loop is sealed off, ``out`` where the results of the replay go (None: a new folder),
    and ``transport`` is the channel on which the loop asks, empty for HTTP. A refresh takes only cassettes older than
    ``max_age`` days, or all if it is None.
    """

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    recording: Recording
    sealing: Sealing
    out: Path | None
    transport: str
    max_age: int | None


def record(options: RecordOptions) -> int:
    """Run the scenarios against models and record the answers; then replay the recording, and judge the replay.

    The endpoint refuses nothing while it records: the model's server decides whether a request is wrong. The recording
    run leaves no trace, because its content is only kept without secrets. Returns the exit code of the replay, or 3 if
    something could not be recorded. Raises ``BadInput``.
    """
    target, recording = options.target, options.recording
    if options.transport and recording.scripted:
        raise BadInput(f"--transport {options.transport}: --scripted records over HTTP; leave one of them out")
    planned = planned_for(options, recording)
    print(f"recording {visible(gated(target))}: {len(planned)} case{'' if len(planned) == 1 else 's'}")
    results = recorded(planned, target, recording, partial(_print_result, folder=recording.folder), options.sealing)
    kept = [result for result in results if result.verdict != "error"]
    if not kept:
        return 3
    print("replaying what was recorded")
    code = _replay_cases(kept, options)
    return max(code, 0 if len(kept) == len(results) else 3)


def planned_for(options: RecordOptions, sources: Sources) -> list[PlannedCase]:
    """The cases, with answers from ``sources``. Raises ``BadInput`` if a model cannot be asked."""
    from harness.cassette.upstream import upstream_of

    for wire in () if options.recording.scripted else options.wires:
        upstream_of(wire, options.recording.upstream, os.environ)
    note_open(options.target, options.recording, options.sealing)
    scenarios = load(options.paths)
    return plan_for(options.target, scenarios, wires=options.wires, sources=sources, transport=options.transport)


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
    """Keep nothing of a recorded case but its cassette."""


def _print_result(result: CaseResult, folder: Path) -> None:
    path = cassette_of(folder, result.scenario, result.wire)
    if result.error is None:
        requests = f"{result.requests} request{'' if result.requests == 1 else 's'}"
        print(f"  {path}: {requests} in {result.seconds:.1f} s")
    else:
        print(f"  {path}: not recorded\n    {harmless(result.error)}")


def harmless(error: str) -> str:
    """The text of an error, on one line or more, without a key in it."""
    from harness.secrets.redactor import Redactor

    lines = visible(Redactor().redact_text(error)).strip().splitlines()
    return "\n    ".join(lines[-12:])


def _replay_cases(results: Sequence[CaseResult], options: RecordOptions) -> int:
    return run(
        RunOptions(
            paths=options.paths,
            wires=cast(Sequence[WireName], sorted({result.wire for result in results})),
            target=options.target,
            judging=judging(),
            expression=" or ".join(result.id for result in results),
            jobs=1,
            seed=0,
            out=options.out,
            sources=Cassettes(options.recording.folder, patterns=options.recording.patterns),
            sealing=options.sealing,
            transport=options.transport,
        )
    )

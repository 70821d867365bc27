"""What a run is asked for: by ``harness run``, and by the commands that run cases, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.baseline.model import Baseline
from harness.runner.distributed.cluster import Cluster
from harness.runner.judging import Judging
from harness.runner.shards import Shard
from harness.runner.sources import SCRIPTED, Sources
from harness.sealing.allowed import Sealing
from harness.wire import WireName


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``harness run``, and of the commands that run cases, too.

    Empty ``paths`` mean all shipped scenarios. ``jobs`` None means as many processes as are worth their start, ``out``
    None a new folder under ``reports/``, ``cluster`` None this machine, ``shard`` None all cases. ``suites`` are names
    as ``--suite`` takes them; none means all suites if there are ``paths``, else the usual suites of the target.
    ``deadline`` is how many seconds a case may take; 0 means the target's own deadline, or else the usual one.
    ``as_provider``: the target connects to the providers' own hosts. ``last_failed``: only the cases that did not pass
    in the last run; ``failed_first``: these first. ``fail_fast`` ends the run after the first case that does not pass.
    ``config`` is the file that has set defaults of options. ``sealing``: whether the target's loops are sealed off.
    ``resume`` is the folder of an interrupted run to continue, ``against`` the folder of a run to compare with.
    ``server`` is the server that the endpoint plays, empty for the provider itself; ``dialects`` are the dialects in
    which the cases are streamed. ``otlp`` is a file or an address to which the cases are also written as spans.
    ``transport`` is the channel on which cases are asked, empty for the target's choice.
    """

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    judging: Judging
    expression: str
    jobs: int | None
    seed: int
    out: Path | None
    sources: Sources = SCRIPTED
    baseline: Baseline | None = None
    cluster: Cluster | None = None
    shard: Shard | None = None
    suites: Sequence[str] = ()
    deadline: float = 0.0
    as_provider: bool = False
    last_failed: bool = False
    failed_first: bool = False
    fail_fast: bool = False
    verbosity: int = 0
    max_findings: int | None = None
    config: Path | None = None
    sealing: Sealing = "possible"
    resume: Path | None = None
    against: Path | None = None
    server: str = ""
    dialects: Sequence[str] = ()
    otlp: str = ""
    transport: str = ""

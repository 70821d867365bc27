"""Runs scenarios from Python: one call loads, plans, runs (in this process) and judges them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from harness.endpoint import Endpoints
from harness.runner.cases import CaseWork
from harness.runner.execute import DEADLINE, Finished
from harness.runner.executor import InProcess
from harness.runner.judging import Judging, everything
from harness.runner.opening import open_target, plan_for
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.runner.sources import SCRIPTED, Sources
from harness.scenario import load
from harness.targets import CaseRun, Declaration, Target
from harness.targets.function import FunctionTarget
from harness.wire import WireName

Loop = Callable[[CaseRun], object | Awaitable[object]]
"""A loop in Python: it gets a case, runs it, and returns the answer to the user. It may be async."""


def run_scenarios(
    paths: Sequence[Path | str],
    target: str | Loop = "reference",
    *,
    wires: Sequence[WireName] = (),
    expression: str = "",
    sources: Sources = SCRIPTED,
    judging: Judging | None = None,
    seed: int = 0,
    deadline: float = DEADLINE,
) -> list[Finished]:
    """Run every case of the scenarios in files and folders, one after another; the results are in that order.

    ``target`` is a value of ``--target``, or the loop itself. ``wires`` and ``expression`` select cases like ``--wire``
    and ``-k``; empty ones select all. ``deadline`` is in seconds per case. The loop runs in this process, so it may
    reach other hosts, and nothing is written to disk. Do not call it inside a running event loop.

    Raises ``BadInput`` for scenarios, targets and selections that cannot be used. A case that fails raises nothing:
    its verdict and its findings are in ``Finished.result``.
    """
    scenarios = load([Path(path) for path in paths])
    if callable(target):
        opened: Callable[[Endpoints], Target] = partial(_function, target)
        planned = plan(
            scenarios, target=opened(Endpoints()), wires=wires, expression=expression, seed=seed, sources=sources
        )
    else:
        opened = partial(open_target, target)
        planned = plan_for(target, scenarios, wires=wires, expression=expression, seed=seed, sources=sources)
    finished: list[Finished] = []
    work = CaseWork(opened, finished.append, judging or everything(), deadline, sources)
    InProcess(work).run(planned, _ignore_result)
    return finished


def _function(loop: Loop, endpoints: Endpoints) -> Target:  # noqa: ARG001 - it finds the endpoint by its URL
    name = getattr(loop, "__qualname__", type(loop).__qualname__)
    return FunctionTarget(name, f"{loop.__module__}:{name}", Declaration(wires_declared=False), function=loop)


def _ignore_result(result: CaseResult) -> None:
    """Do nothing: the result is kept with its trace."""

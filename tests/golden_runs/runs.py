"""The runs of the reference loop of which the golden files are made."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache

from harness.endpoint import Endpoints
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.scenario import Scenario, shipped
from harness.targets import Target
from harness.trace import Trace
from harness.wire import OWN_WIRES, WIRES, WireName

ONE_RULE = judging(["order/one-end"])
"""The rules judge elsewhere; here they would take a quarter of the time."""

FILES = [
    path.relative_to(shipped()).as_posix()
    for path in sorted(shipped().rglob("*.yaml"))
    if path.parent.name not in ("coding_agent", "websocket")
]
"""By their names, so that collecting the tests reads none of them.

The reference loop has no tools of a coding agent. Scenarios about WebSockets need a server, and how the connections of
one client follow each other is a matter of time; that both transports have the same events is tested elsewhere.
"""

ON_REQUEST = tuple(name for name in OWN_WIRES if name not in WIRES)
"""The wires that a run has cases on where somebody names them: their runs are in files of their own."""


@cache
def opened(name: str) -> tuple[Endpoints, Target]:
    endpoints = Endpoints()
    return endpoints, open_target(name, endpoints)


def runs(
    scenario: Scenario, loop: str = "reference", seed: int = 0, wires: Sequence[WireName] = ()
) -> dict[str, Trace]:
    """The scenario on each of ``wires``, in the first of its ways to cut the stream; none: on the usual ones."""
    endpoints, target = opened(loop)
    first: dict[str, PlannedCase] = {}
    for item in plan([scenario], target=target, seed=seed, wires=wires):
        first.setdefault(item.case.wire, item)
    planned = [*first.values()]
    finished = asyncio.run(execute(planned, target, endpoints, "http://harness", jobs=1, judging=ONE_RULE))
    return dict(zip(first, (each.trace for each in finished), strict=True))

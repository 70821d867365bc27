"""The judge that users have: ``harness run`` on the shipped scenarios, stopped at the first case that does not pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness_lab.mutation.judging import Done, Fault

if TYPE_CHECKING:
    from harness.endpoint import Endpoints
    from harness.runner.plan import PlannedCase
    from harness.runner.results import CaseResult
    from harness.scenario import Scenario
    from harness.targets import Target
    from harness.wire import WireName

_BY_POLICY = ("reference:pydantic-ai", "reference:hugind", "reference:tool-runner")
_OVER = "+websocket"
TARGETS = ("reference", "wire-only", *_BY_POLICY, f"reference{_OVER}")
"""The loops that ``harness.loop`` is run as: on the official SDKs; without any; by the policies that ``reference`` does
not use (tools in parallel, a required answer at the limit, a run that stops there); and with ``--transport
websocket`` on the scenarios about that, or about broken streams."""

_SUITE_BY_POLICY = "situations"
"""The scenarios for these policies: callers' behaviour, which ``reference`` shows by one policy only."""

_BROKEN = "robustness"
"""The suite that is also judged on WebSockets."""

_BELOW = ("openai", "anthropic", "google.genai", "httpx2", "PIL.Image", "harness.rules", "harness.endpoint.transport")
"""Imported before the loop: SDKs, and the layers that may not import the loop (docs/architecture.md)."""

_DEADLINE = 20.0
"""Seconds for a case that takes milliseconds."""


class Cases:
    """Items are ``TARGET CASE``."""

    command = "harness run --fail-fast"

    def __init__(self) -> None:
        self._scenarios: Sequence[Scenario] = ()
        self._plans: dict[str, dict[str, PlannedCase]] = {}

    def preload(self) -> None:
        """Import the SDKs and the layers below the loop, and read the scenarios."""
        for name in _BELOW:
            import_module(name)
        from harness.scenario import load, shipped
        from harness.wire import WIRES, wire

        for name in WIRES:
            wire(name)
        self._scenarios = load([shipped()])

    def items(self) -> Sequence[str]:
        """One case of each scenario on each loop, then another, and so on; a hash chooses. Loops on SDKs are first."""
        rounds = [_rounds(self._planned(target)) for target in TARGETS]
        every = [
            (number, loop, f"{target} {case}")
            for loop, (target, cases) in enumerate(zip(TARGETS, rounds, strict=True))
            for case, number in cases.items()
        ]
        return [item for _, _, item in sorted(every, key=lambda each: each[:2])]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """Each case once, on the first of the loops that run the line, since the code around it is the same in both.
        Other policies are other code, so each of them is added."""
        by_case: dict[tuple[str, str], str] = {}
        for item in items:
            target, _, case = item.partition(" ")
            by_case.setdefault((target if target in _BY_POLICY else "", case), item)
        return list(by_case.values())

    def about(self, module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them."""
        return self.items()

    def run(self, items: Sequence[str], done: Done) -> None:
        """Run the cases in this process as the command does with ``-j 1``."""
        from harness.runner.cases import CaseWork
        from harness.runner.executor import InProcess

        pairs = [(target, case) for target, _, case in (item.partition(" ") for item in items)]
        for target, group in groupby(pairs, key=lambda pair: pair[0]):
            planned = [self._planned(target)[case] for _, case in group]

            def on_finished(result: CaseResult, target: str = target) -> None:
                done(f"{target} {result.id}", _fault(result))

            opening = partial(_opened, target.removesuffix(_OVER), {item.case.wire for item in planned})
            work = CaseWork(opening, _keep_nothing, deadline=_DEADLINE)
            InProcess(work).run(planned, on_finished)

    def _planned(self, target: str) -> dict[str, PlannedCase]:
        """The cases of a loop by their ids. Planned once, because the items change the loop many times."""
        if target not in self._plans:
            self._plans[target] = self._plan(target)
        return self._plans[target]

    def _plan(self, target: str) -> dict[str, PlannedCase]:
        from harness.runner.opening import examined, matrix_for
        from harness.scenario import suite_of

        suite, over = _SUITE_BY_POLICY if target in _BY_POLICY else None, _transport(target)
        name = target.removesuffix(_OVER)
        scenarios = [each for each in self._scenarios if not over or over == each.transport or each.suite == _BROKEN]
        planned = [item for item in matrix_for(examined(name), name, scenarios, transport=over) if not item.skip]
        wanted = [item for item in planned if suite in (None, suite_of(item.scenario, item.case.wire))]
        return {item.case.id: item for item in wanted}


def _opened(name: str, wires: Set[WireName], endpoints: Endpoints) -> Target:
    """The target. Raises ``HarnessError`` if it does not speak one of the wires. The command would plan no case then,
    but here the cases are planned beforehand."""
    from harness.runner.opening import open_target

    target = open_target(name, endpoints)
    if lost := wires - target.declaration.wires:
        raise HarnessError(f"{name} has no cases on {', '.join(sorted(lost))}")
    return target


def _transport(target: str) -> str:
    return _OVER.removeprefix("+") if target.endswith(_OVER) else ""


def _rounds(planned: Iterable[str]) -> dict[str, int]:
    """The number of each case in its scenario, from 1, in an order that a hash chooses."""
    turns: dict[str, int] = {}
    rounds = {}
    for case in sorted(planned, key=lambda case: sha256(case.encode()).digest()):
        scenario = case.partition(".")[0]
        rounds[case] = turns[scenario] = turns.get(scenario, 0) + 1
    return rounds


def _fault(result: CaseResult) -> Fault | None:
    if result.error is not None:
        return "error", result.error.strip().splitlines()[-1]
    rules = dict.fromkeys(finding.id for finding in result.unexpected)
    return ("finding", ", ".join(rules)) if result.verdict == "fail" else None


def _keep_nothing(_: object) -> None:
    return None

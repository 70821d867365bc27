"""The cases of a test run: one target and one endpoint for all of them, and what the fixture ``harness_case`` gives."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import pytest

from harness.baseline.holding import marked
from harness.baseline.loader import chosen
from harness.baseline.model import Entry
from harness.baseline.versions import in_force, installed
from harness.gateway import Gateway
from harness.report.files import RunFolder
from harness.runner.execute import DEADLINE, Finished, execute, failed
from harness.runner.network import blocked_hosts
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase
from harness.runner.processes import GRACE
from harness.runner.results import CaseResult
from harness.scenario import Scenario
from harness.targets import Target
from harness.testing.endpoint import Endpoint
from harness.testing.evidence import reasons, told
from harness.trace import Trace

__all__ = ["Cases", "HarnessCase", "declared", "expected"]


def expected(baseline: str | None, target: str) -> tuple[Entry, ...]:
    """The entries of the baseline of ``target`` that count. ``baseline``: as ``--baseline``. Raises ``BadInput``."""
    found = chosen(baseline, target)
    return () if found is None else in_force(found, installed(target))[0]


def declared(name: str) -> Target:
    """The target with this name, to be asked what it can do and not to be run. Raises ``BadInput``."""
    target = open_target(name, Gateway())
    asyncio.run(target.close())
    return target


@dataclass(frozen=True, repr=False)
class HarnessCase:
    """One case of a scenario, and what came of it. The target runs it when that is first asked for.

    ``planned`` is the case with its scenario, ``folder`` where its trace is written.
    """

    planned: PlannedCase
    folder: Path
    _run: Callable[[PlannedCase], Finished]

    def __repr__(self) -> str:
        return f"<HarnessCase {self.id} of {self.planned.case.target}>"

    @property
    def id(self) -> str:
        """``SCENARIO.WIRE.CHUNKING``."""
        return self.planned.case.id

    @property
    def wire(self) -> str:
        return self.planned.case.wire

    @property
    def scenario(self) -> Scenario:
        return self.planned.scenario

    @property
    def result(self) -> CaseResult:
        """The verdict with its evidence."""
        return self._finished.result

    @property
    def trace(self) -> Trace:
        """What the loop asked and told."""
        return self._finished.trace

    def check(self) -> None:
        """Fail the test where the loop breaks a rule or misses an expectation.

        Where the baseline of the target expects that, the test is an expected failure (``xfail``).
        """
        __tracebackhide__ = True
        if self.result.verdict == "xfail":
            pytest.xfail("; ".join(reasons(self.result)))
        if self.result.verdict != "pass":
            pytest.fail(told(self.result, self.folder), pytrace=False)
        self._warn_of_blocked_hosts()

    def _warn_of_blocked_hosts(self) -> None:
        """Whom a loop asks beside the endpoint fails no test of its own: all tests would fail for one reason."""
        if not self.result.blocked:
            return
        allowed = declared(self.planned.opened_as or self.planned.case.target).declaration.allow_refused
        for each in blocked_hosts([self.result], allowed, skipped=False):
            if not each.allowed:
                text = f"target/network: {each.host} was asked beside the endpoint, and blocked ({each.asked[0]})"
                warnings.warn(pytest.PytestWarning(text), stacklevel=3)

    @cached_property
    def _finished(self) -> Finished:
        return self._run(self.planned)


class Cases:
    """Runs cases at ``endpoint``, one at a time, and keeps their traces below ``folder``.

    A target is opened for its first case and shared by all that follow; so is what is expected of it, by the
    ``baseline`` (a file, ``none``, or None for the target's own).
    """

    def __init__(self, endpoint: Endpoint, folder: Path, baseline: str | None = None) -> None:
        self._endpoint = endpoint
        self._files = RunFolder.create(folder)
        self._baseline = baseline
        self._targets: dict[str, Target] = {}
        self._expected: dict[str, tuple[Entry, ...]] = {}

    def case(self, planned: PlannedCase) -> HarnessCase:
        """A case that is still to be run, on the target that it names."""
        return HarnessCase(planned, self._files.path, self._run)

    def close(self) -> None:
        """Close the targets."""
        for target in self._targets.values():
            self._endpoint.run(target.close)

    def _run(self, planned: PlannedCase) -> Finished:
        name = planned.opened_as or planned.case.target
        try:
            finished = self._endpoint.run(partial(self._executed, planned, name), DEADLINE + GRACE)
        except TimeoutError:  # not even when it was cancelled: the others have a target, and a thread, of their own
            self._targets.pop(name, None)
            why = f"The case did not end within {DEADLINE:g} s and blocked its thread, which was left behind."
            return Finished(failed(planned, why), Trace(planned.case))
        self._files.write_trace(finished)
        if name not in self._expected:
            self._expected[name] = expected(self._baseline, name)
        return replace(finished, result=marked(finished.result, self._expected[name]))

    async def _executed(self, planned: PlannedCase, name: str) -> Finished:
        if name not in self._targets:
            self._targets[name] = open_target(name, self._endpoint.gateway)
        target = self._targets[name]
        url = "http://harness" if target.placement == "in-process" else await self._endpoint.served()
        (finished,) = await execute([planned], target, self._endpoint.gateway, url, deadline=DEADLINE)
        return finished

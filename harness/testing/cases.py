"""The cases of a test run, which share one target and one endpoint, and the object of the fixture ``harness_case``."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final

import pytest

from harness.baseline.holding import marked
from harness.baseline.loader import chosen
from harness.baseline.model import BaselineEntry
from harness.baseline.versions import in_force, installed
from harness.doctor import probes, unspoken
from harness.errors import BadInput
from harness.report.files import RunFolder
from harness.runner.execute import DEADLINE, LATE, Finished, execute, failed, is_hung
from harness.runner.network import blocked_hosts
from harness.runner.opening import examined, is_own, open_target
from harness.runner.plan import PlannedCase
from harness.runner.processes import GRACE
from harness.runner.results import CaseResult
from harness.runner.worker import READY
from harness.scenario import Scenario
from harness.targets import Target
from harness.targets.base import Preparing
from harness.testing.endpoint import Endpoint
from harness.testing.findings import failure_text, reasons
from harness.trace import Trace
from harness.wire import WireName

Probed = dict[str, dict[str, WireName]]
"""For each target whose wires only a probe can find out: the wires of its cases by case id. The keys open a target."""

PROBED: Final[pytest.StashKey[Probed]] = pytest.StashKey()
"""Where the collection of a session stores these cases."""


def is_probed(name: str, target: Target) -> bool:
    """Whether only a probe can find out which wires the target with this name speaks."""
    return is_own(name, target) and not target.declaration.wires_declared


def expected(baseline: str | None, target: str) -> tuple[BaselineEntry, ...]:
    """The entries of the baseline of ``target`` that count. ``baseline`` is as for ``--baseline``. Raises
    ``BadInput``."""
    found = chosen(baseline, target)
    return () if found is None else in_force(found, installed(target))[0]


@dataclass(frozen=True, repr=False)
class HarnessCase:
    """One case of a scenario, and its result. The target runs it when the result is first asked for.

    ``planned`` is the case with its scenario, ``folder`` the place of its trace.
    """

    planned: PlannedCase
    folder: Path
    _run: Callable[[PlannedCase], Finished]
    _left_out: Callable[[PlannedCase], str]

    def __repr__(self) -> str:
        return f"<HarnessCase {self.id} of {self.planned.case.target}>"

    @property
    def id(self) -> str:
        """``SCENARIO.WIRE.CHUNKING``."""
        return self.planned.case.id

    @property
    def wire(self) -> str:
        """The name of the wire, ``openai-chat`` for instance."""
        return self.planned.case.wire

    @property
    def scenario(self) -> Scenario:
        """The scenario that the case runs."""
        return self.planned.scenario

    @property
    def result(self) -> CaseResult:
        """The verdict with its findings."""
        __tracebackhide__ = True
        self.skip_if_left_out()
        return self._finished_case.result

    @property
    def trace(self) -> Trace:
        """The requests and the events of the loop."""
        __tracebackhide__ = True
        self.skip_if_left_out()
        return self._finished_case.trace

    def check(self) -> None:
        """Fail the test if the loop breaks a rule or misses an expectation.

        If the baseline of the target expects that, the test is an expected failure (``xfail``).
        """
        __tracebackhide__ = True
        if self.result.verdict == "xfail":
            pytest.xfail("; ".join(reasons(self.result)))
        if self.result.verdict != "pass":
            pytest.fail(failure_text(self.result, self.folder), pytrace=False)
        self._warn_of_blocked_hosts()

    def _warn_of_blocked_hosts(self) -> None:
        """Warn of the other hosts that a loop asks. They fail no test: all tests would fail for one reason."""
        if not self.result.blocked:
            return
        allowed = examined(self.planned.opened_as or self.planned.case.target).declaration.allow_refused
        for each in blocked_hosts([self.result], allowed, skipped=False):
            if not each.allowed:
                text = f"target/network: {each.host} was asked beside the endpoint, and blocked ({each.asked[0]})"
                warnings.warn(pytest.PytestWarning(text), stacklevel=3)

    def skip_if_left_out(self) -> None:
        """Skip the test where a probe has shown that the loop does not speak the wire of this case."""
        __tracebackhide__ = True
        if why := self._left_out(self.planned):
            pytest.skip(why)

    @cached_property
    def _finished_case(self) -> Finished:
        return self._run(self.planned)


class Cases:
    """Runs cases at ``endpoint``, one at a time, and keeps their traces below ``folder``.

    A target is opened for its first case and shared by all that follow. So are the expectations in its ``baseline`` (a
    file, ``none``, or None for the target's own). A target in ``probed`` is probed first on the wires of its cases.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        folder: Path,
        baseline: str | None = None,
        probed: Probed | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._files = RunFolder.create(folder)
        self._baseline = baseline
        self._probed: Probed = probed or {}
        self._targets: dict[str, Target] = {}
        self._expected: dict[str, tuple[BaselineEntry, ...]] = {}
        self._unspoken: dict[str, Mapping[WireName, str]] = {}
        self._unusable: dict[str, str] = {}

    def case(self, planned: PlannedCase) -> HarnessCase:
        """A case on the target that it names. It has not run yet."""
        return HarnessCase(planned, self._files.path, self._run, self._left_out)

    def close(self) -> None:
        """Close the targets."""
        for target in self._targets.values():
            self._endpoint.run(target.close)

    def _left_out(self, planned: PlannedCase) -> str:
        """Why the case is not run: the loop does not speak its wire. Empty if it is run."""
        name = _opened_as(planned)
        wires = self._probed.get(name, {})
        if planned.case.id not in wires:
            return ""
        if name not in self._unspoken:
            self._unspoken[name] = self._probe(name, list(dict.fromkeys(wires.values())))
        wire = planned.case.wire
        return f"{wire} is left out: {self._unspoken[name][wire]}" if wire in self._unspoken[name] else ""

    def _probe(self, name: str, wires: list[WireName]) -> dict[WireName, str]:
        """The wires that the target does not speak. If a probe does not end, no case of the target is run.

        A single wire is not probed: its cases themselves show whether the loop speaks it.
        """
        if len(wires) < 2:
            return {}
        try:
            planned = probes(self._target(name), wires)
        except BadInput as problem:
            self._unusable[name] = str(problem)
            return {}
        finished = []
        for each in planned:
            finished.append(self._run_to_end(each, name))
            if is_hung(finished[-1].result.findings):
                self._unusable[name] = (
                    f"the probe of {each.case.wire} did not end within {DEADLINE:g} s; end it, or say what the loop "
                    "speaks, with --harness-wire or with 'wires' in a target file"
                )
                return {}
        return unspoken(finished)

    def _run(self, planned: PlannedCase) -> Finished:
        name = _opened_as(planned)
        finished = self._run_to_end(planned, name)
        if finished.result.trace is None:
            return finished
        self._files.write_trace(finished)
        if name not in self._expected:
            self._expected[name] = expected(self._baseline, name)
        return replace(finished, result=marked(finished.result, self._expected[name]))

    def _run_to_end(self, planned: PlannedCase, name: str) -> Finished:
        """The case, run to its end; an ``error`` without a trace if the case cannot run, or its trace cannot be
        kept."""
        if name in self._unusable:
            return _not_run(planned, self._unusable[name])
        try:
            target = self._target(name)
        except BadInput as problem:
            self._unusable[name] = str(problem)
            return _not_run(planned, str(problem))
        try:
            return self._endpoint.run(partial(self._run_case, planned, target), DEADLINE + GRACE)
        except TimeoutError:  # not even when it was cancelled: the others have a target, and a thread, of their own
            self._targets.pop(name, None)
            return _not_run(planned, f"{LATE} {DEADLINE:g} s and blocked its thread, which was left behind.")

    def _target(self, name: str) -> Target:
        """The target, made ready so that no case has to wait for its imports. Raises ``BadInput`` (``prepare``)."""
        if name not in self._targets:
            target = open_target(name, self._endpoint.endpoints)
            if isinstance(target, Preparing):
                _prepare_target(name, target)
            self._targets[name] = target
        return self._targets[name]

    async def _run_case(self, planned: PlannedCase, target: Target) -> Finished:
        url = "http://harness" if target.isolation == "in-process" else await self._endpoint.served()
        (finished,) = await execute([planned], target, self._endpoint.endpoints, url, deadline=DEADLINE)
        return finished


def _opened_as(planned: PlannedCase) -> str:
    return planned.opened_as or planned.case.target


def _not_run(planned: PlannedCase, why: str) -> Finished:
    return Finished(failed(planned, why), Trace(planned.case))


def _prepare_target(name: str, target: Preparing) -> None:
    """Let the target import its loop in a thread. If the import hangs, the thread is left behind. Raises
    ``BadInput``."""
    raised: list[Exception] = []

    def work() -> None:
        try:
            target.prepare()
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            raised.append(error)

    thread = threading.Thread(target=work, daemon=True, name="import of the target")
    thread.start()
    thread.join(READY)
    if thread.is_alive():
        raise BadInput(f"--target {name}: it was not imported within {READY:g} s")
    if raised:
        raise raised[0]

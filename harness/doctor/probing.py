"""Runs the calibration cases, finds the wires that the loop speaks, and applies what was found to a run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from harness.doctor.cases import ANSWER, OTHERS, WHOLE
from harness.doctor.checks import CHECKS, checks_of, flaws
from harness.doctor.conversations import CAPABILITY_OF, check_of, conversations
from harness.doctor.ran import Flaw, Ran
from harness.errors import BadInput
from harness.runner.cases import CarriedCases, CaseWork
from harness.runner.execute import Finished, is_hung
from harness.runner.executor import InProcess
from harness.runner.findings import HUNG
from harness.runner.judging import Judging
from harness.runner.network import host_of
from harness.runner.opening import examined, open_target
from harness.runner.paths import shown
from harness.runner.plan import PlannedCase, case_of
from harness.runner.processes import Processes, cores
from harness.runner.redacting import gated
from harness.runner.results import BY_CALIBRATION, DriverFinding
from harness.runner.sealed import seals_workers
from harness.runner.sources import SCRIPTED
from harness.scenario import Scenario
from harness.sealing.allowed import Sealing
from harness.targets import Capability, Declaration, Target
from harness.targets.agui import AgUiTarget
from harness.targets.command.target import CommandTarget
from harness.targets.function import FunctionTarget, place_of
from harness.wire import WireName
from harness.wire import wire as wire_named


@dataclass(frozen=True, slots=True)
class Calibration:
    """What calibration has found.

    ``wires`` are the wires that the loop speaks, ``tested`` the wires on which all cases were run; ``left_out`` has the
    reasons why no case is run on other wires. ``passed`` are the checks that found nothing, with their wires.
    ``lacking`` are, by wire, capabilities that the loop lacks without having declared so. ``declared`` is the target's
    own declaration. ``dies``: the program ended in every probe before it sent a request.
    """

    target: str
    place: str
    wires: tuple[WireName, ...]
    tested: tuple[WireName, ...] = ()
    left_out: Mapping[WireName, str] = field(default_factory=dict)
    findings: tuple[DriverFinding, ...] = ()
    passed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lacking: Mapping[WireName, frozenset[Capability]] = field(default_factory=dict)
    declared: Declaration = field(default_factory=Declaration)
    dies: bool = False

    @property
    def fatal(self) -> tuple[DriverFinding, ...]:
        """Findings after which no case can be judged."""
        dead = ("driver/protocol", "driver/request") if self.dies else ("driver/protocol",)
        return tuple(each for each in self.findings if each.rule in dead)

    @property
    def judged_on(self) -> tuple[WireName, ...]:
        """The wires on which the faults of the driver are known."""
        found = (wire for finding in self.findings for wire in finding.wires)
        return tuple(dict.fromkeys((*self.tested, *found)))

    @property
    def excluded(self) -> frozenset[str]:
        """The rules and expectations that are not judged."""
        return frozenset(rule for finding in self.findings for rule in finding.excluded)

    def judging(self, judging: Judging) -> Judging:
        """The same without what depends on a part of the driver that is wrong."""
        return replace(judging, excluded=judging.excluded | self.excluded)

    def planned(self, planned: Sequence[PlannedCase]) -> list[PlannedCase]:
        """The cases, with those skipped that the loop was found not to be able to run."""
        return [item if item.skip else replace(self._as_found(item), skip=self._skip(item)) for item in planned]

    def _as_found(self, item: PlannedCase) -> PlannedCase:
        """The case, whose loop is not judged by what it was found not to be able to do."""
        promised, lacking = item.case.capabilities, self._lacking(item.case.wire)
        if promised is None or lacking.isdisjoint(promised):
            return item
        return replace(
            item, case=replace(item.case, capabilities=tuple(each for each in promised if each not in lacking))
        )

    def _skip(self, item: PlannedCase) -> str:
        wire = item.case.wire
        if wire in self.left_out:
            return f"{wire} is left out: {self.left_out[wire]}"
        able = self.declared.capabilities - self._lacking(wire)
        lacks = replace(self.declared, capabilities=able).lacks(item.scenario, wire)
        check = next((check for check, each in CAPABILITY_OF.items() if f"`{each}`" in lacks), "driver/stream")
        needs, _, _ = lacks.partition("; declare `")  # it has declared that, or nothing
        return f"{needs} ({BY_CALIBRATION}: {check})" if lacks else ""

    def _lacking(self, wire: WireName) -> frozenset[Capability]:
        """Of a wire on which it was not tested, as on those on which it was: it is one driver."""
        if wire in self.tested:
            return self.lacking.get(wire, frozenset())
        return frozenset(each for lacking in self.lacking.values() for each in lacking)


def calibrate(
    name: str,
    wires: Sequence[WireName],
    *,
    probe: bool,
    deadline: float,
    as_provider: Path | None = None,
    sealing: Sealing = "possible",
    target: Target | None = None,
    transport: str = "",
) -> Calibration:
    """Run the calibration cases of the target with this name, on ``wires``; each case may take ``deadline`` seconds.

    ``target`` is the target with this name if it is already opened, as by ``examined``.
    ``probe``: the loop's wires are unknown, and wires that it does not speak are left out. Raises ``BadInput`` if a
    case does not end, if the loop cannot be imported, and if it speaks none of the wires but another one.
    ``as_provider`` and ``sealing`` are as in ``CaseWork``; ``transport`` is the transport of the cases.
    """
    driver = _Driver(name, target or examined(name), deadline, as_provider, sealing, transport)
    ran = driver.run_all(wires, probe=probe)
    answers = [each for each in ran if each.scenario is ANSWER]
    spoken = tuple(wire for wire in wires if any(each.spoken for each in answers if each.wire == wire))
    left_out = _left_out(answers) if probe and spoken else {}
    if probe and not spoken and any(each.asked for each in answers):
        asked = next(each.asked_wire for each in answers if each.asked)
        raise BadInput(
            f"no case is left: the loop asks {asked}, and what is selected are cases of {', '.join(wires)}; select its "
            "wire with --wire, or relax -k"
        )
    counted = [each for each in ran if each.wire not in left_out]
    return _calibration(driver, spoken, left_out, counted)


def probes(target: Target, wires: Sequence[WireName]) -> list[PlannedCase]:
    """The cases that show which of ``wires`` the loop speaks, for callers that need no calibration."""
    return _planned_cases(target, [(ANSWER, wire) for wire in wires])


def unspoken(finished: Sequence[Finished]) -> dict[WireName, str]:
    """The wires that the loop does not speak, with the reason, given its probes (``probes``).

    None where it speaks no wire at all: then it is the loop, or its driver, that is wrong.
    """
    ran = [Ran(ANSWER, each) for each in finished]
    return _left_out(ran) if any(each.spoken for each in ran) else {}


def _planned_cases(
    target: Target, cases: Sequence[tuple[Scenario, WireName]], transport: str = ""
) -> list[PlannedCase]:
    declines = tuple(sorted(target.declaration.declines))
    planned = [
        PlannedCase(case_of(scenario, wire, "event", target=target.name, declines=declines), scenario)
        for scenario, wire in cases
    ]
    has = {item.case.wire for item in planned if transport in wire_named(item.case.wire).channels}
    return [
        replace(item, case=replace(item.case, transport=transport)) if item.case.wire in has else item
        for item in planned
    ]


@dataclass(frozen=True, slots=True)
class _Driver:
    """The target whose driver is tested."""

    name: str
    target: Target
    deadline: float
    as_provider: Path | None = None
    sealing: Sealing = "possible"
    transport: str = ""

    @property
    def place(self) -> str:
        """The place of the code to correct."""
        match self.target:
            case FunctionTarget():
                file, separator, line = place_of(self.target.address, self.target.directory).rpartition(":")
                return f"{shown(Path(file))}{separator}{line}" if file else line
            case CommandTarget() | AgUiTarget():
                return shlex.join(self.target.command)
        return self.name

    def run_all(self, wires: Sequence[WireName], *, probe: bool) -> list[Ran]:
        """Run all cases on every wire; where each case starts a process, on the first spoken wire only."""
        declared = self.target.declaration.capabilities
        only_streams = bool(self.transport or self.target.declaration.transport) or "non-streaming" not in declared
        others = [each for each in OTHERS if each is not WHOLE or not only_streams]
        others += conversations(declared)
        if self.target.isolation != "command" or self._is_persistent:
            return self._run([(each, wire) for each in (ANSWER, *others) for wire in wires])
        answers = self._run([(ANSWER, wire) for wire in (wires if probe else wires[:1])])
        spoken = [each.wire for each in answers if each.spoken][:1]
        return [*answers, *self._run([(each, wire) for wire in wires if wire in spoken for each in others])]

    def _run(self, cases: Sequence[tuple[Scenario, WireName]]) -> list[Ran]:
        planned = _planned_cases(self.target, cases, self.transport or self.target.declaration.transport)
        work = CarriedCases(
            CaseWork(
                partial(open_target, self.name),
                _keep_nothing,
                deadline=self.deadline,
                as_provider=self.as_provider,
                sealing=self.sealing,
                sealed=seals_workers(self.target, SCRIPTED, self.sealing),
            )
        )
        finished: dict[str, Finished] = {}
        by_id = {item.case.id: item.scenario for item in planned}

        def ended(each: Finished) -> None:
            if is_hung(each.result.findings) and not check_of(by_id[each.result.id]):
                raise BadInput(self._hangs(each))
            finished[each.result.id] = each

        if self.target.isolation == "command":
            late: list[Finished] = []
            InProcess(work, 1 if self._is_persistent else cores()).run(planned, late.append)
            for each in late:
                ended(each)
        else:
            Processes(work, 1).run(planned, ended)
        return [Ran(item.scenario, finished[item.case.id]) for item in planned]

    @property
    def _is_persistent(self) -> bool:
        """Whether a second process costs another start, which may take longer than all of these cases."""
        return isinstance(self.target, CommandTarget | AgUiTarget) and self.target.persistent

    def _hangs(self, finished: Finished) -> str:
        hung = next(each for each in finished.result.findings if each.rule == HUNG)
        output = " ".join(hung.detail.partition("\n")[2].split())
        asked = "after its request" if finished.trace.exchanges else "before any request"
        words = output if len(output) <= _SHOWN else f"... {output[-_SHOWN:]}"
        return (
            f"your adapter ({self.place}): the probe {finished.result.id} did not end within {self.deadline:g} s, and "
            f"waited {asked}; end it, say with 'wires' or --wire what the loop speaks, or raise --timeout. "
            f"It said: {words or 'nothing'}"
        )


_SHOWN = 500
"""Characters of what a program said that a message shows."""


def _keep_nothing(finished: Finished) -> None:
    """Traces of calibration are looked at and not kept."""


def _left_out(answers: Sequence[Ran]) -> dict[WireName, str]:
    """Why wires are left out: by what the loop did when it was probed there."""
    reasons: dict[WireName, str] = {}
    for each in answers:
        if not each.spoken:
            reason = each.failure.message if each.failure is not None else each.error
            ended = f" and ended with {_first_line(reason)}" if reason else ""
            if hosts := [host for host in map(host_of, each.finished.result.blocked) if host not in ended]:
                ended += f"; it tried to reach {hosts[0]}, which is blocked"
            reasons[each.wire] = (
                f"the loop asks {each.asked_wire}" if each.asked else f"the loop sent no request{ended}"
            )
    return reasons


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _calibration(
    driver: _Driver, spoken: tuple[WireName, ...], left_out: Mapping[WireName, str], ran: Sequence[Ran]
) -> Calibration:
    declared = driver.target.declaration.capabilities
    found: dict[str, list[tuple[Ran, Flaw]]] = {}
    made: dict[str, list[str]] = {}
    for each in ran:
        for check in checks_of(each):
            made.setdefault(check, []).append(each.wire)
        for flaw in flaws(each):
            if flaw.check == "driver/stream" and each.scenario.stream and "streaming" not in declared:
                continue  # it has said so
            found.setdefault(flaw.check, []).append((each, flaw))
    lacking = _lacking(found)
    findings = [_finding(id, found[id], driver.place) for id in CHECKS if id in found]
    if any(not (declared - some) & {"streaming", "non-streaming"} for some in lacking.values()):
        states = CHECKS["driver/stream"].states
        findings = [
            replace(each, level="MUST", states=states) if each.rule == "driver/stream" else each for each in findings
        ]
    passed = {id: tuple(dict.fromkeys(made[id])) for id in CHECKS if id in made and id not in found}
    tested = tuple(wire for wire in spoken if any(each.wire == wire and each.scenario is not ANSWER for each in ran))
    calibration = Calibration(driver.name, driver.place, spoken, tested, left_out, tuple(findings), passed, lacking)
    dies = isinstance(driver.target, CommandTarget) and bool(ran) and all(map(_has_died, ran))
    return replace(gated(calibration), declared=driver.target.declaration, dies=dies)


def _has_died(ran: Ran) -> bool:
    """Whether the program has ended before it asked anybody, and no event says why: it cannot start."""
    exited = ran.failure is not None and ran.failure.message.startswith(("exit code ", "ended by "))
    return exited and not ran.asked and not ran.finished.result.blocked


def _lacking(found: Mapping[str, Sequence[tuple[Ran, Flaw]]]) -> dict[WireName, frozenset[Capability]]:
    """By wire what a loop cannot do: it has not asked as the case says, or does not do what it has declared."""
    lacking: dict[WireName, frozenset[Capability]] = {}
    for check, flawed in found.items():
        for each, flaw in flawed:
            stream: Capability = "streaming" if each.scenario.stream else "non-streaming"
            lost = CAPABILITY_OF.get(check) if flaw.level == "MUST" else None
            needed = stream if check == "driver/stream" else lost
            if needed is not None:
                lacking[each.wire] = lacking.get(each.wire, frozenset()) | {needed}
    return lacking


def _finding(id: str, found: Sequence[tuple[Ran, Flaw]], place: str) -> DriverFinding:
    """What is shown is the worst of it; a finding that no verdict depends on excludes nothing."""
    check, worst = CHECKS[id], sorted((flaw for _, flaw in found), key=lambda flaw: flaw.level == "INFO")[0]
    return DriverFinding(
        rule=id,
        level=worst.level,
        states=worst.states or check.states,
        wires=tuple(dict.fromkeys(each.wire for each, _ in found)),
        expected=worst.expected,
        got=worst.got,
        place=place,
        remedy=check.remedy,
        excluded=check.excluded if worst.level == "MUST" else (),
    )

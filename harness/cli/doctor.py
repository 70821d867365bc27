"""``harness doctor``: tests the driver of a target, and says what to change in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.cli.sealed import note_open
from harness.doctor import CHECKS, Calibration, calibrate
from harness.errors import BadInput
from harness.report.json_output import DoctorReport, PassedCheck, as_json
from harness.report.terminal import Terminal, visible
from harness.runner.opening import examined
from harness.runner.sources import SCRIPTED
from harness.sealing.allowed import Sealing
from harness.wire import NATIVE_WIRES, WireName
from harness.wire import wire as wire_named


def doctor(
    target: str,
    wires: Sequence[WireName],
    deadline: float,
    *,
    format: str = "terminal",
    sealing: Sealing = "possible",
) -> int:
    """Print every check with what came of it. Returns 0, or 1 where the driver is wrong.

    ``wires`` empty means those that the target declares; where it declares none, all four, and those that the loop does
    not speak are left out. ``format``: ``terminal``, or ``json`` (``report.json_output.DoctorReport``).
    ``sealing`` says whether the loop is sealed off.

    Raises ``BadInput`` like ``calibrate``, and for a wire that the target does not declare.
    """
    opened = examined(target)
    declared = opened.declaration
    asked = _wires(target, wires, declared.wires)
    note_open(target, SCRIPTED, sealing)
    probe = not wires and not declared.wires_declared
    calibration = calibrate(target, asked, probe=probe, deadline=deadline, sealing=sealing, target=opened)
    problems = sum(finding.level == "MUST" for finding in calibration.findings)
    if format == "json":
        print(as_json(_report(calibration, problems)))
        return 1 if problems else 0
    for line in _passed(calibration):
        print(visible(line))
    Terminal().calibrated(calibration.left_out, calibration.findings)
    print(f"{problems or 'no'} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


def _report(calibration: Calibration, problems: int) -> DoctorReport:
    return DoctorReport(
        calibration.target,
        calibration.place,
        tuple(PassedCheck(id, CHECKS[id].states, wires) for id, wires in calibration.passed.items()),
        {str(wire): why for wire, why in calibration.left_out.items()},
        calibration.findings,
        problems,
        "fail" if problems else "pass",
    )


def _wires(target: str, wires: Sequence[WireName], declared: frozenset[WireName]) -> tuple[WireName, ...]:
    if unknown := [wire for wire in wires if wire not in declared]:
        raise BadInput(f"--wire {unknown[0]}: {target} declares {', '.join(sorted(declared))}; choose one of these")
    known = (*NATIVE_WIRES, *sorted(declared - set(NATIVE_WIRES)))
    usual = [name for name in declared if not wire_named(name).on_request] or declared
    return tuple(wire for wire in known if wire in (wires or usual))


def _passed(calibration: Calibration) -> Iterator[str]:
    yield f"adapter of {calibration.target}: {calibration.place}"
    for id, wires in calibration.passed.items():
        yield f"  ok  {id:16}  {CHECKS[id].states} ({', '.join(wires)})"

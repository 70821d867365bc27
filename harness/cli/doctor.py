"""``harness doctor``: tests the driver of a target, and says what to change in it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.doctor import Calibration
    from harness.report.json_output import DoctorReport
    from harness.wire import WireName


def options(command: Parser) -> None:
    """Which driver, and on which wires."""
    command.set_defaults(work=work)
    common.target_name(command)
    common.wires(command)
    common.timeout(command)
    common.isolate(command)
    common.format_option(command)


COMMAND: Final = Command(
    "Check a loop",
    "test the driver that connects your loop with the harness, and report what to change",
    options,
    "harness doctor my_package.agent:run",
)


def work(options: argparse.Namespace) -> int:
    """Print every check with its result. Returns 0, or 1 if the driver is wrong.

    No ``wires`` means the wires that the target declares. If it declares none, all four are tried, and those that the
    loop does not speak are left out. JSON is ``report.json_output.DoctorReport``.

    Raises ``BadInput`` like ``calibrate``, and for a wire that the target does not declare.
    """
    from harness.cli.sealed import note_open
    from harness.doctor import calibrate
    from harness.report.json_output import as_json
    from harness.report.terminal import Terminal, visible
    from harness.runner.execute import DEADLINE
    from harness.runner.opening import examined
    from harness.runner.sources import SCRIPTED

    opened = examined(options.target)
    declared = opened.declaration
    asked = _wires(options.target, options.wires, declared.wires)
    note_open(options.target, SCRIPTED, options.sealing)
    calibration = calibrate(
        options.target,
        asked,
        probe=not options.wires and not declared.wires_declared,
        deadline=options.deadline or DEADLINE,
        sealing=options.sealing,
        target=opened,
    )
    problems = sum(finding.level == "MUST" for finding in calibration.findings)
    if options.format == "json":
        print(as_json(_report(calibration, problems)))
        return 1 if problems else 0
    for line in _passed_lines(calibration):
        print(visible(line))
    Terminal().calibrated(calibration.left_out, calibration.findings)
    print(f"{problems or 'no'} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


def _report(calibration: Calibration, problems: int) -> DoctorReport:
    from harness.doctor import CHECKS
    from harness.report.json_output import DoctorReport, PassedCheck

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
    from harness.wire import NATIVE_WIRES
    from harness.wire import wire as wire_named

    if unknown := [wire for wire in wires if wire not in declared]:
        raise BadInput(f"--wire {unknown[0]}: {target} declares {', '.join(sorted(declared))}; choose one of these")
    known = (*NATIVE_WIRES, *sorted(declared - set(NATIVE_WIRES)))
    usual = [name for name in declared if not wire_named(name).on_request] or declared
    return tuple(wire for wire in known if wire in (wires or usual))


def _passed_lines(calibration: Calibration) -> Iterator[str]:
    from harness.doctor import CHECKS

    yield f"adapter of {calibration.target}: {calibration.place}"
    for id, wires in calibration.passed.items():
        yield f"  ok  {id:16}  {CHECKS[id].states} ({', '.join(wires)})"

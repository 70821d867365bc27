"""The command ``harness``: its options are read, its work is done, and errors are reported.

Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the machine or of the harness itself, 128 plus the
number of the signal that has interrupted it (130 Ctrl-C, 143 SIGTERM, 129 SIGHUP). A reader that leaves (``| head -1``)
ends the output and not the work: the exit code is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from harness.cli.command import Work
from harness.cli.command_line import parsed
from harness.cli.interruption import Interruption, handled
from harness.cli.output import Output, forgiving
from harness.errors import BadInput, Breakdown, unwrapped
from harness.ground.collecting import collect_seldom
from harness.ground.disk import problem

_BAD_INPUT, _BROKEN = 2, 3

_INTERRUPTED = 130
"""Marks a command that was interrupted. The exit code of the actual signal replaces it."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the command ``harness``. ``arguments`` default to the arguments of the process."""
    collect_seldom()
    with handled() as interruption, forgiving() as output:
        code = _run(arguments, interruption, output)
    sys.exit(code)


def _run(arguments: Sequence[str] | None, interruption: Interruption, output: Output) -> int:
    try:
        options = parsed(arguments)  # reads the configuration of the project, too
        work: Work = options.work
        code = work(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - each has a line for the user, whatever it is
        code = _report_error(unwrapped(error))
    if (unwritten := output.failed()) is not None:
        _say(*_in_words(unwritten))
        return _BROKEN
    return interruption.code if code == _INTERRUPTED else code


def _report_error(error: Exception) -> int:
    """Say what went wrong. Returns the exit code."""
    match error:
        case BadInput():
            _say(*error.problems)
            return _BAD_INPUT
        case Breakdown():
            _say(*error.problems)
        case OSError():
            _say(*_in_words(error))
        case _:
            _say(_traceback_note(error))
    return _BROKEN


def _say(*problems: str) -> None:
    from harness.report.visible import visible
    from harness.runner.redacting import gated

    for each in problems:
        print(f"error: {visible(gated(each))}", file=sys.stderr)


def _in_words(error: OSError) -> Sequence[str]:
    return problem(error, str(error.filename or "the system refuses what is needed to go on")).problems


def _traceback_note(error: Exception) -> str:
    """What went wrong, and the file that has its traceback."""
    import traceback
    from tempfile import NamedTemporaryFile

    what = f"an error of the harness itself: {type(error).__name__}: {error}".splitlines()[0]
    try:
        with NamedTemporaryFile("w", prefix="harness-error-", suffix=".txt", delete=False, errors="replace") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return what
    return f"{what}; {file.name} has the traceback, please report it"

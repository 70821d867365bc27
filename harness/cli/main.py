"""The command ``harness``: its options are read, its work is done, and errors are reported.

Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself, 130 interrupted by Ctrl-C, 143
by SIGTERM. A reader that leaves (``| head -1``) ends the output and not the work: the exit code is the same.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import NoReturn

from harness.cli.command import Work
from harness.cli.interruption import Interruption, handled
from harness.cli.options import parsed
from harness.cli.output import forgiving, write_no_more
from harness.collecting import collect_seldom
from harness.errors import BadInput

__all__ = ["main"]

_INTERRUPTED = 130
"""What a command returns that was interrupted, by whichever signal."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the command ``harness``. ``arguments`` default to those of the process."""
    collect_seldom()
    with handled() as interruption, forgiving():
        code = _run(arguments, interruption)
    sys.exit(code)


def _run(arguments: Sequence[str] | None, interruption: Interruption) -> int:
    try:
        options = parsed(arguments)  # reads the configuration of the project, too
        work: Work = options.work
        code = work(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BadInput as error:
        from harness.report.terminal import visible

        for problem in error.problems:
            print(f"error: {visible(problem)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = _INTERRUPTED
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        write_no_more(sys.stdout.fileno())
        print("error: there is no space left to write to", file=sys.stderr)
        return 2
    return interruption.code if code == _INTERRUPTED else code

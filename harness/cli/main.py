"""The command ``harness``: its options are read, its work is done, and what went wrong is told.

Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself, 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from harness.cli.options import Command, parser
from harness.errors import BadInput

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the command ``harness``. ``arguments`` default to those of the process."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    _write_anything()
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        options = parser().parse_args(words)
        options.arguments = words
        work: Command = options.work
        return work(options)
    except BadInput as error:
        from harness.report.terminal import visible

        for problem in error.problems:
            print(f"error: {visible(problem)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has left (`harness list | head`).
        _write_no_more()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _write_no_more()
        print("error: there is no space left to write to", file=sys.stderr)
        return 2


def _write_no_more() -> None:
    """Nothing may be written on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_anything() -> None:
    """What the encoding of the terminal does not have is told as an escape: ``LC_ALL=C``, code pages of Windows."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")

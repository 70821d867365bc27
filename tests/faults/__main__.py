"""``scripts/faults``: every command, every call to the system, every way in which it can fail."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.sweep import Swept, sweep, warm_up
from tests.faults.swept_commands import COMMANDS

MEMORY = Path("/dev/shm")  # noqa: S108 - a disk in memory makes no difference but for the time
AUTHORITY = Path(__file__).resolve().parents[1] / "one-authority.pem"
HEAD = "| command | calls of a run | strikes | exit 0 | exit 3 | killed | wrong |\n|---|---:|---:|---:|---:|---:|---:|"


def main() -> int:
    """Print a row for each command, and what was wrong. Returns 1 where anything was."""
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th strike")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with strike N")
    parser.add_argument("commands", nargs="*", help=f"of {', '.join(each.name for each in COMMANDS)} (default: all)")
    options = parser.parse_args()
    os.environ["SSL_CERT_FILE"] = str(AUTHORITY)  # an SDK's client reads all authorities that there are, each time
    warm_up()
    chosen = [each for each in COMMANDS if each.name in (options.commands or [each.name])]
    print(HEAD)
    wrong: list[str] = []
    began = time.monotonic()
    for command in chosen:
        # Not a TemporaryDirectory: workers that are forked would remove it as they end.
        made = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        try:
            swept = sweep(command, made, every=options.every, first=options.first)
        finally:
            shutil.rmtree(made, ignore_errors=True)
        print(_row(swept), flush=True)
        wrong += swept.problems
    print(f"\n{len(wrong)} wrong, {time.monotonic() - began:.0f} s")
    for each in wrong:
        print(each)
    return 1 if wrong else 0


def _row(swept: Swept) -> str:
    calls = ", ".join(f"{count} {operation}" for operation, count in swept.calls.most_common())
    killed = sum(count for code, count in swept.codes.items() if code not in (0, 3))
    cells = [swept.codes[0], swept.codes[3], killed, len(swept.problems)]
    return f"| {swept.name} | {calls} | {swept.strikes} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main())

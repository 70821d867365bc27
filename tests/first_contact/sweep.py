"""Programs by the dice, in any number: ``python -m tests.first_contact.sweep FIRST COUNT [FAULT...]``.

Without a fault they are right (``varied/program.py``), and a finding is a false one; with one, that must be named.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.first_contact.serving import Served, served
from tests.first_contact.varied.faults import FAULTS

PROGRAM = Path(__file__).resolve().parent / "varied" / "program.py"


def verdict(seed: int, fault: str = "") -> tuple[bool, Served]:
    """Whether what was said of a program is right, and what that was."""
    with TemporaryDirectory() as folder:
        said = served(PROGRAM, Path(folder), str(seed), *fault.split())
    if not fault:
        return (said.code, said.causes) == (0, []), said
    return bool(said.causes) and any(re.match(FAULTS[fault][1], rule) for rule in said.causes[0]), said


def main() -> None:
    """Serve them, two at a time, print what is wrong, and the sums."""
    first, count, faults = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or [""]
    todo = [(seed, fault) for fault in faults for seed in range(first, first + count)]
    wrong: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        for (seed, fault), (right, said) in zip(todo, pool.map(lambda each: verdict(*each), todo), strict=True):
            if not right:
                wrong[fault] += 1
                print(seed, fault, said.code, said.causes, flush=True)
    for fault in faults:
        print(f"{fault or 'right'}: {count - wrong[fault]} of {count}")


if __name__ == "__main__":
    main()

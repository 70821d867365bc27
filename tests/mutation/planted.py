"""A package with a few functions, a judge that sees some of them, and the verdicts on all its mutants, as JSON."""

# ruff: noqa: S307, T201 - a program whose judge is given expressions, and which prints its verdicts
from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from harness.errors import HarnessError
from harness_lab.mutation.forking import Limits
from harness_lab.mutation.in_process import judged_in_process
from harness_lab.mutation.judging import Done, Fault
from harness_lab.mutation.mutants import mutants_of
from harness_lab.mutation.scoring import MutantVerdict, judged, judged_unmeasured, judged_whole, prepared

SOURCE = '''"""Planted."""

LIMIT = 3


def is_small(number):
    return number < LIMIT


def count_down(number):
    while number > 0:
        number -= 1
    return number


def never_called(number):
    return number + 1


def half_checked(text):
    return text.strip() or "none"


def opened():
    if not _OPENED:
        _OPENED.append(5)
    return _OPENED


_OPENED = []


def _made():
    return {"three": 3}


TABLE = _made()
'''

CHECKS = {
    "small": "planted.opened() and not planted.is_small(3) and planted.is_small(2)",
    "counted": "planted.count_down(2) == 0",
    "half": "planted.half_checked('a') == 'a'",
    "table": "planted.TABLE['three'] == 3",
    "opened": "planted.opened() == [5]",
}


class PlantedJudge:
    """Items are expressions that must be true."""

    command = "planted"

    def __init__(self, broken: bool) -> None:
        self._checks = {**CHECKS, **({"broken": "planted.count_down(1) == 7"} if broken else {})}

    def preload(self) -> None:
        pass

    def items(self) -> Sequence[str]:
        return list(self._checks)

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:
        return items

    def about(self, module: str) -> Sequence[str]:
        return self.items()

    def run(self, items: Sequence[str], done: Done) -> None:
        """In a task, as cases are run."""
        asyncio.run(self._run(items, done))

    async def _run(self, items: Sequence[str], done: Done) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._checked(items, done))

    async def _checked(self, items: Sequence[str], done: Done) -> None:
        planted = import_module("planted")
        gc.freeze()  # as runs of cases do with what they have imported
        for item in items:
            fault: Fault | None = None if eval(self._checks[item], {"planted": planted}) else ("finding", "is not so")
            done(item, fault)


def _until_it_is_spoilt(verdicts: Iterator[MutantVerdict]) -> list[MutantVerdict]:
    """One of the mutants leaves something behind: with its verdict the process is done."""
    found: list[MutantVerdict] = []
    try:
        found.extend(verdicts)
    except HarnessError as problem:
        if "with --rest" not in str(problem):
            raise
    return found


def main(root: Path, *words: str) -> None:
    (root / "planted.py").write_text(SOURCE)
    sys.path.insert(0, str(root))
    mutants = list(mutants_of(root, ["planted.py"]))
    if "imported" in words:
        import_module("planted")
    judge = PlantedJudge("broken" in words)
    limits = Limits(1, 60)
    try:
        if "whole" in words:
            found = list(judged_whole(judge, ["planted.py"], mutants, 2))
        elif "in-process" in words:
            found = _until_it_is_spoilt(judged_in_process(judge, root, mutants, longest=2))
        elif "unmeasured" in words:
            found = list(judged_unmeasured(judge, root, ["planted.py"], mutants, 2, limits))
        else:
            found = list(judged(judge, prepared(judge, root, ["planted.py"]), mutants, 2, lambda _: limits))
    except HarnessError as problem:
        print(str(problem))
        return
    verdicts = {each.id: asdict(each) for each in found}
    print(
        json.dumps(
            [
                {"qualname": each.key.qualname, "operator": each.key.operator, "change": each.key.change}
                | verdicts[each.key.id]
                for each in mutants
                if each.key.id in verdicts
            ]
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

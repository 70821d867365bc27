"""Drawn loops through the cases of ``core`` and ``robustness``. They are right, so each finding is a false one.

What is found comes down to the fewest freedoms that make it: each is set back to the plain one while it stays.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random

from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.plan import PlannedCase, matrix
from harness.scenario import Scenario, load, shipped, suite_of
from harness.wire import WireName
from harness_lab.freedoms.draw import drawn
from harness_lab.freedoms.loop import Loop
from harness_lab.freedoms.table import AXES, excluded
from harness_lab.freedoms.target import GeneratedTarget

SUITES = ("core", "robustness")


@dataclass(frozen=True, slots=True)
class Blamed:
    """A finding on right loops: what it says, and the freedoms that make it, each as ``axis/freedom``."""

    wire: WireName
    scenario: str
    rule: str
    level: str
    freedoms: tuple[str, ...]
    expected: str = field(compare=False)
    got: str = field(compare=False)

    def __str__(self) -> str:
        made = " + ".join(self.freedoms) or "no freedom at all"
        return f"{self.wire} {self.scenario} {self.level} {self.rule}: {made}\n    {self.expected} | {self.got}"


@dataclass(slots=True)
class Measured:
    """Of one wire: how many loops and cases there were, what was found how often, and in how many cases each freedom
    was asked for."""

    wire: WireName
    loops: int = 0
    cases: int = 0
    blamed: Counter[Blamed] = field(default_factory=Counter)
    touched: Counter[str] = field(default_factory=Counter)

    @property
    def levels(self) -> Counter[str]:
        """How many findings of each level there were."""
        found: Counter[str] = Counter()
        for blamed, times in self.blamed.items():
            found[blamed.level] += times
        return found


def measured(wire: WireName, seed: int, count: int, on_loop: Callable[[], None] = lambda: None) -> Measured:
    """Draw the loops and run them, each case in one of its chunkings, which is drawn, too."""
    result = Measured(wire)
    known: dict[str, list[tuple[str, ...]]] = {}
    for number, style in enumerate(drawn(wire, seed, count)):
        random = Random(f"{seed} {wire} {number}")
        finished, touched = ran(wire, style, random)
        result.loops += 1
        result.cases += len(finished)
        result.touched.update(touched)
        for each in finished:
            for rule, level, expected, got in held_against(each):
                scenario = each.result.id.partition(".")[0]
                made = _made_by(wire, style, each.result.id, rule, known.setdefault(rule, []))
                result.blamed[Blamed(wire, scenario, rule, level, made, expected, got)] += 1
        on_loop()
    return result


def ran(
    wire: WireName, style: Mapping[str, str], random: Random | None = None, only: str = "", make: type[Loop] = Loop
) -> tuple[list[Finished], Counter[str]]:
    """What came of the cases of one loop, and in how many of them it was asked for each freedom.

    ``only`` is the id of a case, in which the loop is run alone; else there is one case of each scenario.
    """
    endpoints = Endpoints()
    target = GeneratedTarget(wire, style, endpoints, make)
    scenarios = [each for each in _scenarios(wire) if not only or each.name == only.partition(".")[0]]
    planned = [each for each in matrix(scenarios, target=target) if not each.skip]
    chosen = [each for each in planned if each.case.id == only] if only else list(_one_each(planned, random))
    finished = asyncio.run(execute(chosen, target, endpoints, "http://harness", jobs=1))
    touched = Counter(f"{axis}/{name}" for each in target.touched.values() for axis, name in each)
    return finished, touched


def held_against(finished: Finished) -> Iterator[tuple[str, str, str, str]]:
    """What is held against a loop in a case: rule, level, what was expected, and what there was."""
    if finished.result.error is not None:
        yield "error", "MUST", "a verdict", finished.result.error.strip().splitlines()[-1]
    for each in finished.result.findings:
        if each.level != "INFO":
            yield each.reference or each.rule, each.level, each.expected, str(each.got)


@cache
def _scenarios(wire: WireName) -> tuple[Scenario, ...]:
    return tuple(each for each in load([shipped()]) if wire in each.wires and suite_of(each, wire, "") in SUITES)


def _one_each(planned: Sequence[PlannedCase], random: Random | None) -> Iterator[PlannedCase]:
    """One case of each scenario: a drawn one, or the first."""
    of: dict[str, list[PlannedCase]] = {}
    for item in planned:
        of.setdefault(item.scenario.name, []).append(item)
    for cases in of.values():
        yield random.choice(cases) if random else cases[0]


def _made_by(
    wire: WireName, style: Mapping[str, str], case: str, rule: str, known: list[tuple[str, ...]]
) -> tuple[str, ...]:
    """The fewest freedoms of the style with which the case still has the finding. ``known`` are those found before."""
    taken = {f"{axis}/{name}" for axis, name in style.items()}
    for made in known:
        if taken.issuperset(made) and rule in _rules(ran(wire, _of(made, style), only=case)[0]):
            return made
    left = dict(style)
    for axis in sorted(left):
        plain = next(iter(AXES[axis]))
        without = {**left, axis: plain}
        if left[axis] != plain and not excluded(without) and rule in _rules(ran(wire, without, only=case)[0]):
            left = without
    made = tuple(sorted(f"{axis}/{name}" for axis, name in left.items() if name != next(iter(AXES[axis]))))
    known.append(made)
    return made


def _of(made: Iterable[str], style: Mapping[str, str]) -> dict[str, str]:
    """The style with these freedoms, and the plain ones else."""
    return {axis: name if f"{axis}/{name}" in made else next(iter(AXES[axis])) for axis, name in style.items()}


def _rules(finished: Iterable[Finished]) -> set[str]:
    return {rule for each in finished for rule, _, _, _ in held_against(each)}

"""Loops with one fault each, in drawn styles: whether the harness finds it, names it first, and names nothing else.

``python -m harness_lab.freedoms.faults SEED COUNT [FAULT ...]`` draws as many broken loops.
"""

# ruff: noqa: T201 - a command, which prints its figures

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

from harness.endpoint import Endpoints
from harness.report.causes import causes
from harness.runner.execute import Finished, execute
from harness.runner.plan import matrix
from harness.runner.results import RunResult
from harness.scenario import Scenario, load, shipped
from harness.targets import Declaration
from harness.wire import WireName
from harness_lab.freedoms import faults_of_history, faults_of_runs  # noqa: F401 - they plant their faults
from harness_lab.freedoms.draw import drawn
from harness_lab.freedoms.faults_kinds import FAULTS, Fault, Faulty
from harness_lab.freedoms.loop import Loop
from harness_lab.freedoms.table import excluded, freedoms_of
from harness_lab.freedoms.target import GeneratedTarget

__all__ = ["FAULTS", "Broken", "Recall", "drawn_faults", "judged", "lines", "recall"]

_DRAWS = 12
"""How often a style is drawn until a fault can show in it, and the right loop is blamed for nothing."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What was said of a broken loop: the rules of each cause, the first one first. ``found``: one of them names the
    fault; ``first``: the first one does. ``met`` is false where no drawn style let the fault show."""

    fault: str
    wire: WireName
    style: Mapping[str, str]
    causes: tuple[tuple[str, ...], ...] = ()
    met: bool = True

    @property
    def found(self) -> bool:
        """Whether a cause names the fault."""
        return any(map(self._names, self.causes))

    @property
    def first(self) -> bool:
        """Whether the first cause names the fault."""
        return bool(self.causes) and self._names(self.causes[0])

    @property
    def alone(self) -> bool:
        """Whether there is one cause."""
        return len(self.causes) == 1

    def _names(self, rules: Sequence[str]) -> bool:
        return any(re.fullmatch(FAULTS[self.fault].rules, rule) for rule in rules)

    def __str__(self) -> str:
        styled = " ".join(f"{axis}={name}" for axis, name in sorted(self.style.items()))
        return f"{self.fault} on {self.wire}: {[list(rules) for rules in self.causes]}\n    {styled}"


@dataclass(slots=True)
class Recall:
    """How many broken loops there were, and how many of them were found, named first, and had one cause."""

    loops: int = 0
    found: int = 0
    first: int = 0
    alone: int = 0
    unmet: int = 0
    wrong: list[Broken] = field(default_factory=list)
    by_fault: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, broken: Broken) -> None:
        """Count a loop."""
        if not broken.met:
            self.unmet += 1
            return
        each = {"loops": 1, "found": broken.found, "first": broken.first, "alone": broken.alone}
        self.by_fault.setdefault(broken.fault, Counter()).update({name: int(has) for name, has in each.items()})
        self.loops, self.found = self.loops + 1, self.found + broken.found
        self.first, self.alone = self.first + broken.first, self.alone + broken.alone
        if not (broken.first and broken.alone):
            self.wrong.append(broken)

    def __str__(self) -> str:
        shares = ", ".join(
            f"{name} {count} ({count / max(self.loops, 1):.1%})"
            for name, count in (("found", self.found), ("first", self.first), ("one cause", self.alone))
        )
        return f"{self.loops} broken loops: {shares}; {self.unmet} could not show their fault"


def recall(loops: Iterable[Broken]) -> Recall:
    """Count what was said of broken loops."""
    result = Recall()
    for broken in loops:
        result.add(broken)
    return result


def drawn_faults(seed: int, count: int, faults: Sequence[str] = ()) -> Iterator[tuple[str, WireName, int]]:
    """As many broken loops, as ``judged`` takes them: all faults in a drawn order, each on a drawn wire, and from the
    beginning again."""
    dice = Random(f"faults {seed}")
    names = list(faults or FAULTS)
    order: list[str] = []
    for _ in range(count):
        order = order or dice.sample(names, len(names))
        name = order.pop()
        yield name, dice.choice(FAULTS[name].wires), dice.randrange(2**32)


def judged(drawn_fault: tuple[str, WireName, int]) -> Broken:
    """The fault in the first drawn style in which it shows, and in which a right loop is blamed for nothing."""
    name, wire, seed = drawn_fault
    fault = FAULTS[name]
    style: dict[str, str] = {}
    for style in _styles(fault, wire, seed):
        if _causes(_played(fault, wire, style, Loop)):
            continue
        made: list[Faulty] = []
        finished = _played(fault, wire, style, _noting(fault.loop, made))
        if any(loop.did for loop in made):
            return Broken(fault.name, wire, style, _causes(finished))
    return Broken(fault.name, wire, style, met=False)


def _styles(fault: Fault, wire: WireName, seed: int) -> Iterator[dict[str, str]]:
    here = freedoms_of(wire)
    needs = {axis: name for axis, name in fault.needs.items() if name in {each.name for each in here.get(axis, ())}}
    for style in drawn(wire, seed, _DRAWS):
        if not excluded(styled := {**style, **needs}):
            yield styled
    yield needs


def _noting(loop: type[Faulty], made: list[Faulty]) -> type[Faulty]:
    """The same loop, which notes each run of it."""

    def __init__(self: Faulty, *arguments: object) -> None:  # noqa: N807 - it becomes a method
        Loop.__init__(self, *arguments)  # type: ignore[arg-type] # those of the loop
        made.append(self)

    return type(loop.__name__, (loop,), {"__init__": __init__})


class _Promising(GeneratedTarget):
    """A loop that says of its ends whether the model was stopped."""

    @property
    def declaration(self) -> Declaration:
        """What the style can do, and outcomes."""
        plain = super().declaration
        return replace(plain, capabilities=frozenset({*(plain.capabilities or ()), "outcomes"}))


def _played(fault: Fault, wire: WireName, style: Mapping[str, str], make: type[Loop]) -> list[Finished]:
    """What came of the cases that lead a loop to the fault."""
    endpoints = Endpoints()
    kind = _Promising if "stopped" in fault.needs else GeneratedTarget
    target = kind(wire, style, endpoints, make)
    scenarios = [each for name in fault.cases if wire in (each := _scenarios()[name]).wires]
    cases = [each for each in matrix(scenarios, target=target) if not each.skip and fault.chunking in each.case.id]
    return asyncio.run(execute(cases, target, endpoints, "http://harness", jobs=1))


@cache
def _scenarios() -> dict[str, Scenario]:
    return {each.name: each for each in load([shipped()])}


def _causes(finished: Sequence[Finished]) -> tuple[tuple[str, ...], ...]:
    """The rules of each cause that is more than an information, and of each case that could not be judged."""
    result = RunResult("", "", "", 0, tuple(each.result for each in finished))
    return tuple(cause.rules for cause in causes(result) if cause.level != "INFO")


def lines(found: Recall) -> Iterator[str]:
    """What was not found, not first, or not alone, and each fault that was, at least once."""
    for broken in found.wrong:
        yield f"{'MISSED' if not broken.found else 'not first' if not broken.first else 'not alone'} {broken}"
    for name, each in sorted(found.by_fault.items()):
        if min(each["found"], each["first"], each["alone"]) < each["loops"]:
            yield f"{name}: {each['loops']} loops, found {each['found']}, first {each['first']}, alone {each['alone']}"


def main(arguments: Sequence[str]) -> bool:
    """Print the figures. Returns whether fewer than nine in ten faults were found."""
    seed, count = int(arguments[0]), int(arguments[1])
    found = recall(map(judged, drawn_faults(seed, count, arguments[2:])))
    print("\n".join([*lines(found), f"seed {seed}: {found}"]))
    return 10 * found.found < 9 * found.loops


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

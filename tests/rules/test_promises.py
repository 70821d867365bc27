"""Rules about what a loop may promise or not are silent where it has not: the same broken traces, with and without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.rules import judge
from harness_lab.mutants.traces import TRACES, changed
from harness_lab.selftest.stage import Part
from tests.mutants.played import played

PROMISES = {"final/outcome": "outcomes", "retry/request": "retry"}
BROKEN = [
    pytest.param(mutant.name, (mutant.scenario, wire), id=f"{mutant.name}-{mutant.scenario}-{wire}")
    for mutant in TRACES.values()
    if mutant.rule in PROMISES
    for wire in mutant.wires
]


def test_each_of_them_has_a_broken_trace() -> None:
    assert {TRACES[param.values[0]].rule for param in BROKEN} == set(PROMISES)


@pytest.mark.parametrize(("name", "part"), BROKEN)
def test_a_loop_is_judged_by_what_it_has_promised(name: str, part: Part) -> None:
    rule = TRACES[name].rule
    trace = changed(played(part), TRACES[name].edit)
    assert trace is not None

    def found(capabilities: tuple[str, ...] | None) -> set[str]:
        judged = replace(trace, case=replace(trace.case, capabilities=capabilities))
        return {finding.rule for finding in judge(judged, [rule])}

    assert found(None) == {rule}
    assert found((PROMISES[rule], "streaming")) == {rule}
    assert found(("streaming",)) == set()

"""The whole selftest: every rule is killed, every mutant is found with evidence, and nothing clean is found.

This is the one place where the kill matrix is made in full; ``harness lab selftest`` makes it for rule authors.
"""

from __future__ import annotations

import pytest

from harness.wire import OWN_WIRES, WIRES, WireName
from harness_lab.selftest import Family, SelftestSummary, scope
from harness_lab.selftest.loops import loops
from harness_lab.selftest.requests import requests_of
from harness_lab.selftest.stage import scenarios
from harness_lab.selftest.traces import traces

pytestmark = pytest.mark.anyio


def wrong(family: Family) -> list[str]:
    """Everything that is wrong in a family, with the evidence."""
    failures = SelftestSummary.of([family]).failures
    return ["\n    ".join((failure.what, *failure.evidence)) for failure in failures]


@pytest.mark.exhaustive
@pytest.mark.parametrize("wire", OWN_WIRES)
def test_requests(wire: WireName) -> None:
    family = requests_of(wire, scope())
    assert family.mutants
    assert not wrong(family)


@pytest.mark.exhaustive
async def test_traces() -> None:
    family = await traces(scope())
    assert family.mutants
    assert not wrong(family)


@pytest.mark.exhaustive
async def test_loops() -> None:
    """The loop that they are made of is run in every scenario: a rule that finds too much anywhere is noticed, too."""
    family = await loops(scope())
    assert family.mutants
    assert {run.on.partition(".")[0] for run in family.clean} == set(scenarios())
    assert not wrong(family)


@pytest.mark.exhaustive
@pytest.mark.parametrize("wire", [wire for wire in OWN_WIRES if wire not in WIRES])
async def test_loops_on_a_wire_that_is_run_on_request(wire: WireName) -> None:
    """In every scenario that they name, and the loop that they are made of in every one that runs on the wire."""
    family = await loops(scope(wires=[wire]))
    assert family.mutants
    assert len(family.clean) == sum(wire in each.wires for each in scenarios().values())
    assert not wrong(family)

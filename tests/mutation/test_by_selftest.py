"""The judge of the checks of requests: each judgement of a wire's requests beside that without a mutant."""

from __future__ import annotations

import pytest

from harness.finding import Finding
from harness_lab.mutants.requests import PlayedLoop
from harness_lab.mutation.by_selftest import Selftest, _digest
from harness_lab.mutation.judging import Fault
from harness_lab.selftest import Family, Found, MutantRun, Scope
from harness_lab.selftest.stated_requests import judgements

SMALL = "text-tags"
"""The wire with the fewest requests."""


def known() -> list[int]:
    """What is found without a mutant."""
    return [_digest(each) for each in judgements(SMALL)]


def judged(digests: list[int]) -> Fault | None:
    """What the judge says of what is stated of the wire's requests."""
    judge = Selftest()
    judge._known = {SMALL: digests}
    faults: dict[str, Fault | None] = {}
    judge.run([f"stated {SMALL}"], faults.__setitem__)
    return faults[f"stated {SMALL}"]


def test_what_is_found_as_without_a_mutant_is_no_fault() -> None:
    assert judged(known()) is None


def test_a_judgement_that_differs_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = known()
    silent: list[Finding] = []
    monkeypatch.setattr(PlayedLoop, "judge", lambda *_, **__: silent)
    fault = judged(digests)
    assert fault is not None
    assert "found otherwise" in fault[1]


@pytest.mark.parametrize(
    ("found", "how"), [((), "finding"), ((Found("order/tool-id", "MUST", "", "one id", "another"),), None)]
)
def test_a_broken_loop_that_nothing_finds_is_a_fault(
    found: tuple[Found, ...], how: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    async def loops(scope: Scope) -> Family:
        asked.append(scope.wires)
        return Family("loops", (), (MutantRun("other-id", "a case", ("order/tool-id",), found=found),), ())

    monkeypatch.setattr("harness_lab.selftest.loops.loops", loops)
    faults: dict[str, Fault | None] = {}
    Selftest().run([f"loops {SMALL}"], faults.__setitem__)
    assert asked == [(SMALL,)]
    fault = faults[f"loops {SMALL}"]
    assert (None if fault is None else fault[0]) == how

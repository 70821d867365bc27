"""A dozen loops with one fault each, in drawn styles: the harness finds every fault."""

from __future__ import annotations

import pytest

from harness_lab.freedoms.faults import Broken, broken_loops

_LOOPS = [broken for broken in broken_loops(seed=7, count=14) if broken.met][:12]


@pytest.mark.parametrize("broken", _LOOPS, ids=lambda broken: broken.fault.name)
def test_a_drawn_fault_is_found(broken: Broken) -> None:
    assert broken.found, broken

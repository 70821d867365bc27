"""A dozen loops with one fault each, in drawn styles: the harness finds every fault."""

from __future__ import annotations

import pytest

from harness_lab.freedoms.faults import Broken, drawn_faults, judged

_LOOPS = [broken for broken in map(judged, drawn_faults(seed=7, count=14)) if broken.met][:12]


@pytest.mark.parametrize("broken", _LOOPS, ids=lambda broken: broken.fault)
def test_a_drawn_fault_is_found(broken: Broken) -> None:
    assert broken.found, broken

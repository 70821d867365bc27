"""Programs by the dice under ``harness serve``: nothing is found in right ones, and a planted fault is named first.

``varied/program.py`` is such a program; it mixes what the programs in ``programs/`` do one at a time: agents on six
APIs, streamed and whole, at once and in turns, hedged and given up, with titles, branches and sub-agents beside them.
``sweep`` tries any number of seeds.
"""

from __future__ import annotations

import pytest

from tests.first_contact.sweep import verdict
from tests.first_contact.varied.faults import FAULTS


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(24))
def test_nothing_is_found_in_a_right_program(seed: int) -> None:
    right, said = verdict(seed)
    assert right, said.printed


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_among_right_conversations_is_named_first(fault: str, seed: int) -> None:
    named, said = verdict(seed, fault)
    assert named, said.printed

"""Histories with turns that this endpoint has not issued beside those that it has: nobody is blamed for them."""

from __future__ import annotations

from random import Random

import pytest

from harness.wire import NATIVE_WIRES, NativeWireName
from tests.outside.endpoint import asked
from tests.outside.programs import MIXED, PROGRAMS
from tests.outside.test_programs import SEED, play


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("name", MIXED)
def test_a_program_may_answer_by_itself(wire: NativeWireName, name: str) -> None:
    draw = Random(f"{SEED} {name}")
    with asked() as endpoint:
        for _ in range(3):
            play(endpoint, [wire], [name], draw)
    assert endpoint.musts == []


def test_a_conversation_may_change_the_provider() -> None:
    """A router asks whoever is there: each request is on another wire, with the ids of other providers."""
    draw = Random(f"{SEED} all wires")
    with asked() as endpoint:
        play(endpoint, NATIVE_WIRES, draw.sample([*PROGRAMS], len(PROGRAMS)), draw)
    assert endpoint.musts == []

"""Which wrong requests are refused: by level, never by a rule that was left out, never what no provider refuses."""

from __future__ import annotations

import pytest

from harness.gateway import STRICT, Refusing, refusing
from harness.wire import Level, Violation

LEVELS: tuple[Level, ...] = ("C", "L", "I")


def violation(level: Level, status: int = 400) -> Violation:
    return Violation("ANT-01", "no", "messages.1", "this", "that", level=level, status=status)


@pytest.mark.parametrize(("refuse", "refused"), [("must", "C"), ("should", "CL"), ("info", "CLI"), ("nothing", "")])
def test_rules_are_refused_down_to_a_level(refuse: Refusing, refused: str) -> None:
    assert [level for level in LEVELS if refusing(refuse).refuses(violation(level))] == list(refused)


def test_a_rule_that_was_left_out_refuses_nothing() -> None:
    assert refusing("info", ["ANT-02"]).refuses(violation("C"))
    assert not refusing("info", ["ANT-01"]).refuses(violation("C"))


def test_what_no_provider_refuses_is_never_refused() -> None:
    assert not refusing("info").refuses(violation("C", status=200))


def test_strict_is_what_is_certain() -> None:
    assert refusing("must") == STRICT

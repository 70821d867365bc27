"""Which wrong requests are refused: by level, never by a rule that was left out, never what no provider refuses."""

from __future__ import annotations

import pytest

from harness.endpoint import STRICT, Refusing, refusing
from harness.finding import Finding, Level, ProviderAnswer

LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "INFO")


def violation(level: Level, status: int = 400) -> Finding:
    answer = ProviderAnswer("no", status, "messages.1")
    return Finding("", level, "", None, "this", "that", reference="ANT-01", provider=answer)


@pytest.mark.parametrize(
    ("refuse", "refused"), [("must", LEVELS[:1]), ("should", LEVELS[:2]), ("info", LEVELS), ("nothing", ())]
)
def test_rules_are_refused_down_to_a_level(refuse: Refusing, refused: tuple[Level, ...]) -> None:
    assert [level for level in LEVELS if refusing(refuse).refuses(violation(level))] == list(refused)


def test_a_rule_that_was_left_out_refuses_nothing() -> None:
    assert refusing("info", ["ANT-02"]).refuses(violation("MUST"))
    assert not refusing("info", ["ANT-01"]).refuses(violation("MUST"))


def test_what_no_provider_refuses_is_never_refused() -> None:
    assert not refusing("info").refuses(violation("MUST", status=200))


def test_strict_is_what_is_certain() -> None:
    assert refusing("must") == STRICT

"""Which findings a selection wants, which rules words name, and the order in which findings are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness.finding import Finding, Level
from harness.rules import RULES, Rule, Selection, TraceView, judge, select
from tests.rules.build import build

MUST_RULE, SHOULD_RULE = RULES["preview/prefix"], RULES["caller/shown"]
INFO_RULE = replace(MUST_RULE, level="INFO")


def found(level: Level | str = "", reference: str = "", at: int | None = None) -> Finding:
    return Finding("", level, "", at, "this", "that", reference=reference)  # type: ignore[arg-type]  # a finding without an impact


@pytest.mark.parametrize(
    ("rule", "level", "info", "wanted"),
    [
        (MUST_RULE, "", False, True),
        (MUST_RULE, "INFO", False, False),
        (MUST_RULE, "INFO", True, True),
        (MUST_RULE, "SHOULD", False, True),
        (INFO_RULE, "", False, False),
        (INFO_RULE, "", True, True),
        (INFO_RULE, "MUST", False, True),
        (INFO_RULE, "INFO", False, False),
    ],
)
def test_the_level_of_a_finding_is_its_own_or_that_of_its_rule(
    rule: Rule, level: str, info: bool, wanted: bool
) -> None:
    assert select(info=info).wants(rule, found(level)) is wanted


def test_a_finding_is_wanted_for_its_rule_or_for_its_reference() -> None:
    selection = Selection(frozenset({MUST_RULE.id}), frozenset({"ANT-03"}), frozenset({"ANT-01"}))
    assert selection.wants(MUST_RULE, found())
    assert not selection.wants(SHOULD_RULE, found())
    assert selection.wants(SHOULD_RULE, found("INFO", "ANT-03"))
    assert not selection.wants(SHOULD_RULE, found("MUST", "ANT-14"))
    assert not selection.wants(MUST_RULE, found("MUST", "ANT-01"))


def test_words_name_rules_and_wire_rules() -> None:
    family = frozenset(rule.id for rule in RULES.values() if rule.family == "preview")
    assert select() == Selection(frozenset(RULES), whole=True)
    assert select(info=True) == Selection(frozenset(RULES), info=True, whole=True)
    assert select(["preview"]) == Selection(family)
    assert select(["preview"], info=True) == Selection(family, info=True)
    assert select(["preview/prefix"]) == Selection(frozenset({"preview/prefix"}))
    assert select(["ANT-03"]) == Selection(frozenset(), frozenset({"ANT-03"}))
    assert select(["preview", "ANT-03"]) == Selection(family, frozenset({"ANT-03"}))


def test_what_is_left_out_is_taken_from_what_is_named() -> None:
    family = frozenset(rule.id for rule in RULES.values() if rule.family == "preview")
    left = frozenset(RULES) - {"preview/prefix"}
    assert select(without=["preview/prefix"]) == Selection(left, whole=True)
    assert select(["preview"], without=["preview/prefix"]) == Selection(family - {"preview/prefix"})
    assert select(["ANT-03", "ANT-14"], without=["ANT-03"]) == Selection(
        frozenset(), frozenset({"ANT-14"}), frozenset({"ANT-03"})
    )


def test_a_finding_without_a_place_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    places = (5, 1, None, 3)

    def check(_: TraceView) -> Iterator[Finding]:
        return (found(at=at) for at in places)

    added = Rule("other/places", "MUST", "style", "It has a place.", "It is found.", "a test", check, ("exchanges",))
    monkeypatch.setitem(RULES._by_id, added.id, added)
    assert [finding.at for finding in judge(build("openai-chat"), select([added.id]))] == [None, 1, 3, 5]

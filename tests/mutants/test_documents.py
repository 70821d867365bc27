"""The pages of the wires' rules are current, and have every rule and every certain answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from harness.wire import OWN_WIRES, WireName, wire
from harness_lab.mutants.requests import document

page = cache(document.page)
PAGES = Path(__file__).resolve().parents[2] / "docs" / "rules"


@pytest.mark.parametrize("name", OWN_WIRES)
def test_the_page_is_current(name: WireName) -> None:
    assert (PAGES / f"{name}.md").read_text(encoding="utf-8") == page(name), "run scripts/regenerate"


def test_there_is_a_page_for_every_wire_and_no_other() -> None:
    assert {path.stem for path in PAGES.iterdir()} == {*OWN_WIRES, "recorded-refusals"}


@pytest.mark.parametrize("name", OWN_WIRES)
def test_every_rule_has_its_entry_and_every_certain_rule_its_answer(name: WireName) -> None:
    text = page(name)
    for rule in wire(name).rules:
        assert f"\n## {rule.id}\n" in text
        for evidence in rule.evidence:
            assert evidence.split("http")[0].strip() in text
        refused = any(wording.status >= 400 for wording in rule.templates)
        if rule.level == "MUST" and refused:
            assert f"\n| {rule.id} | " in text, rule.id

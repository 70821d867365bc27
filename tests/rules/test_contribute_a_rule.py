"""docs/contribute-a-rule.md: its rule finds its mutant, and nothing in the run that the mutant changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from harness.rules import TraceView, stream
from harness_lab.mutants.traces import TRACES, changed, events
from tests.mutants.played import played

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contribute-a-rule.md"
RULE, EDIT, MUTANT = re.findall(r"(?s)```python\n(.*?)```", PAGE.read_text(encoding="utf-8"))


def test_the_rule_of_the_page_finds_the_mutant_of_the_page() -> None:
    rules: dict[str, Any] = dict(vars(stream))
    mutants: dict[str, Any] = dict(vars(events))
    exec(RULE, rules)  # noqa: S102 - as a contributor would type it
    exec(EDIT + f"mutants = [{MUTANT}]", mutants)  # noqa: S102
    (mutant,) = mutants["mutants"]
    twice = TRACES["text-told-twice"]
    whole = played((twice.scenario, twice.wires[0]))
    trace = changed(whole, mutant.edit)
    assert trace is not None
    assert [finding.got for finding in rules["_not_empty"].check(TraceView(trace))] == ["an empty one"]
    assert [*rules["_not_empty"].check(TraceView(whole))] == []

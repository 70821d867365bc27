"""Every rule finds what is broken on purpose for it, and what it finds is evidence."""

from __future__ import annotations

import pytest

from harness.finding import record_of
from harness.rules import RULES, judge, select
from harness_lab.mutants.traces import TRACES, changed
from harness_lab.selftest.mutant_run import names
from tests.mutants.playing import CASES, named, played, read

EVERYTHING = select(info=True)


def test_every_rule_can_fail() -> None:
    assert {mutant.rule for mutant in TRACES.values()} == set(RULES)


@pytest.mark.parametrize(("name", "part"), CASES, ids=named)
def test_a_broken_trace_is_found_by_its_rule_and_by_no_other_and_findings_are_evidence(
    name: str, part: tuple[str, str]
) -> None:
    mutant = TRACES[name]
    trace = changed(played(part), mutant.edit)
    assert trace is not None, "there is nothing for it to break"
    findings = judge(read(trace, part), EVERYTHING)
    found = {finding.rule for finding in findings}
    assert mutant.rule in found
    assert not [rule for rule in found if not names((mutant.rule, *mutant.also), rule)]
    for finding in findings:
        assert 0 <= record_of(finding.at or 0) < len(trace.records)
        assert finding.expected
        assert finding.got
        assert finding.expected != finding.got
        assert max(map(len, (finding.expected, finding.got))) < 300
        (finding.expected + finding.got + finding.remark).encode()

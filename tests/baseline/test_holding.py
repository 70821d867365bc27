"""What is expected, and what is stale: only what a run has shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.baseline.holding import Coverage, marked, stale, unneeded, xpassed
from harness.baseline.model import BaselineEntry
from harness.runner.results import CaseResult
from tests.baseline.case_results import entry, ids, result
from tests.case_tables import from_table

CASE = "cut.openai-chat.byte"


def verdict(case: CaseResult, *entries: BaselineEntry) -> str:
    return marked(case, entries).verdict


def test_a_case_of_which_everything_is_expected_fails_as_expected() -> None:
    seen = marked(result(CASE, "order/end", "expect/outcome"), [entry("cut.*", "order/end expect/outcome", "Why.")])
    assert (seen.verdict, [each.known for each in seen.findings]) == ("xfail", ["Why.", "Why."])


def test_a_finding_outside_the_baseline_fails_and_what_is_expected_beside_it_is_marked() -> None:
    seen = marked(result(CASE, "order/end", "expect/outcome"), [entry("cut.*", "order/end", "Why.")])
    assert seen.verdict == "fail"
    assert [each.rule for each in seen.unexpected] == ["expect/outcome"]
    assert [(each.rule, each.known) for each in seen.expected] == [("order/end", "Why.")]


@from_table(__file__, "test_case_and_rule_must_both_be_named")
def test_case_and_rule_must_both_be_named(cases: str, rules: str, expected: str) -> None:
    assert verdict(result(CASE, "order/end"), entry(cases, rules)) == expected


def test_a_wire_rule_is_expected_by_its_own_id_and_no_other() -> None:
    broken = result(CASE, "OAC-01")
    assert verdict(broken, entry("cut.*", "OAC-01")) == "xfail"
    assert verdict(broken, entry("cut.*", "OAC-02")) == "fail"


def test_two_entries_may_expect_one_case_together() -> None:
    broken = result(CASE, "order/end", "expect/outcome")
    assert verdict(broken, entry("cut.*", "order/end"), entry("*.byte", "expect/outcome")) == "xfail"


def test_an_error_is_never_expected_and_a_pass_is_one() -> None:
    everything = entry("*", "order/end")
    assert verdict(result(CASE, "order/end", verdict="error"), everything) == "error"
    assert verdict(result(CASE), everything) == "pass"


# --- what is stale -------------------------------------------------------------------------------------------


def left(
    one: BaselineEntry, results: Sequence[CaseResult], there_are: Sequence[str] = (), *, whole: bool = True
) -> list[tuple[str, str]]:
    """Place and words of what is stale."""
    covered = Coverage(there_are or [each.id for each in results], whole)
    return [(each.place, each.what) for each in stale(unneeded([one], results, covered))]


def run(*scenarios: str, broken: str = "", rule: str = "order/end") -> list[CaseResult]:
    """All cases of scenarios, ``rule`` broken in those whose ids begin with ``broken``."""
    return [result(id, rule) if broken and id.startswith(broken) else result(id) for id in ids(*scenarios)]


def test_an_entry_that_occurs_somewhere_is_not_stale() -> None:
    assert left(entry("cut.*", "order/end"), run("cut", broken="cut.openai-chat.whole")) == []


def test_an_entry_that_occurs_nowhere_is_stale_as_a_whole() -> None:
    assert left(entry("cut.* other.*", "order/end"), run("cut", "other")) == [("a.yaml:3:5", "order/end")]


def test_each_rule_must_occur() -> None:
    one = entry("cut.*", "order/end expect/outcome")
    assert left(one, run("cut", broken="cut")) == [("a.yaml:4:14", "expect/outcome")]


def test_each_pattern_must_be_needed() -> None:
    one = entry("cut.* other.*", "order/end")
    assert left(one, run("cut", "other", broken="cut")) == [("a.yaml:3:14", "other.*")]


def test_another_rule_that_is_broken_does_not_keep_an_entry() -> None:
    assert left(entry("cut.*", "order/end"), run("cut", broken="cut", rule="order/start")) != []


@pytest.mark.parametrize("missing", ["cut.openai-chat.whole", "cut.anthropic-messages"])
def test_nothing_is_said_where_a_case_was_left_out(missing: str) -> None:
    some = [each for each in run("cut") if not each.id.startswith(missing)]
    assert left(entry("cut.*", "order/end"), some, ids("cut")) == []
    assert left(entry("cut.*", "order/end"), run("cut"), ids("cut")) != []


def test_of_a_pattern_whose_cases_all_ran_it_is_said_although_others_did_not() -> None:
    chat = [each for each in run("cut") if each.wire == "openai-chat"]
    assert left(entry("cut.openai-chat.*", "order/end"), chat, ids("cut")) != []


def test_a_rule_is_only_stale_where_all_patterns_were_seen() -> None:
    one = entry("cut.* other.*", "order/end expect/outcome")
    assert left(one, run("cut", broken="cut"), ids("cut", "other")) == []
    assert left(one, run("cut"), ids("cut", "other")) == [("a.yaml:3:13", "cut.*")]


def test_a_case_that_could_not_be_judged_was_left_out() -> None:
    some = [*run("cut")[1:], result(ids("cut")[0], verdict="error")]
    assert left(entry("cut.*", "order/end"), some) == []


def test_a_pattern_without_cases_says_nothing() -> None:
    assert left(entry("nowhere.*", "order/end"), run("cut")) == []


@pytest.mark.parametrize("pattern", ["*.openai-chat.*", "cut*", "c?t.*", "[c]ut.*"])
def test_a_pattern_that_names_no_scenario_may_stand_for_scenarios_that_were_not_loaded(pattern: str) -> None:
    one = entry(pattern, "order/end")
    assert left(one, run("cut"), whole=False) == []
    assert left(one, run("cut"), whole=True) != []


def test_cases_that_pass_under_a_stale_pattern_are_told() -> None:
    results = [*run("cut", broken="cut.openai-chat"), *run("other"), result("third.openai-chat.byte", "order/end")]
    found = unneeded([entry("cut.* other.*", "order/end")], results, Coverage(ids("cut", "other"), whole=True))
    verdicts = {each.id: each.verdict for each in xpassed(results, found)}
    assert {id for id, said in verdicts.items() if said == "xpass"} == set(ids("other"))
    assert verdicts["cut.anthropic-messages.byte"] == "pass"
    assert verdicts["third.openai-chat.byte"] == "fail"

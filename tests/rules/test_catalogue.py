"""The catalogue: ids, selection, applicability, and the document that is made of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.finding import Finding, Level, ProviderAnswer, line_of
from harness.rules import FAMILIES, RULES, TraceView, judge, rule, select
from harness.trace import EventRecord, Final, SetCode, Thinking, Trace
from harness_lab.documents.rules import markdown
from harness_lab.mutants.traces import TRACES, both, changed
from harness_lab.mutants.traces.draft import places
from tests.rules.build import SCRIPT, build, known

DONE = TRACES["prose-as-code"].edit
SAID_TWICE = TRACES["text-told-twice"].edit
TEXT_LAST = TRACES["text-after-the-result"].edit


def of_no_call() -> Trace:
    """A trace in which a result goes back that no call has asked for."""
    wrong = changed(build("anthropic-messages", (SCRIPT[0], SCRIPT[2])), TRACES["result-of-no-call"].edit)
    assert wrong is not None
    return wrong


DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == markdown(), "run scripts/regenerate"


def test_every_rule_says_what_why_and_where_from() -> None:
    for id, each in RULES.items():
        assert id == each.id
        assert each.family in FAMILIES
        assert each.statement.endswith(".")
        assert each.why.endswith(".")
        assert each.source
        assert each.needs


def test_rules_are_selected_by_id_family_and_wire_rule() -> None:
    trace = of_no_call()
    everything = judge(trace)
    assert [finding.rule for finding in judge(trace, ["history/results"])] == ["history/results"]
    assert {finding.rule for finding in judge(trace, ["history"])} == {"history/results", "history/no-other-results"}
    named = judge(trace, ["ANT-03"])
    assert [finding.reference for finding in named] == ["ANT-03"]
    assert set(named) < set(everything)
    assert judge(trace, ["ANT-14"]) == []


def test_a_wire_rule_is_explained_by_the_rule_that_reports_it() -> None:
    assert rule("ANT-01").id == "continuation/anthropic-messages"
    assert rule("OAI-10").id == "continuation/openai-responses"
    assert rule("preview/prefix").family == "preview"


def test_an_unknown_rule_is_refused_with_a_near_one() -> None:
    with pytest.raises(BadInput, match="did you mean preview/prefix"):
        rule("preview/prefixes")
    with pytest.raises(BadInput) as unknown:
        select(["nonsense", "order", "ANT_01"])
    assert len(unknown.value.problems) == 2


def test_a_continuation_finding_carries_the_providers_words() -> None:
    finding, *_ = judge(of_no_call(), ["continuation"])
    assert finding.reference == "ANT-03"
    assert finding.level == "MUST"
    assert "HTTP 400" in finding.explanation
    assert "unexpected `tool_use_id`" in finding.answered.message


def violation_of(reference: str, level: Level) -> Finding:
    answer = ProviderAnswer("no", place="messages.1")
    return Finding("", level, "", None, "this", "that", reference=reference, provider=answer)


@pytest.mark.parametrize(("level", "reported"), [("MUST", "MUST"), ("SHOULD", "SHOULD"), ("INFO", None)])
def test_info_is_not_reported_by_itself(level: Level, reported: str | None) -> None:
    trace = build("anthropic-messages")
    violation = violation_of("ANT-03", level)
    reading = TraceView(trace, known(trace), [(1, violation)])
    assert [finding.level for finding in judge(reading)] == ([reported] if reported else [])
    assert len(judge(reading, ["ANT-03"])) == 1


def test_what_is_left_out_is_not_reported() -> None:
    trace = of_no_call()
    everything = {finding.reference or finding.rule for finding in judge(trace)}
    for word in everything:
        without = {finding.reference or finding.rule for finding in judge(trace, select(without=[word]))}
        assert without == everything - {word}
    assert not {finding.rule for finding in judge(trace, select(without=["history"]))} & {"history/results"}
    assert judge(trace, select(["ANT-03"], without=["ANT-03"])) == []


def test_info_is_reported_to_who_asks_for_it() -> None:
    trace = build("anthropic-messages")
    violation = violation_of("ANT-01", "INFO")
    reading = TraceView(trace, known(trace), [(1, violation)])
    assert judge(reading) == []
    assert [finding.level for finding in judge(reading, select(info=True))] == ["INFO"]
    assert [finding.level for finding in judge(reading, ["ANT-01"])] == ["INFO"]
    assert judge(reading, select(info=True, without=["ANT-01"])) == []


def test_a_dialect_reports_the_rules_of_its_wire() -> None:
    trace = build("text-tags")
    reading = TraceView(trace, known(trace), [(1, violation_of("OAC-03", "MUST"))])
    (finding,) = judge(reading, ["OAC-03"])
    assert (finding.rule, finding.reference) == ("continuation/text-tags", "OAC-03")


def test_an_unknown_wire_is_bad_input() -> None:
    trace = build("openai-chat")
    with pytest.raises(BadInput, match="'telepathy'"):
        judge(replace(trace, case=replace(trace.case, wire="telepathy")))


def without(trace: Trace, *kinds: type, profile: str) -> Trace:
    records = [each for each in trace.records if not (isinstance(each, EventRecord) and isinstance(each.event, kinds))]
    return Trace(replace(trace.case, profile=profile), tuple(records))


@pytest.mark.parametrize("kinds", [(Thinking,), (Final,), (SetCode,), (Thinking, Final)])
def test_what_a_loop_never_tells_is_held_against_it_only_by_its_contract(kinds: tuple[type, ...]) -> None:
    trace = build("anthropic-messages")
    assert judge(without(trace, *kinds, profile="universal")) == []
    if SetCode not in kinds:
        assert judge(without(trace, *kinds, profile="screenshot-to-code")) != []


def test_rules_of_a_profile_do_not_judge_others() -> None:
    trace = changed(build("anthropic-messages"), TEXT_LAST)
    assert trace is not None
    assert [finding.rule for finding in judge(trace)] == ["order/deltas-first"]
    assert judge(replace(trace, case=replace(trace.case, profile="pydantic-ai"))) == []


def test_findings_come_in_the_order_of_the_trace() -> None:
    trace = changed(build("anthropic-messages"), both(DONE, SAID_TWICE))
    assert trace is not None
    found = judge(trace)
    assert [finding.rule for finding in found] == ["stream/text", "final/code"]
    end = places(build("anthropic-messages").records, Final)[0] + 1
    assert found[0].at < found[1].at == line_of(end)

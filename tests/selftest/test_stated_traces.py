"""What is stated of traces: which small changes they are, and that a rule which says something else is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import pytest

from harness.finding import Finding
from harness.trace import Final, Trace
from harness.wire import Turn
from harness_lab.mutants.traces import SMALL_RUNS
from harness_lab.mutants.traces.other_values import Peers, other_members
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_changes import TraceChange, drawn_changes
from harness_lab.selftest import stated_traces
from harness_lab.selftest.stated import lines_of, unlike_stated
from harness_lab.selftest.stated_traces import every_rule, judgements_of_changes

RUN = PlainRun((Turn((call("depth", "call_1", basin="n"),)), says("Yes.")))
FEW = tuple(islice(SMALL_RUNS.values(), 3))


def every(name: str = "run") -> tuple[Trace, list[TraceChange]]:
    trace = RUN.on("openai-chat")
    return trace, list(drawn_changes(name, trace, 1000))


def test_each_change_is_of_another_kind_and_is_one() -> None:
    trace, changes = every()
    assert len({change.kind for change in changes}) == len(changes)
    assert all(change.made(trace) != trace for change in changes)


@pytest.mark.parametrize(
    "kind",
    [
        "ToolResult without",
        "ToolResult twice",
        "ToolStart after ToolResult",
        "ToolResult.output null",
        "ToolResult of another conversation",
        "Final.text empty",
        "case profile pydantic-ai",
        "case turn_limit one",
        "request tool Result.output json with null",
        "request broken off",
        "response Call.name longer",
        "response Call without",
        "response cut",
        "request every id empty",
        "response no Call",
        "nothing from Final on",
    ],
)
def test_all_parts_of_a_trace_are_changed(kind: str) -> None:
    kinds = {change.kind for name in "abcdef" for change in every(name)[1]}
    assert any(each.endswith(kind.removeprefix("request ")) for each in kinds), sorted(kinds)


def test_the_same_changes_are_drawn_each_time_and_others_for_another_name() -> None:
    trace = RUN.on("openai-chat")
    first, again, other = (list(drawn_changes(name, trace, 9)) for name in ("a", "a", "b"))
    assert first == again
    assert [each.kind for each in first] != [each.kind for each in other]


def test_two_changes_are_made_at_once_where_they_are_of_different_records() -> None:
    trace = RUN.on("openai-chat")
    changes = list(drawn_changes("run", trace, 6, 4))
    singles, pairs = changes[:6], changes[6:]
    assert len(pairs) == 4
    assert all(each.kind.startswith("two changes of ") for each in pairs)
    assert all(each.made(trace) not in [trace, *(single.made(trace) for single in singles)] for each in pairs)
    assert singles[0].together(singles[0]) is None


def test_a_member_that_may_be_none_is_tried_without_and_another_is_not() -> None:
    whats = [what for what, _ in other_members(Final("a", text="b"), Peers({}))]
    assert "text null" in whats
    assert "code null" not in whats


def lines_of_few() -> Mapping[str, str]:
    """What would be stated of a few small runs."""
    return lines_of(judgements_of_changes(FEW), every_rule())


def test_a_rule_that_is_silent_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = lines_of_few()
    assert list(unlike_stated(stated, lines_of_few())) == []
    silent: list[Finding] = []
    monkeypatch.setattr(stated_traces, "judge", lambda *_: silent)
    assert list(unlike_stated(stated, lines_of_few()))


def test_what_crashes_a_rule_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> list[Finding]:
        raise KeyError("elsewhere")

    monkeypatch.setattr(stated_traces, "judge", crash)
    assert "KeyError: 'elsewhere'" in stated_traces.as_stated([]).crash

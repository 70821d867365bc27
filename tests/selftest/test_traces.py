"""The rules under the selftest: it fails where a rule is emptied, speaks always, or sees what it should be blind to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.rules import RULES, Finding, TraceView, broken
from harness_lab.mutants.traces import SMALL_RUNS, TRACES, EquivalentTrace
from harness_lab.selftest import SelftestSummary, scope, stated_traces
from harness_lab.selftest import traces as judged
from harness_lab.selftest.stated import lines_of, text_of
from harness_lab.selftest.traces import HALVES, traces

pytestmark = pytest.mark.anyio

RULE = "order/tool-start-once"
NAMES = ("start-told-twice", "text-told-twice")
UNSTATED = "all rules on every trace is not found as it is stated"

Check = Callable[[TraceView], Iterator[Finding]]


@pytest.fixture
async def rule(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Callable[[str, Check], None]]:
    """Gives a rule another check. Two mutants on one wire are left, with their rules and what is stated of them."""
    monkeypatch.setattr(judged, "TRACES", {name: replace(TRACES[name], wires=("openai-chat",)) for name in NAMES})
    monkeypatch.setattr(judged, "EQUIVALENT_TRACES", {})
    monkeypatch.setattr(judged, "SMALL_RUNS", {})
    monkeypatch.setattr(judged, "HALVES", {})
    monkeypatch.setattr(judged, "RULES", {TRACES[name].rule: RULES[TRACES[name].rule] for name in NAMES})
    monkeypatch.setattr(judged, "own_rules", lambda: [TRACES[name].rule for name in NAMES])
    monkeypatch.setattr(stated_traces, "judgements_of_changes", lambda: ())
    monkeypatch.setattr(stated_traces, "FILE", tmp_path / "stated.json")
    lines = lines_of((await judged._judged(scope())).statements(), stated_traces.every_rule())
    stated_traces.FILE.write_text(text_of(lines), encoding="utf-8")

    def change(id: str, check: Check) -> None:
        monkeypatch.setitem(RULES._by_id, id, replace(RULES[id], check=check))
        judge_anew()

    yield change
    monkeypatch.undo()
    judge_anew()


def judge_anew() -> None:
    """The rules that can speak are kept by selection."""
    from harness.rules import catalogue

    catalogue._applicable_rules.cache_clear()


async def wrong() -> list[str]:
    return [failure.what for failure in SelftestSummary.of([await traces(scope())]).failures]


def never(view: TraceView) -> Iterator[Finding]:
    yield from ()


def always(view: TraceView) -> Iterator[Finding]:
    yield broken(0, "anything else", "this")


async def test_two_rules_with_their_mutants_hold(rule: object) -> None:
    family = await traces(scope())
    assert SelftestSummary.of([family]).passed
    assert family.kills == {RULE: ("start-told-twice",), "stream/text": ("text-told-twice",)}
    assert [run.name for run in family.pairs] == ["start-told-twice+text-told-twice"]
    on = "create-then-edit.openai-chat.event"
    once_more = [(f"{name} read before", on) for name in NAMES]
    assert [(run.name, run.on) for run in family.clean] == [("wire-only", on), *once_more, ("all rules", "every trace")]


async def test_a_rule_whose_check_was_emptied_is_told(rule: Callable[[str, Check], None]) -> None:
    rule(RULE, never)
    assert await wrong() == [
        f"{RULE} is not killed: it finds no mutant that names it",
        f"start-told-twice survives on create-then-edit.openai-chat.event: not found by {RULE}",
        UNSTATED,
    ]


async def test_a_rule_that_always_speaks_is_found_where_it_should_be_blind(rule: Callable[[str, Check], None]) -> None:
    rule(RULE, always)
    case = "create-then-edit.openai-chat.event"
    assert await wrong() == [
        f"text-told-twice on {case} is found by rules that it does not name",
        f"wire-only on {case} is clean, and is found",
        UNSTATED,
    ]


async def test_a_finding_that_says_another_thing_than_is_stated_is_told(rule: Callable[[str, Check], None]) -> None:
    sound = RULES[RULE].check

    def reworded(view: TraceView) -> Iterator[Finding]:
        for finding in sound(view):
            yield replace(finding, got="two")

    rule(RULE, reworded)
    (failure,) = SelftestSummary.of([await traces(scope())]).failures
    assert failure.what == UNSTATED
    assert [line.partition(":")[0] for line in failure.evidence[:1]] == [RULE]
    assert f"--explain '{RULE}'" in failure.evidence[1]


async def test_a_rule_that_is_not_as_it_is_stated_is_told(rule: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(judged.RULES, RULE, replace(RULES[RULE], level="SHOULD"))  # type: ignore[arg-type]
    assert await wrong() == [UNSTATED]


async def test_a_small_run_is_a_mutant_if_something_is_found_and_stated(
    rule: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_one, right_one = (
        replace(SMALL_RUNS[name], wires=("openai-chat",)) for name in ("start-twice", "calls-in-order")
    )
    small_runs = {"start-twice": wrong_one, "calls-in-order": right_one}
    monkeypatch.setattr(judged, "SMALL_RUNS", small_runs)
    family = await traces(scope([RULE, right_one.rule]))
    assert [run.named for run in family.mutants if run.name in small_runs] == [(RULE,)]
    assert [run.name for run in family.clean if run.name in small_runs] == ["calls-in-order"]
    monkeypatch.setitem(small_runs, "start-twice", replace(right_one, name="start-twice", rule=RULE))
    assert await wrong() == [UNSTATED]


async def test_half_of_a_run_is_no_mistake(rule: Callable[[str, Check], None], monkeypatch: pytest.MonkeyPatch) -> None:
    sound = RULES[RULE].check

    def wants_requests(view: TraceView) -> Iterator[Finding]:
        if not view.asks:
            yield broken(0, "a request", "none")
        yield from sound(view)

    rule(RULE, wants_requests)
    monkeypatch.setattr(judged, "HALVES", HALVES)
    case = "create-then-edit.openai-chat.event"
    assert await wrong() == [f"only-events on {case} is clean, and is found", UNSTATED]


@pytest.mark.parametrize(
    ("expected", "got", "at", "lack"),
    [
        ("", "this", 0, "expected is empty"),
        ("this", "this", 0, "expected and got are the same: 'this'"),
        ("x" * 300, "this", 0, "expected has 300 characters, 299 are the most"),
        ("\ud83e", "this", 0, "expected, got or remark has half a character"),
        ("that", "this", 10_000, "line 10002 is none of the trace"),
    ],
)
async def test_a_finding_that_is_no_evidence_is_reported(
    expected: str, got: str, at: int, lack: str, rule: Callable[[str, Check], None]
) -> None:
    sound = RULES[RULE].check

    def unclear(view: TraceView) -> Iterator[Finding]:
        for _ in sound(view):
            yield broken(at, expected, got)

    rule(RULE, unclear)
    failure, *_ = SelftestSummary.of([await traces(scope())]).failures
    assert failure.what == "start-told-twice on create-then-edit.openai-chat.event is found without evidence"
    assert failure.evidence[0].startswith(f"{RULE}: {lack}")


async def test_a_rule_that_crashes_is_told_as_that(rule: Callable[[str, Check], None]) -> None:
    def crashes(view: TraceView) -> Iterator[Finding]:
        if len(view.trace.events) > 14:
            raise TypeError("oops")
        yield from ()

    rule(RULE, crashes)
    selftest = SelftestSummary.of([await traces(scope())])
    assert selftest.crashed


async def test_a_rule_that_says_more_of_what_the_endpoint_hands_in_is_told(rule: Callable[[str, Check], None]) -> None:
    check = RULES[RULE].check

    def biased(view: TraceView) -> Iterator[Finding]:
        yield from check(view)
        if view._conversations:
            yield broken(0, "requests that nobody has read", "requests that were read")

    rule(RULE, biased)
    on = "create-then-edit.openai-chat.event"
    once_more = [f"{name} read before on {on} is not found as it is stated" for name in NAMES]
    assert await wrong() == [f"wire-only on {on} is clean, and is found", *once_more]


async def test_a_mutant_that_changes_nothing_is_told(rule: object, monkeypatch: pytest.MonkeyPatch) -> None:
    idle = replace(judged.TRACES[NAMES[0]], name="idle", edit=lambda draft: None)
    monkeypatch.setattr(judged, "TRACES", {**judged.TRACES, "idle": idle})
    assert await wrong() == ["idle proves nothing on create-then-edit.openai-chat.event", UNSTATED]


async def test_a_variant_that_is_found_is_told(rule: object, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = judged.TRACES[NAMES[0]]
    spoiled = EquivalentTrace("harmless", "It is said to be.", mutant.edit, mutant.scenario, mutant.wires)
    monkeypatch.setattr(judged, "EQUIVALENT_TRACES", {"harmless": spoiled})
    assert await wrong() == ["harmless on create-then-edit.openai-chat.event is clean, and is found", UNSTATED]


async def test_a_scope_leaves_out_what_it_does_not_name() -> None:
    one = await traces(scope([RULE], ["openai-chat"], loops=False))
    assert one.rules == (RULE,)
    broken_traces = [(run.name, run.on) for run in one.mutants if run.name in TRACES]
    assert broken_traces == [("start-told-twice", "create-then-edit.openai-chat.event")]
    assert {SMALL_RUNS[run.name].rule for run in one.mutants if run.name in SMALL_RUNS} == {RULE}
    assert (await traces(scope(["OAC-03"]))).empty
    paused = await traces(scope(["final/paused-turn"], ["openai-chat"]))
    assert paused.empty, "no mutant of that rule is for that wire"


async def test_the_runs_in_a_proof_must_be_what_they_are_said_to_be(
    rule: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_one, right_one = (
        replace(SMALL_RUNS[name], wires=("openai-chat",), rule=RULE) for name in ("start-twice", "calls-in-order")
    )
    monkeypatch.setattr(judged, "SMALL_RUNS", {"wrong": replace(wrong_one, wrong=False, name="wrong")})
    assert (await wrong())[0] == "wrong on openai-chat is clean, and is found"
    monkeypatch.setattr(judged, "SMALL_RUNS", {"right": replace(right_one, wrong=True, name="right")})
    assert (await wrong())[0] == f"right survives on openai-chat: not found by {RULE}"

"""How traces are broken on purpose. The selftest tries what comes of it."""

from __future__ import annotations

import pytest

from harness.rules import judge
from harness.trace import Case, EventRecord, Failure, Final, SetCode, ToolStart, Trace
from harness.wire import OWN_WIRES
from harness_lab.mutants.requests import mutants
from harness_lab.mutants.together import TAKEN_BACK
from harness_lab.mutants.traces import EQUIVALENT_TRACES, TRACES, both, changed, parsers
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, place
from harness_lab.mutants.traces.edits import drop, end_as, repeat
from harness_lab.mutants.traces.small_runs import EVERY
from tests.mutants.played import played


def test_a_mutant_says_what_it_breaks() -> None:
    assert len({mutant.summary for mutant in TRACES.values()}) == len(TRACES)
    for mutant in (*TRACES.values(), *EQUIVALENT_TRACES.values()):
        assert mutant.summary.endswith("."), mutant.name
        assert set(mutant.wires) <= set(OWN_WIRES), mutant.name
    assert not set(TRACES) & set(EQUIVALENT_TRACES)


def test_what_is_stated_has_a_name_of_its_own() -> None:
    names = [*TRACES, *EQUIVALENT_TRACES, *(small_run.name for small_run in EVERY)]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]


@pytest.mark.exhaustive
def test_mistakes_can_be_composed() -> None:
    whole = played(("create-then-edit", "openai-chat"))
    twice = changed(whole, both(TRACES["start-told-twice"].edit, TRACES["text-lost"].edit))
    assert twice is not None
    assert {finding.rule for finding in judge(twice)} == {"order/tool-start-once", "stream/text"}


def test_mistakes_that_take_each_other_back_are_mistakes_that_there_are() -> None:
    every = {*TRACES, *(mutant.name for name in OWN_WIRES for mutant in mutants(name))}
    assert all(pair <= every and why for pair, why in TAKEN_BACK.items())


def test_a_mistake_may_be_taken_back() -> None:
    whole = played(("create-then-edit", "openai-chat"))
    assert changed(whole, both(repeat(Final), drop(Final))) == whole


@pytest.mark.parametrize(
    "pair", [pair for pair in TAKEN_BACK if pair <= set(TRACES)], ids=lambda pair: "+".join(sorted(pair))
)
def test_mistakes_that_are_known_to_take_each_other_back_do(pair: frozenset[str]) -> None:
    one, other = (TRACES[name] for name in TRACES if name in pair)
    part = (one.scenario, one.wires[0])
    trace = changed(played(part), both(one.edit, other.edit))
    assert trace is not None
    assert not {finding.rule for finding in judge(trace)} & {one.rule, other.rule}


# --- the edits ----------------------------------------------------------------------------------------------


def test_where_there_is_nothing_to_break_nothing_is_broken() -> None:
    empty = Trace(Case("empty", "empty", "openai-chat"))
    assert changed(empty, drop(ToolStart)) is None
    assert changed(empty, end_as(Final(""))) is None
    with pytest.raises(NothingToBreak):
        place([], SetCode, -1)


def test_the_trace_that_is_broken_stays_as_it_was() -> None:
    whole = played(("create-then-edit", "openai-chat"))
    before = whole.records
    assert changed(whole, drop(Final)) != whole
    assert whole.records is before
    assert isinstance(before[-1], EventRecord)


def test_a_final_without_code_ends_with_the_code_that_was_set() -> None:
    draft = TraceDraft.of(played(("create-then-edit", "openai-chat")))
    end_as(Failure("crash", "oops"))(draft)
    end_as(Final(""))(draft)
    end = draft.records[-1]
    assert isinstance(end, EventRecord)
    assert isinstance(end.event, Final)
    assert "Open daily" in end.event.code


# --- the parsers --------------------------------------------------------------------------------------------

WHOLE = '{"path": "a.html", "content": "a\\n\\ud83e\\udd50b"}'


@pytest.mark.parametrize(
    ("parser", "cut", "shown"),
    [
        (parsers.parsed_anew, '"content": "a\\', "a"),
        (parsers.parsed_anew, '"content": "a\\n\\ud83e', "a\n"),
        (parsers.parsed_anew, '"b', "a\n🥐b"),
        (parsers.pushed, '"content": "a\\n\\ud83e', "a\n"),
        (parsers.pushed, '"b', "a\n🥐b"),
        (parsers.not_decoded, '"content": "a\\n', "a\\n"),
        (parsers.with_half_an_escape, '"content": "a\\', "a\\"),
        (parsers.found_anywhere, "", "a\\n\\ud83e\\udd50b"),
        (parsers.salvaged, "\\ud83e", "a\n\ud83e"),
        (parsers.salvaged, "\\ud83", "a\n"),
        (parsers.blank_meanwhile, "\\ud83", ""),
        (parsers.blank_meanwhile, '"content": "a', "a"),
        (parsers.shown_in_steps, "", None),
    ],
)
def test_a_parser_shows_what_it_is_said_to_show(parser: parsers.Parser, cut: str, shown: str | None) -> None:
    """``cut``: the arguments have come up to the end of this piece of them (empty: all of them)."""
    come = WHOLE[: WHOLE.index(cut) + len(cut)] if cut and cut in WHOLE else WHOLE
    assert parser(come) == shown

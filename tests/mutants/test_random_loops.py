"""Random loops without a mistake break no rule, on any wire; with any one mistake they break one of its rules."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from harness.mutants.requests import Specimen, mutants, specimens
from harness.wire import WIRES, Call, Refusal, Stop, Text, Thinking, Turn, WireName

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=20)
arguments = st.fixed_dictionaries({"path": texts}).map(json.dumps)
calls = st.builds(Call, st.sampled_from(["list_files", "read_file"]), arguments)
thinkings = st.builds(Thinking, words, form=st.sampled_from(["plain", "plain", "redacted", "omitted"]))


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    """A turn as models make them: thinking, then text, then calls; each may be missing, but not all."""
    thinking = tuple(draw(st.lists(thinkings, max_size=2)))
    made = tuple(draw(st.lists(calls, max_size=3)))
    text = draw(words.map(Text) | words.map(Refusal) if not made else st.none() | words.map(Text))
    said = (*thinking, *([text] if text is not None else []), *made)
    return Turn(said, Stop.TOOL_CALLS if made else Stop.END)


@st.composite
def loops(draw: st.DrawFn, name: WireName, *, foreign: bool = True) -> Specimen:
    """A specimen of this wire (its model, its settings, its way to go on) in which the model says something else.

    Without ``foreign`` it is one that the endpoint has issued itself: some mistakes show only beside what was sent.
    """
    base = draw(st.sampled_from([each for each in specimens(name) if foreign or not each.foreign]))
    return replace(base, name="random", turns=tuple(draw(st.lists(turns(), min_size=1, max_size=4))))


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_loop_without_a_mistake_breaks_no_rule(name: WireName, data: st.DataObject) -> None:
    played = data.draw(loops(name)).play()
    assert played.judge(played.last) == []


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_any_mistake_breaks_one_of_its_rules(name: WireName, data: st.DataObject) -> None:
    played = data.draw(loops(name, foreign=False)).play()
    mistake = data.draw(st.sampled_from(mutants(name)))
    posted = played.last
    assume(mistake.edit(posted))
    broken = {violation.rule for violation in played.judge(posted)}
    assert broken & set(mistake.rules), (mistake.name, broken)

"""Mutants of this wire: every check has one that it alone finds, and in random loops every one is found."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Conversation, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.gemini_generate import WIRE
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.request import Request
from harness_lab.mutants.requests import BaseRequest, Posted, RequestMutant, equivalents, mutants

MUTANTS = mutants("gemini-generate")


def read(posted: Posted) -> Conversation:
    route = WIRE.route("POST", posted.path)
    assert route is not None
    return WIRE.read(route, posted.content())


@cache
def broken() -> list[tuple[RequestMutant, Conversation, IssuedState]]:
    """Every mutant on every specimen, but for bodies that cannot be read."""
    found = []
    for mutant in MUTANTS:
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            assert mutant.edit(posted)
            if posted.raw is None:
                found.append((mutant, read(posted), IssuedState() if base.foreign else played.issued))
    return found


def found_by(check: Any, conversation: Conversation, sent: IssuedState) -> set[str]:
    sent.memory = None
    return {violation.id for violation in check(Request(conversation, sent))}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("check", RULES.checks, ids=lambda check: check.__name__)
def test_every_check_is_needed(check: Any) -> None:
    """Without it some mutant would go unnoticed, or be told as something else."""
    for mutant, conversation, sent in broken():
        if mutant.rules[0] in found_by(check, conversation, sent):
            others = [other for other in RULES.checks if other is not check]
            if not any(mutant.rules[0] in found_by(other, conversation, sent) for other in others):
                return
    pytest.fail("every mutant that it finds is found by another check, too")


# --- random loops -------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab ä😀\n<&"), max_size=6)
values = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | texts | st.lists(texts, max_size=2)
arguments = st.dictionaries(st.sampled_from(["path", "n", "ä", ""]), values, max_size=2).map(json.dumps)
ids = st.none() | st.sampled_from(["same", "other"])
calls = st.builds(Call, st.sampled_from(["list_files", "read_file"]), arguments, ids) | st.builds(
    Call, st.just("read_file"), arguments, st.just("")
)
spoken = st.lists(st.builds(Text, texts) | st.builds(ThinkingPart, texts), max_size=2)
deltas = st.sampled_from(["whole", "token"])
calling = st.builds(
    lambda before, made, how: Turn((*before, *made), FinishReason.TOOL_CALLS, deltas=how),
    spoken,
    st.lists(calls, min_size=1, max_size=3, unique_by=lambda call: call.id or object()),
    deltas,
)
talking = st.builds(lambda said, how: Turn((*said, Text("So.")), deltas=how), spoken, deltas)
models = st.sampled_from(["gemini-3.7-flash", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-3.5-flash-lite"])
loops = st.builds(
    lambda model, turns: BaseRequest("random", "gemini-generate", model, tuple(turns)),
    models,
    st.lists(calling | talking, min_size=1, max_size=4),
)


@pytest.mark.exhaustive
@settings(max_examples=25, deadline=None)
@given(loops)
def test_a_random_loop_breaks_no_rule_and_every_mutant_of_it_does(base: BaseRequest) -> None:
    played = base.play()  # raises where a request breaks a rule at any level
    for mutant in MUTANTS:
        posted = played.last
        if mutant.name != "gem-input-too-long" and mutant.edit(posted):
            found = {violation.id for violation in played.judge(posted)}
            assert found & set(mutant.rules), (mutant.name, found)


@settings(max_examples=25, deadline=None)
@given(loops)
def test_variants_of_a_random_loop_are_accepted(base: BaseRequest) -> None:
    played = base.play()
    for variant in equivalents("gemini-generate"):
        posted = played.last
        if _suits(variant.name, posted) and variant.edit(posted):
            found = [violation for violation in played.judge(posted) if violation.level != "INFO"]
            assert found == [], variant.name


def _suits(name: str, posted: Posted) -> bool:
    """Some are harmless only where their specimens are: old models, histories that nobody here issued."""
    if name == "gem-unsigned":
        return "2.5" in posted.path
    if name == "gem-level-lower-case":
        return "2.5" not in posted.path
    return True


# --- judging never fails ------------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | st.just("\ud83d"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["text", "id", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for step, member in steps for below in places(member, (*path, step)))]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_stands_anywhere_the_request_is_read_and_judged(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from([mutant.base_requests[0] for mutant in MUTANTS]))
    played = base.play()
    posted = played.last
    *path, last = data.draw(st.sampled_from(places(posted.body)[1:]))
    holder = posted.body
    for step in path:
        holder = holder[step]
    holder[last] = data.draw(anything)
    for violation in played.judge(posted):
        assert violation.answered.message
        assert violation.expected

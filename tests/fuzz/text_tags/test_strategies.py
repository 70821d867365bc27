"""The strategies make what they say, for anybody's tests."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.fuzz.strategies.text_tags import TAG_PAIRS, TOKENS, answers, call, calls, deltas, in_units, tokens
from harness.fuzz.text_tags.grammar import parsed
from harness.wire.characters import joined, sendable


@given(calls())
@settings(max_examples=150, deadline=None)
def test_calls_are_well_formed(text: str) -> None:
    said = parsed(sendable(text))
    assert (len(said.calls), said.text, said.doubt) == (1, "", None)


@given(calls(st.dictionaries(st.sampled_from(["x", "y z", "args"]), st.text(max_size=5) | st.integers(), max_size=3)))
@settings(max_examples=150, deadline=None)
def test_arguments_may_be_ones_own(text: str) -> None:
    (found,) = parsed(sendable(text)).calls
    assert found.arguments.keys() <= {"x", "y z", "args"}
    assert all(isinstance(value, str | int) for value in found.arguments.values())


@given(answers().flatmap(lambda text: st.tuples(st.just(text), deltas(text))))
@settings(max_examples=150, deadline=None)
def test_deltas_are_the_text_in_pieces(drawn: tuple[str, list[str]]) -> None:
    text, pieces = drawn
    assert joined("".join(pieces)) == joined(text)
    assert all(pieces)


def test_a_pair_may_come_in_two() -> None:
    assert in_units("é😀", (1,)) == ["é", "\ud83d", "\ude00"]
    assert in_units("ab😀c", (3, 1)) == ["ab\ud83d", "\ude00", "c"]
    assert in_units("abc", ()) == ["abc"]


def test_numbers_say_tokens() -> None:
    assert tokens([0, 0, len(TOKENS), 1]) == "aaa "
    assert tokens([1, 0], ("x", "y")) == "yx"


def test_a_call_has_two_forms() -> None:
    assert call() == '<tool_call>{"name":"b","args":{}}</tool_call>'
    assert call("é", {"x": "é"}, TAG_PAIRS[1], colon=True) == '<|tool_call>call:é{"x":"é"}<tool_call|>'

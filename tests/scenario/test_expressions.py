"""Event expressions: what they accept, against Python's regular expressions; what they say when they do not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.scenario.automaton import Choice, EventExpression, Node, Repeat, Series, compile_expression
from harness.scenario.grammar import ExpressionError, parse
from harness.scenario.patterns import EventPattern, describe
from harness.trace import Assistant, Event, Failure, Final, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from tests.case_tables import from_table

START = ToolStart("1", "create_file")
PREVIEW = SetCode("<p>", "1", preview=True)
CODE = SetCode("<p>")
OK = ToolResult("1", "create_file", None, ok=True)
FAILED = ToolResult("1", "create_file", None, ok=False)
TEXT = Assistant("Done.", "a")
FINAL = Final("<p>")


@pytest.mark.parametrize(
    ("source", "events"),
    [
        ("final", [FINAL]),
        ("assistant? final", [FINAL]),
        ("assistant? final", [TEXT, FINAL]),
        ("toolStart(create_file) setCode(preview)* setCode(result) toolResult(create_file, ok)", [START, CODE, OK]),
        ("toolStart setCode(preview)+ setCode(result) toolResult", [START, PREVIEW, PREVIEW, CODE, FAILED]),
        ("(toolStart toolResult(failed)){2} final", [START, FAILED, START, FAILED, FINAL]),
        ("(assistant | thinking){1,3} error(turn-limit)", [TEXT, Thinking("x", "t"), Failure("turn-limit", "")]),
        ("setCode{2,}", [CODE, PREVIEW, CODE]),
        ('assistant("Done.") final(completed)', [TEXT, FINAL]),
        ('assistant("caf\\u00e9 \\"x\\"\\n")', [Assistant('café "x"\n', "a")]),
        ("turnStart(2)", [TurnStart(2)]),
        ("toolResult(ok, create_file)", [OK]),
        ('toolResult("ok")', [ToolResult("1", "ok", None, ok=False)]),
        ("# a comment ( that | means nothing\n final # and one at the end", [FINAL]),
        ("", []),
        ("assistant|", []),
    ],
)
def test_accepts(source: str, events: list[Event]) -> None:
    assert parse(source).match(events) is None


@pytest.mark.parametrize(
    ("source", "events", "matched", "expected", "may_end"),
    [
        ("final", [], 0, ["final"], False),
        ("final", [FINAL, FINAL], 1, [], True),
        ("assistant? final(completed)", [Final("", "refused")], 0, ["assistant", "final(completed)"], False),
        ("setCode(preview)* setCode(result)", [PREVIEW, OK], 1, ["setCode(preview)", "setCode(result)"], False),
        ("(toolStart toolResult){2}", [START, OK, START], 3, ["toolResult"], False),
        ("setCode{2,3}", [CODE] * 4, 3, [], True),
        ('assistant("Done.")', [Assistant("Done", "a")], 0, ['assistant("Done.")'], False),
        ("toolResult(create_file, ok)", [FAILED], 0, ["toolResult(create_file, ok)"], False),
    ],
)
def test_says_how_far_the_events_fitted_and_what_could_have_come(
    source: str, events: list[Event], matched: int, expected: list[str], may_end: bool
) -> None:
    failed = parse(source).match(events)
    assert failed is not None
    assert failed.matched == matched
    assert [str(pattern) for pattern in failed.expected] == expected
    assert failed.may_end is may_end


# --- against Python's own regular expressions -------------------------------------------------------------

_LETTERS: dict[str, tuple[EventPattern, Event]] = {
    "a": (EventPattern("assistant"), TEXT),
    "s": (EventPattern("toolStart"), START),
    "r": (EventPattern("toolResult", ((1, "ok"),)), OK),
    "f": (EventPattern("toolResult", ((1, "failed"),)), FAILED),
}


def _trees(inner: st.SearchStrategy[tuple[Node, str]]) -> st.SearchStrategy[tuple[Node, str]]:
    several = st.lists(inner, min_size=0, max_size=3)
    bounds = st.tuples(st.integers(0, 3), st.none() | st.integers(0, 3))
    return st.one_of(
        several.map(lambda items: (Series(tuple(n for n, _ in items)), "".join(f"(?:{t})" for _, t in items))),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: (Choice(tuple(n for n, _ in items)), "|".join(f"(?:{t})" for _, t in items))
        ),
        st.tuples(inner, bounds).map(_repeated),
    )


def _repeated(drawn: tuple[tuple[Node, str], tuple[int, int | None]]) -> tuple[Node, str]:
    (node, text), (low, more) = drawn
    high = None if more is None else low + more
    return Repeat(node, low, high), f"(?:{text}){{{low},{'' if high is None else high}}}"


_LEAVES = st.sampled_from([(pattern, letter) for letter, (pattern, _) in _LETTERS.items()])


@settings(max_examples=300, deadline=None)
@given(st.recursive(_LEAVES, _trees, max_leaves=6), st.text(alphabet="asrf", max_size=7))
def test_accepts_what_a_regular_expression_accepts(tree: tuple[Node, str], letters: str) -> None:
    node, text = tree
    accepted = compile_expression("", node).match(_LETTERS[letter][1] for letter in letters) is None
    assert accepted is (re.fullmatch(text, letters) is not None)


@settings(max_examples=150, deadline=None)
@given(st.recursive(_LEAVES, _trees, max_leaves=5), st.text(alphabet="asrf", min_size=1, max_size=6))
def test_what_could_have_come_really_could(tree: tuple[Node, str], letters: str) -> None:
    expression = compile_expression("", tree[0])
    events = [_LETTERS[letter][1] for letter in letters]
    failed = expression.match(events)
    if failed is None:
        return
    for pattern, event in _LETTERS.values():
        again = expression.match([*events[: failed.matched], event])
        taken = again is None or again.matched > failed.matched
        assert taken is (pattern in failed.expected)


def test_nested_repetitions_are_matched_in_one_pass() -> None:
    # ((a*|aa)*)*b is where a backtracking matcher never comes back; this test would not end.
    failed = parse("((assistant* | assistant assistant)*)* final").match([TEXT] * 1_000)
    assert failed is not None
    assert failed.matched == 1_000


def test_a_repetition_has_so_many_places_and_edges_as_copies() -> None:
    expression = parse("(toolStart toolResult){0,300}")
    assert len(expression.positions) == 600
    assert max(map(len, expression.follow)) == 1


# --- errors in the expression -----------------------------------------------------------------------------


@from_table(__file__, "test_errors_name_the_place")
def test_errors_name_the_place(source: str, at: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(source, tools=["create_file", "edit_file"])
    assert caught.value.at == at
    assert message in caught.value.message


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='()|*+?{},"\\ #1afinlsetCod', max_size=20))
def test_any_text_is_an_expression_or_an_error(source: str) -> None:
    try:
        at = 0 if isinstance(parse(source), EventExpression) else -1
    except ExpressionError as error:
        at = error.at
    assert 0 <= at <= len(source)


@pytest.mark.parametrize(
    "event",
    [TurnStart(3), TEXT, Thinking('"\n\\', "t"), START, PREVIEW, CODE, FAILED, OK, Failure("http", "x"), FINAL],
)
def test_the_description_of_an_event_is_an_expression_that_accepts_it(event: Event) -> None:
    assert parse(describe(event)).match([event]) is None


def test_a_description_shortens_long_texts() -> None:
    assert describe(Assistant("x" * 100, "a")) == f'assistant("{"x" * 60}…")'

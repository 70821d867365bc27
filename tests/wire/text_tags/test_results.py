"""The message with the results: written, read back by somebody who knows the calls, and what cannot be known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.text_tags.results import Entries, read_results, results_message

names = st.sampled_from(["a", "b", "read file", "x]y", "[", "Ü"])
words = st.text("ab []\n\tü", max_size=8)


@given(st.lists(st.tuples(names, words), min_size=1, max_size=5))
def test_what_is_written_is_read(results: list[tuple[str, str]]) -> None:
    text = results_message(results)
    found = read_results(text, [name for name, _ in results])
    assert found is not None
    assert results_message(found.results) == text
    assert [name for name, _ in found.results] == [name for name, _ in results]
    if not found.surplus:
        assert list(found.results) == results


@pytest.mark.parametrize(
    ("body", "calls", "expected"),
    [
        ("[a] x\n\n[b] y", ["a", "b"], Entries((("a", "x"), ("b", "y")))),
        ("[a] ", ["a"], Entries((("a", ""),))),
        ("[a]", ["a"], Entries((("a", ""),))),
        ("[a] see\n\n[1] a footnote\n\n[b] y", ["a", "b"], Entries((("a", "see\n\n[1] a footnote"), ("b", "y")))),
        ("[b] y\n\n[a] x", ["a", "b"], Entries((("b", "y"), ("a", "x")))),
        ("[a] x", ["a", "b"], Entries((("a", "x"),))),
        ("[c] x\n\n[b] y", ["a", "b"], Entries((("c", "x"), ("b", "y")))),
        ("[a] x\n\n[a] y", ["a"], Entries((("a", "x\n\n[a] y"),), surplus=1)),
        ("[a] log:\n\n[b] y\n\n[b] z", ["a", "b"], Entries((("a", "log:"), ("b", "y\n\n[b] z")), surplus=1)),
        ("[ab] x\n\n[a] y", ["ab", "a"], Entries((("ab", "x"), ("a", "y")))),
        ("[x]y] z", ["x]y"], Entries((("x]y", "z"),))),
    ],
)
def test_entries_are_told_apart_by_the_names_of_the_calls(body: str, calls: list[str], expected: Entries) -> None:
    assert read_results(f"Tool results:\n\n{body}", calls) == expected


@pytest.mark.parametrize(
    "text", ["", "Thanks.", "Tool results are late.", "Tool results: none", "tool results:\n\n[a] x"]
)
def test_what_is_no_message_of_results(text: str) -> None:
    assert read_results(text, ["a"]) is None


def test_a_message_without_entries_has_no_results() -> None:
    assert read_results("Tool results:", ["a"]) == Entries(())

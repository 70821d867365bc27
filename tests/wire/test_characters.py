"""Halves of surrogate pairs: joined, replaced, and held back while a text arrives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.wire.characters import Pieces, is_sendable, joined, sendable, sendable_value

HIGH, LOW = "\ud83e", "\udd50"  # together 🥐

ANY_TEXT = st.text(st.sampled_from(["a", '"', "\\", "é", "🥐", HIGH, LOW]), max_size=12)


@pytest.mark.parametrize(
    ("text", "kept", "sent"),
    [
        ("", "", ""),
        ("plain", "plain", "plain"),
        ("é🥐", "é🥐", "é🥐"),
        (f"a{HIGH}{LOW}b", "a🥐b", "a🥐b"),
        (f"{LOW}{HIGH}", f"{LOW}{HIGH}", "\ufffd\ufffd"),
        (f"{HIGH}{HIGH}{LOW}", f"{HIGH}🥐", "\ufffd🥐"),
        (f"é{HIGH}", f"é{HIGH}", "é\ufffd"),
    ],
)
def test_halves_that_meet_become_their_character(text: str, kept: str, sent: str) -> None:
    assert (joined(text), sendable(text)) == (kept, sent)


@pytest.mark.parametrize("make_whole", [joined, sendable])
def test_a_text_without_halves_is_returned_as_it_is(make_whole: Callable[[str], str]) -> None:
    text = "Crème brûlée 🥐"
    assert make_whole(text) is text


@given(ANY_TEXT)
def test_what_is_sendable_has_bytes_and_says_the_same(text: str) -> None:
    sent = sendable(text)
    assert is_sendable(sent)
    assert sent.encode().decode() == sent
    assert is_sendable(text) is (sent == text == joined(text))
    assert len(joined(text)) == len(sent), "a half is replaced one for one"


def test_every_text_of_a_value_is_made_sendable() -> None:
    value: Any = {f"{HIGH}": [f"a{HIGH}{LOW}", (1, None, True), {"deep": LOW}]}
    assert sendable_value(value) == {"\ufffd": ["a🥐", [1, None, True], {"deep": "\ufffd"}]}


# --- texts that arrive in pieces ----------------------------------------------------------------------------


def test_a_high_half_waits_for_its_low_one() -> None:
    pieces = Pieces()
    assert [pieces.push(piece) for piece in ("a", f"b{HIGH}", LOW, "c")] == ["a", "b", "🥐", "c"]
    assert pieces.end() == ""
    assert pieces.text == "ab🥐c"


def test_a_half_whose_other_never_comes_is_replaced_when_that_is_known() -> None:
    pieces = Pieces()
    assert [pieces.push(piece) for piece in (HIGH, "", "x", LOW, HIGH)] == ["", "", "\ufffdx", "\ufffd", ""]
    assert pieces.end() == "\ufffd"
    assert pieces.end() == "", "it is told once"


@given(st.lists(ANY_TEXT))
@example([f"é{HIGH}", "", f"{LOW}{HIGH}"])
def test_however_it_is_cut_the_same_is_told(cut: list[str]) -> None:
    pieces = Pieces()
    told = [*map(pieces.push, cut), pieces.end()]
    assert all(map(is_sendable, told))
    assert "".join(told) == pieces.text == sendable("".join(cut))

"""How text and arguments are split into deltas."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.wire.deltas import split
from harness.wire.turn import Deltas

WAYS: tuple[Deltas, ...] = get_args(Deltas)

TEXT = 'Crème brûlée 🥐 at  5:00,\n\t1234 "焼き" \\u00e9'


def check(text: str, cut: Callable[[str, Deltas], list[str]]) -> None:
    for way in WAYS:
        deltas = cut(text, way)
        assert all(deltas), "no delta is empty"
        if way == "utf16":
            assert all(len(unit) == 1 and ord(unit) < 0x10000 for unit in deltas)
            assert as_javascript("".join(deltas)) == as_javascript(text)
        else:
            assert "".join(deltas) == text
        assert cut(text, way) == deltas, "the same on every run"


def as_javascript(text: str) -> bytes:
    """The text as UTF-16 units, in which a pair and its two halves are the same."""
    return text.encode("utf-16-le", "surrogatepass")


@given(st.text(st.characters()))
@example("")
@example("\ud83d")
@example("\ude00\ud83d")
@settings(max_examples=150, deadline=None)
def test_joined_deltas_are_the_text(text: str) -> None:
    check(text, split)


def test_whole_is_one_delta_and_nothing_is_none() -> None:
    assert split(TEXT, "whole") == [TEXT]
    assert [split("", way) for way in WAYS] == [[], [], [], []]


def test_tokens_are_pieces_of_the_size_that_models_send() -> None:
    assert split(TEXT, "token") == [
        *("Crème", " brûlée", " ", "🥐", " at", "  ", "5", ":", "00", ",", "\n\t", "123", "4", " ", '"'),
        *("焼き", '"', " ", "\\", "u", "00", "e", "9"),
    ]


def test_long_words_and_numbers_come_in_pieces() -> None:
    assert split("internationalise 1234567", "token") == ["intern", "ationa", "lise", " ", "123", "456", "7"]


def test_characters_are_code_points() -> None:
    assert split("é🥐x", "character") == ["é", "🥐", "x"]


def test_utf16_units_are_halves_of_pairs() -> None:
    assert split("é🥐x", "utf16") == ["é", "\ud83e", "\udd50", "x"]
    assert split("\ud83e", "utf16") == ["\ud83e"]


@pytest.mark.parametrize("way", ["token", "character", "utf16"])
def test_a_long_text_is_split_into_many(way: Deltas) -> None:
    assert len(split("word " * 2000, way)) >= 2000


def loses_spaces(text: str, way: Deltas) -> list[str]:
    return text.split() if way == "token" else split(text, way)


def keeps_pairs(text: str, way: Deltas) -> list[str]:
    return list(text) if way == "utf16" else split(text, way)


def sends_empty(text: str, way: Deltas) -> list[str]:
    return [*split(text, way), ""]


@pytest.mark.parametrize("mutant", [loses_spaces, keeps_pairs, sends_empty])
def test_a_broken_split_is_caught(mutant: Callable[[str, Deltas], list[str]]) -> None:
    with pytest.raises(AssertionError):
        check(TEXT, mutant)

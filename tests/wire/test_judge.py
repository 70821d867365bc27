"""The driver of all wires: which checks it runs, in which order, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire.judge import DeclaredRules, Rulebook
from harness.wire.rule import ErrorTemplate, WireRule

EMPTY = "harness.preview"
"""A package without modules: the rules are registered here."""


def rule(id: str) -> WireRule:
    return WireRule(id, "It is right.", "It is refused.", "certain", ("docs",), (ErrorTemplate("No."),))


def added(book: Rulebook[Any], stage: str, id: str, *kinds: str) -> None:
    declared = rule(id)

    @book.check(stage, declared, only_with=kinds)
    def found(_: Any) -> Iterator[Finding]:
        yield declared.broken("", expected="a", got="b")


@pytest.fixture
def book() -> Rulebook[Any]:
    book = Rulebook[Any](EMPTY, "shape", "meaning")
    added(book, "meaning", "ACM-2")
    added(book, "shape", "ACM-10", "image")
    added(book, "shape", "ACM-NAME")
    return book


def ids(found: list[Finding]) -> list[str]:
    return [each.reference for each in found]


def test_stages_come_in_their_order_and_checks_as_they_are_in_the_file(book: Rulebook[Any]) -> None:
    assert ids(book.judge(None)) == ["ACM-10", "ACM-NAME", "ACM-2"]
    assert ids(book.judge(None, "meaning")) == ["ACM-2"]
    assert len(book.checks) == 3


def test_a_check_of_other_kinds_is_left_out(book: Rulebook[Any]) -> None:
    assert ids(book.judge(None, kinds=frozenset({"text"}))) == ["ACM-NAME", "ACM-2"]
    assert ids(book.judge(None, kinds=frozenset({"image"}))) == ["ACM-10", "ACM-NAME", "ACM-2"]


def test_rules_come_by_number_and_then_by_name(book: Rulebook[Any]) -> None:
    book.declare(rule("ACM-10b"))
    assert [each.id for each in DeclaredRules(book)] == ["ACM-2", "ACM-10", "ACM-10b", "ACM-NAME"]


def test_an_id_belongs_to_one_rule(book: Rulebook[Any]) -> None:
    with pytest.raises(ValueError, match="ACM-2 is the id of two rules"):
        book.declare(rule("ACM-2"))


def test_what_a_check_carries_is_declared_beside_it(book: Rulebook[Any]) -> None:
    @book.carry(0)
    def length(before: int, part: str) -> int:
        return before + len(part)

    assert list(book.carried) == [length]
    assert length.add(length.add(length.start, "ab"), "c") == 3


def test_a_stage_that_is_not_one_of_the_book_is_a_mistake(book: Rulebook[Any]) -> None:
    with pytest.raises(ValueError, match="'later' is no stage"):
        added(book, "later", "ACM-3")

"""What is stated of requests: every small change of each valid one, and each mutant for other models and servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness.finding import Finding
from harness.wire import IssuedState
from harness_lab.mutants.requests import PlayedLoop, Posted
from harness_lab.mutants.requests.small_changes import (
    SmallChange,
    at_limits,
    borrowed,
    lent_by,
    small_changes,
    two_by_two,
    words_of,
)
from harness_lab.selftest.stated import lines_of, own_rules_of, unlike_stated
from harness_lab.selftest.stated_requests import as_stated, judgements, otherwise_when_remembered

SMALL = "text-tags"
"""The wire with the fewest requests."""

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "n": 2, "stream": True}


def made(name: str) -> Iterator[object]:
    """The body after each small change of this name."""
    words = words_of([BODY, {"messages": [{"role": "assistant"}]}])
    yield from (change.made(BODY) for change in small_changes(BODY, words) if change.name == name)


@pytest.mark.parametrize(
    ("name", "member", "value"),
    [
        ("n without", "n", None),
        ("n negative", "n", -1),
        ("stream reversed", "stream", False),
        ("messages empty", "messages", []),
        ("messages twice", "messages", [*BODY["messages"], *BODY["messages"]]),
        ("messages.*.role is assistant", "messages", [{"role": "assistant", "content": "Hi"}]),
        ("messages.*.content empty", "messages", [{"role": "user", "content": ""}]),
    ],
)
def test_a_small_change_is_one(name: str, member: str, value: object) -> None:
    (body,) = made(name)
    assert isinstance(body, dict)
    assert body.get(member) == value
    assert {key: each for key, each in body.items() if key != member} == {
        key: each for key, each in BODY.items() if key != member
    }


def test_no_small_change_leaves_the_body_as_it_is_nor_changes_it_in_place() -> None:
    before = repr(BODY)
    changes: list[SmallChange] = list(small_changes(BODY, words_of([BODY])))
    assert all(repr(change.made(BODY)) != before for change in changes)
    assert repr(BODY) == before


def test_every_request_is_found_as_it_is_stated() -> None:
    assert as_stated(SMALL).unstated == ()


def test_a_check_that_is_silent_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayedLoop, "judge", lambda *_, **__: [])
    unstated = as_stated(SMALL).unstated
    assert unstated
    assert all("; found" in line for line in unstated[:3])


@pytest.mark.slow
def test_one_other_word_in_an_answer_is_reported() -> None:
    every = list(judgements(SMALL))
    at = next(number for number, each in enumerate(every) if each.words)
    other = [*every]
    other[at] = replace(
        every[at], words=(every[at].words[0].replace("expected", "Expected") + ".", *every[at].words[1:])
    )
    rules = own_rules_of(SMALL)
    (line, explain, _) = unlike_stated(lines_of(every, rules), lines_of(other, rules))
    assert line.startswith(f"{every[at].rules[0]}: stated ")
    assert f"scripts/state-findings --explain '{every[at].rules[0]}'" in explain


def test_what_crashes_a_check_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> list[Finding]:
        raise KeyError("elsewhere")

    monkeypatch.setattr(PlayedLoop, "judge", crash)
    assert "KeyError: 'elsewhere'" in as_stated(SMALL).crash


@pytest.mark.slow
def test_what_was_not_issued_here_is_judged_by_its_body_alone() -> None:
    every = {(each.kind, each.on): each.words for each in judgements(SMALL)}
    here = {(kind.removesuffix(", not issued here"), on) for kind, on in every if kind.endswith(", not issued here")}
    assert here
    assert any(every[kind, on] != every[f"{kind}, not issued here", on] for kind, on in here)


OTHER = {"model": "m", "messages": [{"role": "tool", "content": "Hi"}], "seed": 1}


def test_a_request_borrows_what_others_have_in_such_a_place() -> None:
    bodies = {change.name: change.made(BODY) for change in borrowed(BODY, lent_by([BODY, OTHER]))}
    assert bodies["body and seed"] == {**BODY, "seed": 1}
    assert bodies["messages before tool"]["messages"] == [*BODY["messages"], *OTHER["messages"]]
    assert bodies["messages behind tool"]["messages"] == [*OTHER["messages"], *BODY["messages"]]


def test_two_changes_are_made_at_once() -> None:
    pairs = list(two_by_two(small_changes(BODY, words_of([BODY]))))
    assert pairs
    assert all(one != other for one, other in pairs)


def test_texts_lists_and_numbers_are_tried_at_limits_once() -> None:
    seen: set[str] = set()
    made = [change.made(BODY) for change in at_limits(BODY, seen)]
    assert {len(body["messages"]) for body in made} >= {1, 128, 129}
    assert {body["n"] for body in made} >= {2, 1024, 1025}
    assert {len(body["model"]) for body in made} >= {1, 64, 65}
    assert list(at_limits(BODY, seen)) == []


def test_what_a_wire_remembers_changes_nothing_of_what_is_found() -> None:
    assert list(otherwise_when_remembered(SMALL)) == []


def test_a_wire_that_judges_otherwise_where_it_remembers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    judged_after = PlayedLoop.judge_after

    def silent(played: PlayedLoop, posted: Posted, before: IssuedState, *, server: str = "") -> list[Finding]:
        return judged_after(played, posted, before, server=server) if before.memory is None else []

    monkeypatch.setattr(PlayedLoop, "judge_after", silent)

    def remembering(played: PlayedLoop, *, issued: bool = True) -> IssuedState:
        state = IssuedState()
        state.memory = "something"
        return state

    monkeypatch.setattr(PlayedLoop, "remembering", remembering)

    assert next(otherwise_when_remembered(SMALL)).endswith("and where the wire remembers []")

"""Which cases a worker is given: those whose SDK it has, then those that nobody serves, then what pays an import."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.runner.backlog import BATCH_SECONDS, IMPORT_SECONDS, LARGEST_BATCH, Backlog
from harness.runner.cases import sdk_of
from harness.wire import WIRES

CHAT, RESPONSES, ANTHROPIC, GEMINI = "openai-chat", "openai-responses", "anthropic-messages", "gemini-generate"


def backlog_of(*wires: str, seconds: float = 0.02) -> Backlog:
    return Backlog([sdk_of(wire) for wire in wires], seconds)


def test_every_wire_has_an_sdk_and_both_openai_wires_share_one() -> None:
    assert {sdk_of(wire) for wire in WIRES} == {"openai", "anthropic", "google-genai"}
    assert sdk_of(CHAT) == sdk_of(RESPONSES) == sdk_of("text-tags")


def test_a_new_worker_takes_up_what_nobody_serves_the_longest_first() -> None:
    backlog = backlog_of(ANTHROPIC, *[GEMINI] * 3, *[CHAT] * 2, *[RESPONSES] * 2)
    crews: Counter[str] = Counter()
    for sdk in ("openai", "google-genai", "anthropic"):
        numbers = backlog.take((), crews)
        assert {backlog.need(number) for number in numbers} == {sdk}
        crews[sdk] += 1
    assert backlog.take((), crews) == []  # what is left is not worth an import


def test_a_worker_stays_with_the_sdks_that_it_has() -> None:
    backlog = backlog_of(ANTHROPIC, *[CHAT] * 100)
    assert backlog.take({"anthropic"}, Counter(anthropic=1)) == [0]
    assert {backlog.need(number) for number in backlog.take({"anthropic"}, Counter(anthropic=1))} == {"openai"}


@pytest.mark.parametrize(("seconds", "joins"), [(IMPORT_SECONDS / 101, False), (IMPORT_SECONDS / 99, True)])
def test_a_worker_joins_others_when_what_is_left_pays_for_the_import(seconds: float, joins: bool) -> None:
    backlog = backlog_of(*[CHAT] * 100)
    for _ in range(3):
        backlog.ended(0, seconds)
    backlog.ended(0, 5.0)  # the one that waited for the import says nothing about the others
    assert bool(backlog.take({"anthropic"}, Counter(openai=1))) is joins


def test_batches_shrink_towards_the_end_and_nothing_is_given_twice() -> None:
    backlog = backlog_of(*[GEMINI] * 100)
    crew = Counter({"google-genai": 2})
    sizes, given = [], []
    while numbers := backlog.take({"google-genai"}, crew):
        sizes.append(len(numbers))
        given += numbers
    assert given == list(range(100))
    assert sizes == sorted(sizes, reverse=True)
    assert (max(sizes), sizes[-1]) == (LARGEST_BATCH, 1)


def test_what_comes_back_is_given_again_and_what_is_left_can_be_had_at_once() -> None:
    backlog = backlog_of(CHAT, ANTHROPIC, CHAT)
    assert backlog.take({"openai"}, Counter()) == [0]
    backlog.put_back([0])
    assert backlog.take_all() == [0, 1, 2]
    assert backlog.take((), Counter()) == []


def test_long_items_are_given_one_by_one_and_pay_for_an_import() -> None:
    backlog = backlog_of(*[CHAT] * 100, seconds=BATCH_SECONDS)
    assert backlog.take((), Counter()) == [0]
    assert backlog.take((), Counter(openai=1)) == [1]


def test_a_batch_of_items_that_turn_out_to_be_long_is_small() -> None:
    backlog = backlog_of(*[CHAT] * 100)
    backlog.ended(0, BATCH_SECONDS / 3)
    assert len(backlog.take({"openai"}, Counter(openai=1))) == 3

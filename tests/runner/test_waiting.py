"""A loop that waits to ask again when its time is up: nothing is known of how it ends."""

from __future__ import annotations

import pytest

from harness.runner.waiting import waits_to_ask_again
from harness.trace import Case, Record, RequestRecord, ResponseRecord, Trace


def asked(*times: tuple[float, int, float]) -> Trace:
    """Requests, each with when it came, its status, and when it was answered."""
    records: list[Record] = []
    for number, (came, status, answered) in enumerate(times):
        records.append(RequestRecord(number, "POST", "/v1/messages", {}, b"{}", came))
        records.append(ResponseRecord(number, status, {}, b"{}", at=answered))
    return Trace(Case("c", "s", "anthropic-messages"), tuple(records))


REFUSED = ((0.0, 429, 0.1), (4.1, 429, 4.2), (12.2, 503, 12.3))


def test_a_wait_that_may_still_be_one_is_no_hang() -> None:
    why = waits_to_ask_again(asked(*REFUSED), 40.0)
    assert why == "waits to ask again after 3 attempts, for 8 s at most so far: raise --timeout"


@pytest.mark.parametrize(
    ("times", "deadline"),
    [
        (REFUSED, 60.0),  # longer than the next wait may be
        ((*REFUSED, (28.3, 200, 28.4)), 40.0),  # the last request was answered
        ((*REFUSED, (28.3, 400, 28.4)), 40.0),  # nobody asks that again
        (REFUSED[:1], 2.0),  # it has never asked again
        (((0.0, 429, 0.1), (0.6, 429, 0.7)), 2.0),  # a busy machine
        ((), 1.0),
    ],
)
def test_anything_else_may_be_one(times: tuple[tuple[float, int, float], ...], deadline: float) -> None:
    assert waits_to_ask_again(asked(*times), deadline) == ""


def test_waits_before_an_answer_do_not_count_behind_it() -> None:
    assert waits_to_ask_again(asked(*REFUSED, (28.3, 200, 28.4), (28.5, 429, 28.6)), 40.0) == ""

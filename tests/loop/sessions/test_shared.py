"""What all sessions share: ids that are made up, results as text, the wait that headers ask for."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from harness.loop.sessions.shared import result_text, retry_after, unique_id


@pytest.mark.parametrize(
    ("given", "taken", "call_id"),
    [
        ("call_9", {"call_1"}, "call_9"),
        ("call_1", {"call_1"}, "call_2"),
        ("", set(), "call_1"),
        (None, {"x"}, "call_2"),
        (7, {"x", "call_3"}, "call_4"),
    ],
)
def test_an_id_that_cannot_be_used_is_replaced_by_a_free_one(given: Any, taken: set[str], call_id: str) -> None:
    assert unique_id(given, taken, "call_{}") == call_id


def test_results_are_told_as_json_that_can_be_sent() -> None:
    assert result_text({"content": "é🥐\ud83d"}) == '{"content": "é🥐\ufffd"}'


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "2", "retry-after-ms": "soon"}, 2.0),
        ({"retry-after": "Fri, 31 Dec 2026 23:59:59 GMT"}, None),
    ],
)
def test_the_wait_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(httpx2.Headers(headers)) == seconds

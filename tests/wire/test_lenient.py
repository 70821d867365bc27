"""Members of any type, and the headers that say when to come again."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire.lenient import entries, objects, string
from harness.wire.retry import retry_headers

ANYTHING: list[Any] = [None, True, 0, 1.5, "text", {"a": 1}, [{}, "b"]]


@pytest.mark.parametrize("value", ANYTHING)
def test_what_has_another_type_counts_as_none(value: Any) -> None:
    assert entries(value) == (value if isinstance(value, list) else [])
    assert string(value) == (value if isinstance(value, str) else "")
    assert objects(value) == ([{}] if isinstance(value, list) else [])


@pytest.mark.parametrize(
    ("seconds", "headers"),
    [
        (None, {}),
        (0, {"retry-after": "0"}),
        (3, {"retry-after": "3"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
        (1.5, {"retry-after": "2", "retry-after-ms": "1500"}),
    ],
)
def test_a_wait_is_told_in_seconds_and_exactly(seconds: float | None, headers: dict[str, str]) -> None:
    assert retry_headers(seconds) == headers

"""What a result carries of the value that the tool has returned."""

from __future__ import annotations

from typing import Any

import pytest

from harness.rules.returned_value import breaks_off, carries
from harness.wire import Result

CARRIED: list[tuple[str, Any]] = [
    ('1[2,"三"]', [1, [2, "三"]]),
    ('1[2, "三"]', [1, [2, "三"]]),
    ('{"output": [1, [2, "三"]]}', [1, [2, "三"]]),
    ("onetwo", ["one", "two"]),
    ('{"id": 1234567890123456789}', 1234567890123456789),
    ('{"data": {"id": 1234567890123456789}}', '{"id":1234567890123456789}'),
    ("0.30000000000000004", 0.3),
]
LOST: list[tuple[str, Any]] = [
    ('[2,"三"]1', [1, [2, "三"]]),
    ("[1, [2, '三']]", [1, [2, "三"]]),
    ("1", [1, [2, "三"]]),
    ('{"id": 1234567890123456800}', 1234567890123456789),
    ('{"id": 1.2345678901234568e+18}', 1234567890123456789),
    ('{"data": {"id": 1234567890123456800}}', '{"id":1234567890123456789}'),
]


@pytest.mark.parametrize(("output", "value"), CARRIED)
def test_a_list_may_be_sent_as_a_part_for_every_item(output: str, value: Any) -> None:
    assert carries(Result("call_1", output), value)


@pytest.mark.parametrize(("output", "value"), LOST)
def test_items_in_another_order_or_printed_or_left_out_are_not_the_list(output: str, value: Any) -> None:
    assert not carries(Result("call_1", output), value)


CUT = [
    *("{", '{"content"', '{"content": "Succ', '{"content": "Successfully created"'),
    *('{"images": {"a": null}, ', '{"a": "b... [cut]'),
]
WHOLE = [
    *("", "{}", '{"content": "Succ"}', '["a", ', "Error: {", "{ margin: 0 }"),
    *('{"a": 1} and more', "{'content': 'Succ'}"),
]


@pytest.mark.parametrize("text", CUT)
def test_an_object_that_ends_too_soon_was_cut(text: str) -> None:
    assert breaks_off(text)


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_whole_or_no_object_was_not_cut(text: str) -> None:
    assert not breaks_off(text)

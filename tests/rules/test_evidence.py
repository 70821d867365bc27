"""Evidence shows a difference where there is one, however long what is alike before it."""

from __future__ import annotations

from typing_extensions import override

from harness.rules.evidence import json_difference
from harness_lab.freedoms.loop import Loop
from harness_lab.freedoms.measure import held_against, ran
from harness_lab.freedoms.speaker import Call, Output


def test_short_values_are_shown_whole() -> None:
    assert json_difference({"city": "Oslo"}, {"city": "Bergen"}) == ('{"city": "Oslo"}', '{"city": "Bergen"}')


def test_long_values_that_begin_alike_are_shown_where_they_differ() -> None:
    expected, got = json_difference({"text": "a" * 300 + "one"}, {"text": "a" * 300 + "two"})
    assert expected == f'…{"a" * 20}one"}} (315 characters)'
    assert got == f'…{"a" * 20}two"}} (315 characters)'


class ChangesTheEnd(Loop):
    """A loop that sends a long result with other words at its end."""

    @override
    async def outcome(self, call: Call) -> Output:
        output = await super().outcome(call)
        *weeks, last = output.value["weeks"]
        return Output(call, {"weeks": [*weeks, [*last[:-1], "x" * 20]]})


def test_a_long_result_that_is_another_at_its_end_is_shown_there() -> None:
    name = "result-of-seventy-thousand-characters.openai-chat.event"
    (finished,), _ = ran("openai-chat", {"result": "plain"}, only=name, make=ChangesTheEnd)
    found = {rule: (expected, got) for rule, _, expected, got in held_against(finished)}
    expected, got = found["history/result-value"]
    assert "xxxxx" in got
    assert "xxxxx" not in expected

"""OAI-28: a history only grows, whether it is sent or named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Identity, IssuedState, StreamError, Text, Turn
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.histories import (
    Items,
    asked_and_answered,
    continuation,
    judged,
    outputs,
    request,
    returned,
)
from tests.wire.openai_responses.speak import ODD_IDS, QUESTION, TURNS


def found(violations: list[Finding]) -> list[tuple[str, str]]:
    return [
        (violation.answered.place, violation.got.rpartition("; ")[2])
        for violation in violations
        if violation.id == "OAI-28"
    ]


def without(items: Items, *places: int) -> Items:
    return [item for place, item in enumerate(items) if place not in places]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda items: items[1:], ("input[1]", "it is left out"), id="the question dropped"),
        pytest.param(
            lambda items: [{"role": "user", "content": "Hm?"}, *items[1:]],
            ("input[0]", "it is altered"),
            id="rewritten",
        ),
        pytest.param(
            lambda items: [{"role": "user", "content": "First."}, *items],
            ("input[0]", "it is at input[1]"),
            id="late",
        ),
        pytest.param(lambda items: without(items, 2, 4), ("input[2]", "it is left out"), id="a call dropped"),
        pytest.param(lambda items: [*items[:2], QUESTION], ("input[2]", "it is left out or replaced"), id="no answer"),
        pytest.param(
            lambda items: [*items[:2], {**items[2], "arguments": "{}"}, *items[3:]],
            ("input[2]", "it is altered"),
            id="arguments rewritten",
        ),
    ],
)
def test_a_history_that_shrinks_or_changes_is_told_once(
    change: Callable[[Items], Items], told: tuple[str, str]
) -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    violations = judged(sent, change(continuation(sent)))
    assert found(violations) == [told]
    (violation,) = (violation for violation in violations if violation.id == "OAI-28")
    assert (violation.level, violation.answered.status) == ("INFO", 200)


def test_a_history_that_is_cut_is_told() -> None:
    sent = asked_and_answered(TURNS["text"], input=[QUESTION, {"role": "user", "content": "Please."}])
    assert found(judged(sent, [QUESTION])) == [("input", "nothing")]


def test_a_request_that_is_sent_again_forgets_nothing() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    assert found(judged(sent, [QUESTION])) == []


@pytest.mark.parametrize("name", [*TURNS, *ODD_IDS])
def test_a_history_that_grows_is_right(name: str) -> None:
    sent = asked_and_answered({**TURNS, **ODD_IDS}[name])
    assert found(judged(sent, [*continuation(sent), QUESTION])) == []


def test_reasoning_may_be_left_out_and_ids_may_differ() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = without(continuation(sent), 1)
    assert found(judged(sent, [{name: value for name, value in item.items() if name != "id"} for item in items])) == []


def test_texts_may_be_parts_and_developers_may_be_systems() -> None:
    said = [{"role": "developer", "content": "Be brief."}, QUESTION]
    sent = asked_and_answered(TURNS["text"], input=said)
    parts = [{"type": "input_text", "text": part} for part in ("Be ", "brief.")]
    again = [{"type": "message", "role": "system", "content": parts}, QUESTION, *returned(sent)]
    assert found(judged(sent, again)) == []


def test_a_result_of_the_turn_before_stays_as_it_was() -> None:
    sent = asked_and_answered(TURNS["call"])
    first = request(continuation(sent))
    sent.add(first, WIRE.render(TURNS["text"], Identity("second"), first).reply)
    history: Items = [*first.body["input"], *returned(sent), QUESTION]
    assert found(judged(sent, history)) == []
    shortened = [{**item, "output": "[cut]"} if "output" in item else item for item in history]
    assert found(judged(sent, shortened)) == [("input[2]", "it is altered")]


def test_named_histories_grow_as_well() -> None:
    sent = asked_and_answered(TURNS["call"])
    second = request(outputs(returned(sent)), previous_response_id=sent.replies[0].id)
    sent.add(second, WIRE.render(TURNS["text"], Identity("second"), second).reply)
    assert found(judged(sent, [QUESTION], previous_response_id=sent.replies[1].id)) == []
    same = outputs(list(sent.replies[0].items))
    assert found(judged(sent, same, previous_response_id=sent.replies[0].id)) == [], "it asks once more"
    forked = judged(sent, [*same, QUESTION], previous_response_id=sent.replies[0].id)
    assert [told for _, told in found(forked)] == ["it is left out or replaced"]


def test_a_conversation_of_the_provider_grows() -> None:
    sent = asked_and_answered(TURNS["call"], conversation="conv_1")
    second = request(outputs(returned(sent)), conversation="conv_1")
    assert found(judged(sent, second.body["input"], conversation="conv_1")) == []
    sent.add(second, WIRE.render(TURNS["text"], Identity("second"), second).reply)
    assert found(judged(sent, [QUESTION], conversation="conv_1")) == []


@pytest.mark.parametrize("turn", [Turn((Text("part"),), ending="eof"), Turn((Text("part"),), error=StreamError())])
def test_an_answer_that_broke_off_need_not_come_back(turn: Turn) -> None:
    sent = IssuedState()
    asked = request([QUESTION])
    frames = WIRE.render(turn, Identity("cut"), asked)
    sent.add(asked, WIRE.parse(frames.content_type, frames.body))
    assert found(judged(sent, [QUESTION])) == []
    assert found(judged(sent, [{"role": "user", "content": "Hm?"}])) == [("input[0]", "it is altered")]


def test_odd_items_do_no_harm() -> None:
    odd: list[Any] = [{"role": "user", "content": 5}, {"type": "function_call", "arguments": None}, {}, "text"]
    sent = asked_and_answered(TURNS["text"], input=odd)
    assert found(judged(sent, [*odd, *returned(sent)])) == []
    assert found(judged(sent, odd[1:])) == [("input[0]", "it is left out")]

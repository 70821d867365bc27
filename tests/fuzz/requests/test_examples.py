"""Examples: made the same way every time, written and read, and shrunk until nothing is left to take away."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.strategies.damage import Gone, Odd, Splice, damage, damaged, places
from harness.fuzz.strategies.requests import SHAPES, shaped, sound_turns
from harness.wire import Call, FinishReason, Refusal, Text, ThinkingPart, Turn

RIGHT: dict[str, Any] = {
    "wire": "openai-chat",
    "specimen": "chat-one-call",
    "turns": [{"parts": [{"text": "Hi."}], "stop": "end"}],
    "change": "",
    "damage": [],
    "seed": 0,
}

quick = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])


def test_the_enumeration_has_no_example_twice() -> None:
    examples = list(CAMPAIGN.enumerated())
    assert len(set(examples)) == len(examples)


# --- files ----------------------------------------------------------------------------------------------------


def test_halves_of_characters_and_every_part_are_read() -> None:
    parts = (
        Text("\ud800"),
        ThinkingPart("\udc00", "omitted"),
        Refusal("é"),
        Call("f", "{", "\ud83d"),
        Call("f", "", None),
    )
    done = (Odd(("messages", 0), '"\\ud800"'), Gone(()), Splice(3, 1, b"\x00\xff"))
    example = RequestExample("openai-chat", "chat-one-call", (Turn(parts, FinishReason.PAUSE),), damage=done, seed=7)
    assert CAMPAIGN.from_json(json.loads(json.dumps(CAMPAIGN.to_json(example)))) == example


def test_a_right_document_is_read() -> None:
    assert CAMPAIGN.from_json(RIGHT).turns == (Turn((Text("Hi."),)),)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"wire": "anthropic-messages"}, "a specimen of 'anthropic-messages'"),
        ({"specimen": "chat-none"}, "'chat-none'"),
        ({"specimen": 3}, "a text under 'specimen'"),
        ({"change": "ant-result-twice"}, "a mutant or a variant of openai-chat"),
        ({"seed": True}, "a number under 'seed'"),
        ({"turns": [3]}, "a list of objects under 'turns'"),
        ({"turns": [{"parts": [], "stop": "never"}]}, "a reason to stop"),
        ({"turns": [{"parts": [{"call": "f"}], "stop": "end"}]}, "a text, thinking, a refusal or a call"),
        ({"damage": [{"at": [0.5]}]}, "damage at a place or at a byte"),
        ({"damage": [{"at": [], "odd": "{"}]}, "a value in JSON under 'odd'"),
        ({"damage": [{"byte": 0, "gone": 0, "put": "€"}]}, "U\\+00FF under 'put'"),
        ({"damage": [{"byte": -1, "gone": 0, "put": ""}]}, "damage at a place or at a byte"),
    ],
)
def test_anything_else_is_told(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        CAMPAIGN.from_json({**RIGHT, **wrong})


# --- shrinking ------------------------------------------------------------------------------------------------


def measure(example: RequestExample) -> tuple[int, ...]:
    """Everything that a smaller example may have less of."""
    parts = [part for turn in example.turns for part in turn.parts]
    said = [part.arguments if isinstance(part, Call) else part.text for part in parts]
    spliced = [each for each in example.damage if isinstance(each, Splice)]
    return (
        len(example.turns),
        len(parts),
        sum(map(len, said)),
        sum(letter != "a" for text in said for letter in text),
        sum(isinstance(part, ThinkingPart) and part.form != "plain" for part in parts),
        len(example.damage),
        sum(isinstance(each, Odd) and each.text != "null" for each in example.damage),
        sum(each.gone + len(each.put) for each in spliced),
        example.seed,
    )


@settings(quick, max_examples=30)
@given(CAMPAIGN.examples())
def test_what_is_smaller_has_less_of_something_and_more_of_nothing(example: RequestExample) -> None:
    for less in islice(CAMPAIGN.smaller(example), 200):
        pairs = list(zip(measure(less), measure(example), strict=True))
        assert sum(one for one, _ in pairs) < sum(other for _, other in pairs)
        assert all(turn.calls or not isinstance(turn.parts[-1], ThinkingPart) for turn in less.turns)
        assert all((turn.stop is FinishReason.TOOL_CALLS) == bool(turn.calls) for turn in less.turns)


def test_nothing_is_left_of_an_example_to_which_everything_is_objected() -> None:
    example = next(each for each in CAMPAIGN.enumerated() if len(each.turns) > 2)
    while less := next(CAMPAIGN.smaller(example), None):
        example = less
    assert example.turns == ()


# --- strategies for everybody ---------------------------------------------------------------------------------


def test_every_shape_is_one_of_a_turn() -> None:
    for shape in SHAPES:
        assert len(shaped(shape).parts) == len(shape.split())
        assert bool(shaped(shape).calls) == ("call" in shape)


@settings(quick, max_examples=100)
@given(sound_turns())
def test_turns_say_something_and_call_with_json(turn: Turn) -> None:
    assert all(part.text.strip() for part in turn.parts if isinstance(part, Text | Refusal))
    assert all(set(json.loads(call.arguments)) == {"path"} for call in turn.calls)


@settings(quick, max_examples=100)
@given(st.data())
def test_damage_is_done_to_a_copy(data: st.DataObject) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi."}], "n": 1}
    before = json.dumps(body)
    done = data.draw(damage(body))
    content = damaged(body, done)
    assert json.dumps(body) == before
    if all(isinstance(each, Gone) for each in done):
        assert len(list(places(json.loads(content)))) < len(list(places(body)))


def test_damage_is_done_one_after_the_other() -> None:
    body = {"a": [1, 2], "b": {"c": None}}
    assert (
        damaged(body, (Gone(("a", 0)), Odd(("a", 0), '"x"'), Odd(("b", "d", "e"), "1")))
        == b'{"a": ["x"], "b": {"c": null}}'
    )
    assert damaged(body, (Odd((), "[]"), Splice(1, 0, b"\xff"))) == b"[\xff]"
    assert damaged(body, (Splice(2, 10**6),)) == b'{"'

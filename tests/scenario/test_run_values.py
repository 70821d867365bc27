"""Values that are made at run time: what a tool returns for a call, and what is found of it in a request."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.scenario.model import Tool
from harness.scenario.placeholders import MISSING, ResultMember
from harness.scenario.run_values import made_calls, result_of, returned, values_returned, with_results
from harness.trace import JsonValue
from harness.wire import Call, Message, Reply, Result, StreamError, Text, ThinkingPart, ToolDeclaration, Turn
from harness.wire.turn import Refusal

PICTURE = Tool(
    ToolDeclaration("picture", "A picture.", {"type": "object"}),
    returns={"urls": ["https://p.example/{{fresh}}.png"], "width": 640},
    fresh="a",
)
MADE = (Call("picture", '{"of": "bread"}', "c1"), Call("picture", '{"of": "cake"}', "c2"), Call("look", "{}", ""))


def history(*results: Result) -> tuple[Message, ...]:
    return (Message("user", (Text("Go."),), "0"), Message("assistant", MADE, "1"), Message("tool", results, "2"))


# --- what a tool returns --------------------------------------------------------------------------------------


def test_a_call_has_a_word_of_its_own_and_always_the_same() -> None:
    one, other = returned(PICTURE, {"of": "bread", "n": 1}), returned(PICTURE, {"of": "cake", "n": 1})
    assert one != other
    assert returned(PICTURE, {"n": 1.0, "of": "bread"}) == one
    assert isinstance(one, dict)
    assert one["width"] == 640
    assert "{{fresh}}" not in json.dumps(one)


def test_another_scenario_and_another_tool_have_other_words() -> None:
    one = returned(PICTURE, {})
    assert returned(replace(PICTURE, fresh="b"), {}) != one
    assert returned(replace(PICTURE, declaration=replace(PICTURE.declaration, name="photo")), {}) != one


def test_a_value_without_a_fresh_word_is_returned_as_it_is() -> None:
    value: JsonValue = {"text": "{{ fresh }}", "list": [None, 1.0]}
    assert returned(replace(PICTURE, returns=value), {"of": 1}) is value


def test_members_of_what_was_returned() -> None:
    value = values_returned(MADE, [PICTURE])
    assert value(ResultMember(2, ("width",))) == 640
    first = returned(PICTURE, {"of": "bread"})
    assert isinstance(first, dict)
    assert value(ResultMember(1, ("urls",))) == first["urls"]
    for missing in (ResultMember(1, ("url",)), ResultMember(3, ("width",)), ResultMember(4, ("width",))):
        assert value(missing) is MISSING


# --- what came back -------------------------------------------------------------------------------------------


def test_calls_are_counted_but_for_those_of_turns_that_broke_off() -> None:
    whole = Reply("openai-chat", "1", "m", (), Turn((Text("Hm."), MADE[0])))
    cut = replace(whole, turn=Turn((MADE[1],)), complete=False)
    failed = replace(whole, turn=Turn((MADE[1],), error=StreamError("overloaded")))
    assert made_calls([cut, whole, failed, replace(whole, turn=Turn((MADE[2],)))]) == (MADE[0], MADE[2])


def test_a_result_is_found_by_its_id_wherever_it_stands() -> None:
    messages = history(Result("", "L", "look"), Result("c2", "B"), Result("c1", "A"))
    found = [result_of(MADE, number, messages) for number in (1, 2, 3, 4)]
    assert [each and each.output for each in found] == ["A", "B", "L", None]


def test_a_result_that_is_not_there_is_not_found() -> None:
    assert result_of(MADE, 1, history(Result("c2", "B"))) is None


def test_equal_calls_without_ids_are_answered_in_their_order() -> None:
    calls = (Call("look", "{}"), Call("look", '{ "at": 1 }'), Call("look", ""))
    sent = (Call("look", "{}"), Call("look", '{"at":1.0}'), Call("look", "{}"))
    results = (Result("", "first", "look"), Result("", "second", "look"), Result("", "third", "look"))
    messages = (Message("assistant", sent, "0"), Message("tool", results, "1"))
    found = [result_of(calls, number, messages) for number in (1, 2, 3)]
    assert [each and each.output for each in found] == ["first", "second", "third"]


def test_a_result_under_an_id_of_the_loops_own_is_found_by_its_call() -> None:
    sent = tuple(replace(call, id=f"own-{at}") for at, call in enumerate(MADE))
    messages = (Message("assistant", sent, "0"), Message("tool", (Result("own-1", "B"), Result("own-0", "A")), "1"))
    assert [each and each.output for each in (result_of(MADE, 1, messages), result_of(MADE, 2, messages))] == ["A", "B"]


BREAD = '{"url": "bread.png", "n": [{"width": 640}]}'


@pytest.mark.parametrize(
    "output",
    [
        BREAD,
        json.dumps({"output": json.loads(BREAD)}),
        json.dumps({"status": "ok", "content": [{"type": "text", "text": BREAD}]}),
        json.dumps(json.dumps(BREAD)),
        f"The result: {BREAD} (done)",
        f"[picture] {BREAD}",
        "{'url': 'bread.png', 'n': [{'width': 640}], 'gone': None}",
    ],
)
def test_the_turn_says_what_the_request_says(output: str) -> None:
    turn = Turn(
        (
            ThinkingPart("{{result.1.url}}?"),
            Text("At {{result.1.url}}."),
            Refusal("No {{result.1.url}}."),
            Call("publish", '{"at": "{{result.1.url}}", "width": "{{result.1.n.0.width}}"}', "c9"),
            Call("note", "{{result.1.url}} is no JSON"),
        )
    )
    filled, unresolved = with_results(turn, MADE, history(Result("c1", output)))
    assert unresolved == ()
    assert [part.text for part in filled.parts if not isinstance(part, Call)] == [
        "bread.png?",
        "At bread.png.",
        "No bread.png.",
    ]
    assert [(call.id, call.arguments) for call in filled.calls] == [
        ("c9", '{"at": "bread.png", "width": 640}'),
        (None, "{{result.1.url}} is no JSON"),
    ]


@pytest.mark.parametrize(
    ("result", "got"),
    [
        (Result("c1", '{"url": "https://pictures.ex'), '\'{"url": "https://pictures.ex\''),
        (Result("c1", '{"address": "bread.png"}'), '\'{"address": "bread.png"}\''),
        (Result("c1", ""), "''"),
        (Result("c2", BREAD), "no result of that call"),
    ],
)
def test_what_the_request_does_not_have_stays_and_is_named_once(result: Result, got: str) -> None:
    turn = Turn((Text("{{result.1.url}} and {{result.1.url}}"),))
    filled, (unresolved,) = with_results(turn, MADE, history(result))
    assert filled == turn
    assert (unresolved.member, unresolved.tool, unresolved.got) == (ResultMember(1, ("url",)), "picture", got)


def test_a_result_of_very_many_values_is_searched_to_a_bound() -> None:
    wide = json.dumps([[{"n": at}] for at in range(30_000)] + [{"url": "far"}])
    nested = "[" * 5_000 + '"deep"' + "]" * 5_000
    for output in (wide, nested, "[" * 100_000, '{"a":' * 100_000):
        _, unresolved = with_results(Turn((Text("{{result.1.url}}"),)), MADE, history(Result("c1", output)))
        assert len(unresolved) == 1


def test_a_short_text_does_not_become_a_huge_one() -> None:
    """A file of 700 kB filled the memory: it names a result of 400 kB 20,000 times."""
    output = json.dumps({"url": "a" * 400_000})
    turn = Turn((Text("{{result.1.url}}" * 20_000), Call("publish", '{"at": "{{result.1.url}}"}', "c9")))
    filled, (unresolved,) = with_results(turn, MADE, history(Result("c1", output)))
    assert sum(len(part.arguments if isinstance(part, Call) else part.text) for part in filled.parts) < 1_500_000
    assert unresolved.got == "more than 1,000,000 characters of results in one answer"
    long = values_returned(MADE, [replace(PICTURE, returns={"url": "a" * 400_000})])
    assert [long(ResultMember(1, ("url",))) is MISSING for _ in range(3)] == [False, False, True]

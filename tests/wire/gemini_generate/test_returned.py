"""What goes back beside what was issued: forged, altered, moved, dropped and repeated are told apart."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, Conversation, FinishReason, Identity, IssuedState, Text, Turn
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import conversation, model, response, user

PATH = "/v1/models/{}:generateContent"


def answered(sent: IssuedState, contents: list[Any], *calls: Call, text: str = "", path: str = PATH) -> list[Any]:
    """The next turn: what the model says, and results for its calls."""
    asked = conversation(contents, path=path.format("gemini-3.6-flash"))
    parts = (Text(text), *calls) if text else calls
    reply = WIRE.render(
        Turn(parts, FinishReason.TOOL_CALLS if calls else FinishReason.END), Identity(f"{len(sent.turns)}"), asked
    ).reply
    sent.add(asked, reply)
    made = [part["functionCall"] for part in reply.items if "functionCall" in part]
    results = [response(call["name"], call.get("id", "")) for call in made]
    return [*contents, model(*copy.deepcopy(list(reply.items))), user(*(results or ["Go on."]))]


def judged(contents: list[Any], sent: IssuedState, *, path: str = PATH) -> list[Finding]:
    asked = conversation(contents, path=path.format("gemini-3.6-flash"))
    return WIRE.violations(asked, sent)


def told(contents: list[Any], sent: IssuedState) -> list[tuple[str, str, str, str]]:
    return [(each.id, each.answered.message, each.expected, each.got) for each in judged(contents, sent)]


@pytest.fixture
def sent() -> IssuedState:
    return IssuedState()


@pytest.fixture
def loop(sent: IssuedState) -> list[Any]:
    """One turn with three calls, a text beside them, ids on two of them."""
    calls = (Call("f", '{"n": 1}', "one"), Call("f", '{"n": 2}', "two"), Call("g", "{}", ""))
    return answered(sent, [user("Go.")], *calls, text="So.")


def calls(contents: list[Any]) -> list[Any]:
    return [part for part in contents[1]["parts"] if "functionCall" in part]


def test_an_altered_call_is_shown_where_it_differs(sent: IssuedState) -> None:
    page = "<p>" * 200
    contents = answered(sent, [user("Go.")], Call("write", f'{{"path": "a", "content": "{page}1"}}'))
    calls(contents)[0]["functionCall"]["args"]["content"] = f"{page}2"
    [(rule, message, expected, got)] = told(contents, sent)
    assert (rule, message) == ("GEM-15", "The function call `write` is not as the model made it.")
    assert expected.startswith("write(…")
    assert expected.endswith('1"})')
    assert got == expected.replace('1"})', '2"})')


def test_a_dropped_call_is_named(loop: list[Any], sent: IssuedState) -> None:
    loop[1]["parts"].remove(calls(loop)[1])
    del loop[2]["parts"][1]
    [(_, message, expected, got)] = told(loop, sent)
    assert message == "A function call of the model's turn was left out: `f`."
    assert (expected, got) == ('f({"n":2})', "f, g")


def test_a_call_of_a_turn_that_was_not_taken_to_its_end_may_be_missing(loop: list[Any], sent: IssuedState) -> None:
    loop[1]["parts"].remove(calls(loop)[1])
    del loop[2]["parts"][1]
    sent.turns = [(asked, replace(reply, complete=False)) for asked, reply in sent.turns]
    assert told(loop, sent) == []


def test_a_repeated_call_is_named(loop: list[Any], sent: IssuedState) -> None:
    loop[1]["parts"].append(copy.deepcopy(calls(loop)[1]))
    loop[2]["parts"].append(copy.deepcopy(loop[2]["parts"][1]))
    assert told(loop, sent) == [("GEM-15", "The function call `f` is sent again.", "once", "again")]


def test_a_turn_that_is_sent_twice_is_told_by_its_calls(loop: list[Any], sent: IssuedState) -> None:
    twice = [*loop, *copy.deepcopy(loop[1:])]
    assert {message for _, message, *_ in told(twice, sent)} == {
        "The function call `f` is sent again.",
        "The function call `g` is sent again.",
    }


def test_an_invented_call_is_named(loop: list[Any], sent: IssuedState) -> None:
    loop[1]["parts"].append({"functionCall": {"name": "h", "args": {"x": 1}}})
    loop[2]["parts"].append(response("h"))
    expected = (
        "GEM-15",
        "The function call `h` was not made by the model.",
        "only calls that the model made",
        'h({"x":1})',
    )
    assert told(loop, sent) == [expected]


def test_reordered_calls_are_told_once(loop: list[Any], sent: IssuedState) -> None:
    parts = loop[1]["parts"]
    first, second = (parts.index(call) for call in calls(loop)[1:])
    parts[first], parts[second] = parts[second], parts[first]
    [(rule, message, expected, got)] = told(loop, sent)
    assert (rule, message) == ("GEM-15", "The function calls of the model's turn are in another order.")
    assert (expected, got) == ('f({"n":2})two before g({})', 'g({}) before f({"n":2})two')


@pytest.mark.parametrize("change", [lambda call: call.update(id="x"), lambda call: call.pop("id")])
def test_a_call_is_known_without_its_id(change: Callable[[Any], Any], loop: list[Any], sent: IssuedState) -> None:
    change(calls(loop)[1]["functionCall"])
    loop[2]["parts"][1]["functionResponse"].pop("id")
    loop[2]["parts"][1]["functionResponse"].update(
        {name: value for name, value in calls(loop)[1]["functionCall"].items() if name == "id"}
    )
    assert [each.id for each in judged(loop, sent)] == ["GEM-13"]


def test_a_truth_value_is_no_number(sent: IssuedState) -> None:
    contents = answered(sent, [user("Go.")], Call("f", '{"deep": [{"on": true, "n": 1.0}]}'))
    deep = calls(contents)[0]["functionCall"]["args"]["deep"][0]
    deep["n"] = 1
    assert told(contents, sent) == []
    deep["on"] = 1
    assert [each.id for each in judged(contents, sent)] == ["GEM-15"]


# --- only part of the history is known ----------------------------------------------------------------------


def test_what_the_first_request_already_held_was_issued_by_nobody(sent: IssuedState) -> None:
    """An imported turn that by chance makes the same call is not held against what was issued later."""
    imported = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "aW1wb3J0ZWQ="}
    start = [user("Go."), model(imported), user(response("f"))]
    contents = answered(sent, start, Call("f", "{}", ""))
    assert told(contents, sent) == []
    changed = [user("Stop."), *contents[1:]]
    assert [each.id for each in judged(changed, sent)] == ["GEM-09", "GEM-15"]


def test_a_turn_that_goes_on_from_what_the_request_began_is_judged_from_there(sent: IssuedState) -> None:
    """The first content of the model is the client's, the second is what was issued."""
    contents = answered(sent, [user("Go."), model({"text": "First"})], Call("f", "{}"), path=PATH)
    assert [each.id for each in judged(contents, sent)] == []
    contents[2]["parts"][0]["thoughtSignature"] = "Zm9yZ2Vk"
    assert [(each.id, each.answered.place) for each in judged(contents, sent)] == [("GEM-09", "contents[2].parts[0]")]


def test_ids_that_come_again_in_every_turn_are_told_apart_by_their_arguments(sent: IssuedState) -> None:
    contents = [user("Go.")]
    for number in range(4):
        contents = answered(sent, contents, Call("f", f'{{"n": {number}}}', "call_1"))
    assert told(contents, sent) == []
    assert told([user("Go."), *contents[5:]], sent) == [], "the first two turns are forgotten"
    calls(contents)[0]["functionCall"]["args"]["n"] = 9
    assert [each.got for each in judged(contents, sent)] == ['f({"n":9})']


def test_a_turn_whose_calls_are_all_left_out_is_known_by_its_text(loop: list[Any], sent: IssuedState) -> None:
    spoken = [part for part in loop[1]["parts"] if "functionCall" not in part]
    contents = [user("Go."), model(*spoken), user("And?")]
    assert [each.answered.message for each in judged(contents, sent)] == [
        "A function call of the model's turn was left out: `f`.",
        "A function call of the model's turn was left out: `f`.",
        "A function call of the model's turn was left out: `g`.",
    ]


def test_the_same_words_without_calls_are_another_turn(loop: list[Any], sent: IssuedState) -> None:
    contents = answered(sent, loop, text="So.")
    assert told([user("Go."), *contents[3:]], sent) == []


def test_a_signature_goes_back_to_the_backend_that_issued_it(sent: IssuedState) -> None:
    vertex = "/v1/projects/p/locations/l/publishers/google/models/{}:generateContent"
    contents = answered(sent, [user("Go.")], Call("f", "{}"), path=vertex)
    assert judged(contents, sent, path=vertex) == []
    [violation] = judged(contents, sent)
    assert (violation.id, violation.level, violation.answered.message) == (
        "GEM-09",
        "MUST",
        "Invalid thought signature.",
    )
    assert (violation.expected, violation.got) == ("sent to Vertex AI", "sent to the Developer API")


def test_the_memory_grows_with_what_is_sent(sent: IssuedState) -> None:
    """Judged after every reply or only at the end: the findings are the same."""
    contents = [user("Go.")]
    for number in range(3):
        contents = answered(sent, contents, Call("f", f'{{"n": {number}}}'))
        judged(contents, sent)
    kept = judged([*contents[:-1], user(response("g", "x"))], sent)
    sent.memory = None
    assert judged([*contents[:-1], user(response("g", "x"))], sent) == kept != []


# --- cost ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call_id", [None, "", "same"])
def test_the_work_is_linear_in_what_was_issued(call_id: str | None) -> None:
    """Twice the turns, about twice the calls of functions; no turn is compared with every other."""
    import sys

    def work(turns: int) -> int:
        sent, contents = IssuedState(), [user("Go.")]
        for _ in range(turns):
            contents = answered(sent, contents, Call("f", '{"a": 1}', call_id), Call("f", '{"a": 1}', ""))
        asked: Conversation = conversation(contents)
        count = 0

        def trace(*_: Any) -> None:
            nonlocal count
            count += 1

        sys.setprofile(trace)
        try:
            found = WIRE.violations(asked, sent)
        finally:
            sys.setprofile(None)
        assert found == []
        return count

    assert work(60) < 2.2 * work(30)

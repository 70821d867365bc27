"""Calls whose arguments are streamed (``partialArgs``): whole in the reply, and what goes back of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.ground.bounded_json import MOST_LEVELS
from harness.wire import Call, FinishReason, IssuedState, Reply, Result, Text
from harness.wire.gemini_generate import WIRE
from harness.wire.gemini_generate.streamed_calls import StreamedCall
from harness.wire.sse import frame
from tests.wire.arriving import arrivals_of
from tests.wire.gemini_generate.samples import STREAM_PATH, conversation

STREAM = "text/event-stream"
BEGUN = {"name": "f", "willContinue": True}


def chunk(*parts: Any, **members: Any) -> bytes:
    return frame({"candidates": [{"content": {"role": "model", "parts": list(parts)}, **members}]})


def body_of(*calls: dict[str, Any], reason: str = "STOP") -> bytes:
    """A stream with each ``functionCall`` in a chunk of its own."""
    chunks = [chunk({"functionCall": call}) for call in calls]
    return b"".join(chunks) + chunk({"text": ""}, finishReason=reason)


def parsed(*calls: dict[str, Any], reason: str = "STOP") -> Reply:
    return WIRE.parse(STREAM, body_of(*calls, reason=reason))


def piece(path: str, *, more: bool = True, **value: Any) -> dict[str, Any]:
    """A piece with one value; ``more``: another piece follows."""
    piece: dict[str, Any] = {"partialArgs": [{"jsonPath": path, **value}]}
    return {**piece, "willContinue": True} if more else piece


def arguments_of(*pieces: dict[str, Any]) -> Any:
    """What the call says that these pieces and an empty one make."""
    reply = parsed(BEGUN, *pieces, {})
    assert [part["functionCall"].keys() for part in reply.items] == [{"name", "args"}]
    (call,) = reply.turn.calls
    assert reply.items[0]["functionCall"]["args"] == json.loads(call.arguments)
    return json.loads(call.arguments)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


RECORDED: dict[str, list[tuple[str, Any]]] = {
    "tool-call-arguments": [("getWeather", {"location": "Boston"}), ("getWeather", {"location": "San Francisco"})],
    "no-args-tool-call": [("read_theme", {}), *(("read_screen", {"id": name}) for name in "ABC")],
    "tool-call-array-arguments-missing-terminal-function-call": [
        (
            "writeItems",
            {
                "operations": [
                    {"action": "add", "description": "Fresh red apple", "itemid": "apple_001", "price": 0.5},
                    {"action": "add", "description": "Ripe yellow banana", "itemid": "banana_001", "price": 0.3},
                ]
            },
        )
    ],
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_calls_are_whole(name: str, shared: Path) -> None:
    file = f"gemini/vercel+ai/packages/google/src/__fixtures__/google-stream-{name}.chunks.txt"
    lines = (shared / "corpus" / file).read_bytes().splitlines()
    body = b"".join(b"data: " + line + b"\n\n" for line in lines)
    reply = WIRE.parse(STREAM, body)
    assert [(call.name, json.loads(call.arguments)) for call in reply.turn.calls] == RECORDED[name]
    assert (reply.turn.stop, reply.complete) == (FinishReason.TOOL_CALLS, True)
    assert bool(reply.turn.calls[0].signature)
    assert None not in [arrival.complete for arrival in arrivals_of("gemini-generate", body)]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"stringValue": ""}, ""),
        ({"numberValue": 0}, 0),
        ({"numberValue": 0.5}, 0.5),
        ({"numberValue": "1.5"}, 1.5),
        ({"boolValue": False}, False),
        ({"boolValue": True}, True),
        ({"nullValue": "NULL_VALUE"}, None),
        ({"nullValue": None}, None),
        ({"string_value": "snake"}, "snake"),
    ],
)
def test_every_kind_of_value(value: dict[str, Any], wanted: Any) -> None:
    made = arguments_of(piece("$.a", **value))
    assert made == {"a": wanted}
    assert type(made["a"]) is type(wanted)


def test_a_whole_double_is_an_integer_where_a_double_is_exact() -> None:
    numbers = [3.0, 2**53, -1e300, 2**54]
    made = arguments_of(*(piece(f"$.a[{at}]", numberValue=number) for at, number in enumerate(numbers)))
    assert json.dumps(made) == '{"a": [3, 9007199254740992, -1e+300, 1.8014398509481984e+16]}'


def test_a_value_that_comes_again_counts_as_it_came_last() -> None:
    pieces = [piece("$.a", numberValue=1), piece("$.a", stringValue="x"), piece("$.a", boolValue=True)]
    assert parsed({**BEGUN, "args": {"a": 0}}, *pieces[:2], {}).turn.calls[0].arguments == '{"a":"x"}'
    assert arguments_of(*pieces) == {"a": True}


def test_what_came_is_not_changed() -> None:
    first = {**BEGUN, "args": {"a": [1]}}
    streamed = StreamedCall(first)
    streamed.add(piece("$.a[1]", numberValue=2, more=False))
    assert (streamed.call, streamed.call) == ({"name": "f", "args": {"a": [1, 2]}},) * 2
    assert first["args"] == {"a": [1]}


def test_a_text_comes_in_pieces_between_other_values() -> None:
    pieces = [piece("$.a", stringValue="O\ud83d"), piece("$.n", numberValue=1), piece("$.a", stringValue="\ude00s")]
    assert arguments_of(*pieces, piece("$['a']", stringValue="lo")) == {"a": "O\U0001f600slo", "n": 1}


def test_several_values_in_one_piece_and_some_in_the_first() -> None:
    values = [{"jsonPath": "$.a", "boolValue": True}, {"jsonPath": "$.b[0]", "stringValue": "x"}]
    (call,) = parsed({"name": "f", "args": {"z": [1]}, "partialArgs": values}).turn.calls
    assert call == Call("f", '{"z":[1],"a":true,"b":["x"]}', "")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("$.a.b", {"a": {"b": 1}}),
        ("$" + "['a']" * MOST_LEVELS, nested(MOST_LEVELS)),
        ("$.a[0][0].b", {"a": [[{"b": 1}]]}),
        ("$['a.b']['it\\'s \"c\"']", {"a.b": {'it\'s "c"': 1}}),
        ('$["a]"]["\\u00e9\\"\'"]', {"a]": {"\u00e9\"'": 1}}),
        ("$.caf\u00e9.b-c", {"caf\u00e9": {"b-c": 1}}),
    ],
)
def test_places_in_the_arguments(path: str, wanted: Any) -> None:
    assert arguments_of(piece(path, numberValue=1)) == wanted


def test_lists_and_objects_grow_in_order() -> None:
    paths = ["$.a[0].b", "$.a[0].c", "$.a[1].b", "$.d"]
    made = arguments_of(*(piece(path, numberValue=at) for at, path in enumerate(paths)))
    assert json.dumps(made) == '{"a": [{"b": 0, "c": 1}, {"b": 2}], "d": 3}'


@pytest.mark.parametrize(
    "pieces",
    [
        [piece("a", numberValue=1)],
        [piece("@.a", numberValue=1)],
        [piece("", numberValue=1)],
        [piece("$", numberValue=1)],
        [piece("$.a..b", numberValue=1)],
        [piece("$.a[*]", numberValue=1)],
        [piece("$['\\x']", numberValue=1)],
        [piece("$[0]", numberValue=1)],
        [piece("$.a[1]", numberValue=1)],
        [piece("$.a[0]", numberValue=1), piece("$.a.b", numberValue=1)],
        [piece("$.a", stringValue="x"), piece("$.a.b", numberValue=1)],
        [piece("$" + ".a" * (MOST_LEVELS + 1), numberValue=1)],
        [piece("$.a", numberValue="many")],
        [piece("$.a", numberValue=[1])],
        [piece("$.a", numberValue=10**400)],
    ],
    ids=str,
)
def test_what_cannot_be_read_is_not_guessed(pieces: list[dict[str, Any]]) -> None:
    (call,) = parsed(BEGUN, *pieces, {}).turn.calls
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(call.arguments)


def test_an_id_and_a_signature_stay_and_the_place_is_that_of_the_first_piece() -> None:
    first = {"functionCall": {**BEGUN, "id": "x"}, "thoughtSignature": "c2ln"}
    parts = [first, {"functionCall": piece("$.a", boolValue=True)}, {"text": "Hm."}, {"functionCall": {}}]
    reply = WIRE.parse(STREAM, chunk({"text": "So."}, *parts, finishReason="STOP"))
    assert reply.turn.parts == (Text("So."), Call("f", '{"a":true}', "x", "c2ln"), Text("Hm."))
    call = {"functionCall": {"name": "f", "id": "x", "args": {"a": True}}, "thoughtSignature": "c2ln"}
    assert reply.items == ({"text": "So."}, call, {"text": "Hm."})


def test_calls_one_after_the_other_and_a_whole_one_behind_them() -> None:
    made = [BEGUN, piece("$.a", numberValue=1), {}, {**BEGUN, "name": "g"}, {}, {"name": "h", "args": {"b": 2}}]
    reply = parsed(*made)
    assert [(call.name, call.arguments) for call in reply.turn.calls] == [
        ("f", '{"a":1}'),
        ("g", "{}"),
        ("h", '{"b":2}'),
    ]
    assert len(arrivals_of("gemini-generate", body_of(*made))) == 3


def test_pieces_of_no_call_are_left_out() -> None:
    orphans = [{}, piece("$.a", numberValue=1)]
    made = [*orphans, {"name": "g"}, *orphans, BEGUN, {}, *orphans]
    assert [part["functionCall"] for part in parsed(*made).items] == [{"name": "g"}, {"name": "f", "args": {}}]


# --- a call that has no end --------------------------------------------------------------------------------

CUT = (BEGUN, piece("$.a", stringValue="Os"))


@pytest.mark.parametrize(
    ("reason", "stop"), [("STOP", FinishReason.TOOL_CALLS), ("MAX_TOKENS", FinishReason.MAX_TOKENS)]
)
def test_a_call_without_an_end_has_arguments_that_are_cut_off(reason: str, stop: FinishReason) -> None:
    reply = parsed(*CUT, reason=reason)
    assert (reply.turn.calls, reply.turn.stop) == ((Call("f", '{"a":"Os', ""),), stop)
    (arrival,) = arrivals_of("gemini-generate", body_of(*CUT))
    assert arrival.lengths == [len("{"), len('{"a":"Os')]


def test_a_call_that_another_follows_has_no_end() -> None:
    calls = parsed(*CUT, {"name": "g"}, piece("$.a", stringValue="lo"), {}).turn.calls
    assert [(call.name, call.arguments) for call in calls] == [("f", '{"a":"Os'), ("g", "{}")]


def test_a_stream_that_breaks_off_inside_a_call() -> None:
    reply = WIRE.parse(STREAM, chunk({"functionCall": BEGUN}))
    assert (reply.turn.calls, reply.complete) == ((Call("f", "{", ""),), False)


# --- what goes back ----------------------------------------------------------------------------------------


def returned(reply: Reply) -> list[Any]:
    (entry,) = WIRE.entries(WIRE.returned(reply, ["f"]))
    parts: list[Any] = entry["parts"]
    return parts


def test_the_whole_call_goes_back() -> None:
    reply = parsed(*CUT, piece("$.a", stringValue="lo", more=False))
    assert returned(reply) == [{"functionCall": {"name": "f", "args": {"a": "Oslo"}}}]


def test_a_call_without_an_end_goes_back_as_far_as_it_came() -> None:
    assert returned(parsed(*CUT)) == [{"functionCall": {"name": "f", "args": {"a": "Os"}}}]


def broken_by(reply: Reply, *going_on: dict[str, Any]) -> list[str]:
    """The rules that a request breaks which goes on from ``reply`` with these contents."""
    asked, sent = conversation(path=STREAM_PATH), IssuedState()
    sent.add(asked, reply)
    body = {**asked.body, "contents": [*asked.body["contents"], *going_on]}
    route = WIRE.route("POST", STREAM_PATH)
    assert route is not None
    return [each.id for each in WIRE.violations(WIRE.read(route, json.dumps(body).encode()), sent)]


def found(reply: Reply, *parts: dict[str, Any]) -> list[str]:
    """The same for these parts of the model, and an answer to ``f``."""
    answered = {"functionResponse": {"name": "f", "response": {"output": 1}}}
    return broken_by(reply, {"role": "model", "parts": list(parts)}, {"role": "user", "parts": [answered]})


WHOLE = {"functionCall": {"name": "f", "args": {"a": "Oslo"}}, "thoughtSignature": "c2ln"}


def signed(*pieces: dict[str, Any]) -> Reply:
    parts = [{"functionCall": each} for each in pieces]
    return WIRE.parse(STREAM, chunk({**parts[0], "thoughtSignature": "c2ln"}, *parts[1:], finishReason="STOP"))


def test_rules_know_the_call_by_its_arguments() -> None:
    reply = signed(*CUT, piece("$.a", stringValue="lo"), {})
    assert found(reply, WHOLE) == []
    assert found(reply, {**WHOLE, "functionCall": {"name": "f", "args": {}}}) == ["GEM-15"]


def test_rules_take_a_call_without_an_end_as_far_as_it_came() -> None:
    assert found(signed(*CUT), {**WHOLE, "functionCall": {"name": "f", "args": {"a": "Os"}}}) == []


@pytest.mark.parametrize(("ends", "rules"), [(False, []), (True, ["GEM-15"])])
def test_rules_do_not_ask_for_a_call_without_an_end(ends: bool, rules: list[str]) -> None:
    calls = [{"functionCall": each} for each in ((*CUT, {}) if ends else CUT)]
    reply = WIRE.parse(STREAM, chunk({"text": "So."}, *calls, finishReason="STOP"))
    without = {"role": "model", "parts": [{"text": "So."}]}
    assert broken_by(reply, without, {"role": "user", "parts": [{"text": "Go on."}]}) == rules


def test_answers_are_those_of_the_call() -> None:
    messages = WIRE.answers(parsed(*CUT, {}), ["f"], [Result("f", "1", "f", False)])
    (entry,) = WIRE.entries(messages)
    assert entry["parts"] == [{"functionResponse": {"name": "f", "response": {"output": 1}}}]

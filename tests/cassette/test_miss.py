"""What a person is told of a request that no recording answers."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from harness.cassette import Cassette, Interaction, Provenance
from harness.cassette.matching import Player
from harness.cassette.misses import Miss
from tests.case_tables import from_table, value_of
from tests.cassette.asking import CHAT, PATH, answer, asking, missed, player, recording, said

PROMPT = {"role": "user", "content": "What is the weather in Paris?"}
CALL = {
    "role": "assistant",
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "22 C"}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
FIRST: dict[str, Any] = {"model": "gpt-4o", "messages": [PROMPT], "tools": TOOLS, "temperature": 0.5}
SECOND = {**FIRST, "messages": [PROMPT, CALL, RESULT]}

BODIES = value_of(__file__, "BODIES")
"""A request of each wire, by its path."""

Change = Callable[[Any], object]


def recorded() -> Player:
    return player(recording(FIRST, "call", line=5), recording(SECOND, "done", line=40))


def changed(body: Any, change: Change) -> bytes:
    body = copy.deepcopy(body)
    change(body)
    return said(body)


def second_turn(change: Change) -> Miss:
    """The first turn is played as it was recorded; the second is changed."""
    playing = recorded()
    assert answer(playing.play("POST", CHAT, said(FIRST))) == "call"
    return missed(playing.play("POST", CHAT, changed(SECOND, change)))


def message(at: int) -> Callable[[Any], Any]:
    return lambda body: body["messages"][at]


CHANGES: list[Any] = [
    pytest.param(lambda body: body.update(top_p=1), "top_p", "nothing", "1", "a setting", id="extra member"),
    pytest.param(lambda body: body.pop("temperature"), "temperature", "0.5", "nothing", "a setting", id="no member"),
    pytest.param(lambda body: body.update(model="gpt-5"), "model", '"gpt-4o"', '"gpt-5"', "another model", id="model"),
    pytest.param(
        lambda body: body["tools"][0]["function"].update(strict=True),
        "tools[0].function.strict",
        "nothing",
        "true",
        "the tools",
        id="tools",
    ),
    pytest.param(
        lambda body: body["messages"][0].update(content="What is the weather in Rome?"),
        "messages[0].content",
        '"What is the weather in Paris?"',
        '"What is the weather in Rome?"',
        "the prompt",
        id="prompt",
    ),
    pytest.param(
        lambda body: body["messages"][2].update(content="23 C"),
        "messages[2].content",
        '"22 C"',
        '"23 C"',
        "a tool result",
        id="tool result",
    ),
    pytest.param(
        lambda body: body["messages"][2].update(tool_call_id="call_9"),
        "messages[2].tool_call_id",
        '"call_1"',
        '"call_9"',
        "an id",
        id="id",
    ),
    pytest.param(
        lambda body: body["messages"][1]["tool_calls"][0]["function"].update(arguments='{"city":"Paris"}'),
        "messages[1].tool_calls[0].function.arguments",
        '"{\\"city\\": \\"Paris\\"}"',
        '"{\\"city\\":\\"Paris\\"}"',
        "as JSON it is the same",
        id="arguments written otherwise",
    ),
    pytest.param(
        lambda body: body["messages"].pop(1),
        "messages[1]",
        json.dumps(CALL),
        "nothing",
        "the history lacks an entry",
        id="missing message",
    ),
    pytest.param(
        lambda body: body["messages"].append({"role": "user", "content": "And?"}),
        "messages[3]",
        "nothing",
        '{"role": "user", "content": "And?"}',
        "the history has an entry that was not recorded",
        id="message more",
    ),
    pytest.param(
        lambda body: body["messages"].append(body["messages"].pop(1)),
        "messages[1]",
        json.dumps(CALL),
        json.dumps(RESULT),
        "the history is in another order",
        id="reordered messages",
    ),
]


@pytest.mark.parametrize(("change", "at", "expected", "got", "about"), CHANGES)
def test_a_changed_request_is_told_by_its_first_difference_from_the_recording_that_waits(
    change: Change, at: str, expected: str, got: str, about: str
) -> None:
    miss = second_turn(change)
    assert (miss.kind, miss.at, miss.expected, miss.got) == ("changed", at, expected, got)
    assert miss.nearest is not None
    assert miss.nearest.response == b"done"
    assert about in miss.summary
    assert "weather.yaml:40, is not played yet" in miss.summary


@pytest.mark.parametrize(("change", "at", "expected", "got", "about"), CHANGES)
def test_a_person_reads_all_of_it_in_one_text(change: Change, at: str, expected: str, got: str, about: str) -> None:
    miss = second_turn(change)
    text = str(miss)
    assert f"{at}: expected {expected}, got {got}" in text
    assert miss.diff in text
    assert miss.diff.startswith(
        "--- weather.yaml:40: POST /chat/completions\n+++ this request: POST /chat/completions\n@@ "
    )
    assert ("\n-" in miss.diff) == (expected != "nothing")
    assert ("\n+  " in miss.diff) == (got != "nothing")
    assert "record again in mode 'all', which replaces the cassette" in text


def test_the_diff_is_around_the_difference_only() -> None:
    assert second_turn(lambda body: body["messages"][2].update(content="23 C")).diff.splitlines()[2:] == [
        "@@ messages[2] @@",
        '   "role": "tool"',
        '   "tool_call_id": "call_1"',
        '-  "content": "22 C"',
        '+  "content": "23 C"',
    ]


def test_differences_at_several_places_are_all_shown() -> None:
    def change(body: Any) -> None:
        body["temperature"] = 1
        body["messages"][2]["content"] = "23 C"

    miss = second_turn(change)
    assert miss.at == "messages[2].content"
    assert [line for line in miss.diff.splitlines() if line.startswith("@@")] == ["@@ messages[2] @@", "@@ body @@"]
    assert '+  "temperature": 1' in miss.diff


def test_one_message_put_in_is_one_difference() -> None:
    """What stands behind it is not compared with its neighbour."""
    extra = {"role": "user", "content": "Hurry."}
    miss = second_turn(lambda body: body["messages"].insert(1, extra))
    assert miss.at == "messages[1]"
    assert [line for line in miss.diff.splitlines()[2:] if line.startswith(("-", "@@"))] == ["@@ messages @@"]


def test_two_messages_put_in_are_two_differences() -> None:
    def change(body: Any) -> None:
        body["messages"].insert(1, {"role": "user", "content": "Hurry."})
        body["messages"].append({"role": "user", "content": "And?"})

    lines = second_turn(change).diff.splitlines()[2:]
    assert [line for line in lines if line.startswith("-")] == []
    assert [line for line in lines if "[" in line] == ["+  [1]: {", "+  [4]: {"]


def test_true_is_not_1() -> None:
    miss = missed(player(recording({"stream": 1})).play("POST", CHAT, b'{"stream": true}'))
    assert (miss.at, miss.expected, miss.got) == ("stream", "1", "true")


def test_of_a_large_value_the_beginning_is_shown() -> None:
    tool = {"name": "x", "parameters": {f"p{number}": {"type": "string", "enum": ["a", "b"]} for number in range(50)}}
    lines = second_turn(lambda body: body["tools"].append(tool)).diff.splitlines()
    assert len(lines) < 25
    assert lines[-1].startswith("+  … ")
    assert lines[-1].endswith(" more lines")


# --- kinds ------------------------------------------------------------------------------------------------------


def test_nothing_is_recorded() -> None:
    miss = missed(player().play("POST", CHAT, said(FIRST)))
    assert (miss.kind, miss.nearest, miss.expected) == ("unrecorded", None, "no request at all")
    assert "in mode 'new_episodes'" in str(miss)


def test_another_endpoint_is_not_recorded() -> None:
    miss = missed(recorded().play("POST", "/v1/embeddings", b'{"input": "Paris"}'))
    assert (miss.kind, miss.nearest, miss.at) == ("unrecorded", None, "path")
    assert (miss.expected, miss.got) == ("POST /chat/completions", "POST /v1/embeddings")


def test_another_wire_is_not_recorded() -> None:
    miss = missed(recorded().play("POST", "/v1/messages", said(FIRST)))
    assert (miss.kind, miss.nearest) == ("unrecorded", None)


def test_another_model_in_the_path_is_a_change_of_the_path() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    miss = missed(
        player(recording(body, url=url)).play("POST", "/v1beta/models/gemini-3-pro:generateContent", said(body))
    )
    assert (miss.kind, miss.at) == ("changed", "path")
    assert miss.expected == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert miss.got == "/v1beta/models/gemini-3-pro:generateContent"


def test_a_request_that_comes_once_more_than_recorded_has_been_played() -> None:
    playing = player(*(recording(FIRST, line=line) for line in (3, 9)), recording(SECOND, line=20))
    for _ in range(2):
        answer(playing.play("POST", CHAT, said(FIRST)))
    miss = missed(playing.play("POST", CHAT, said(FIRST)))
    assert (miss.kind, miss.at, miss.diff) == ("played", "", "")
    assert miss.nearest is not None
    assert miss.nearest.line == 9
    assert "recorded 2 times, and each has been played (weather.yaml:3, 9)" in str(miss)


def test_a_loop_that_goes_on_when_all_is_played_is_told_with_what_came_nearest() -> None:
    playing = recorded()
    for body in (FIRST, SECOND):
        answer(playing.play("POST", CHAT, said(body)))
    more = {**SECOND, "messages": [*SECOND["messages"], {"role": "user", "content": "And?"}]}
    miss = missed(playing.play("POST", CHAT, said(more)))
    assert (miss.kind, miss.at) == ("unrecorded", "messages[3]")
    assert miss.nearest is not None
    assert miss.nearest.line == 40
    assert "has been played, as all of its kind" in str(miss)
    assert "in mode 'new_episodes'" in str(miss)


def test_a_body_that_is_no_json() -> None:
    url = "https://api.openai.com/v1/audio"
    miss = missed(player(recording(b"one two", url=url)).play("POST", "/v1/audio", b"one three\xff"))
    assert (miss.kind, miss.at, miss.expected, miss.got) == ("changed", "body", '"one two"', '"one three\\\\xff"')
    empty = missed(player(recording(b"one two", url=url)).play("POST", "/v1/audio", None))
    assert (empty.at, empty.got) == ("body", "nothing")


def test_the_advice_names_the_recording_where_the_cassette_says_what_it_is() -> None:
    told = Provenance("live", "create-then-edit", "openai-chat", "reference", "", "", "2026-11-22", "1")
    playing = Player(Cassette(PATH, (recording(FIRST),), told))
    assert "harness record create-then-edit --wire openai-chat --mode all" in str(
        playing.play("POST", CHAT, said(asking("Hi")))
    )


# --- the nearest ------------------------------------------------------------------------------------------------


def nearest(asked: Any, *bodies: Any, played: tuple[Any, ...] = ()) -> Any:
    playing = player(*map(recording, bodies))
    for body in played:
        answer(playing.play("POST", CHAT, said(body)))
    found = missed(playing.play("POST", CHAT, said(asked))).nearest
    assert isinstance(found, Interaction)
    return json.loads(found.request or b"")


def turns(*texts: str, **settings: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts], **settings}


def test_the_nearest_has_most_of_the_history_whatever_else_differs() -> None:
    far, near = turns("a", "x"), turns("a", "b", "c", **{f"setting {number}": number for number in range(20)})
    assert nearest(turns("a", "b", "d"), far, near) == near


def test_the_same_endpoint_is_nearer_than_the_same_history() -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/models/{}:generateContent"
    hi, ho = ({"contents": [{"role": "user", "parts": [{"text": text}]}]} for text in ("hi", "ho"))
    playing = player(*(recording(body, url=url.format(model)) for body, model in ((hi, "pro"), (ho, "flash"))))
    miss = missed(playing.play("POST", "/v1beta/models/flash:generateContent", said(hi)))
    assert (miss.at, miss.expected, miss.got) == ("contents[0].parts[0].text", '"ho"', '"hi"')


def test_of_equal_histories_the_one_that_differs_least() -> None:
    far, near = turns("a", temperature=1, top_p=1), turns("a", temperature=1)
    assert nearest(turns("a"), far, near, far) == near


def test_of_equally_near_ones_the_first() -> None:
    assert nearest(turns("a"), turns("b"), turns("c")) == turns("b")


def test_what_waits_is_nearer_than_what_was_played() -> None:
    assert nearest(turns("a", "b", "x"), turns("a", "b"), turns("z"), played=(turns("a", "b"),)) == turns("z")


# --- the wires --------------------------------------------------------------------------------------------------


@from_table(__file__, "test_a_place_and_what_it_is_about_in_the_words_of_each_wire")
def test_a_place_and_what_it_is_about_in_the_words_of_each_wire(
    path: str, place: list[Any], value: Any, at: str, about: str
) -> None:
    path, body = next((full, body) for full, body in BODIES.items() if full.startswith(path))
    changed_body: Any = copy.deepcopy(body)
    holder = changed_body
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    miss = missed(player(recording(body, url=f"https://x.example{path}")).play("POST", path, said(changed_body)))
    assert miss.at == at
    assert about in miss.summary


# --- size -------------------------------------------------------------------------------------------------------


def test_of_a_long_text_the_part_that_differs_is_shown() -> None:
    page = "".join(f"<li>{number}</li>" for number in range(40_000))
    miss = missed(
        player(recording(asking(page))).play("POST", CHAT, said(asking(page.replace("<li>31234<", "<li>DIFFERS<"))))
    )
    assert "31234" in miss.expected
    assert "DIFFERS" in miss.got
    assert "DIFFERS" in miss.diff
    assert len(str(miss)) < 1500


@pytest.mark.slow
def test_a_miss_is_bounded_in_length_and_time_however_long_the_histories() -> None:
    """Two hundred recordings of a loop whose history grows to 200 KB, and a request in which every entry differs."""
    entries = [{"role": "user", "content": f"{number}: " + "words and more words " * 50} for number in range(200)]
    playing = player(*(recording({"model": "m", "messages": entries[: n + 1]}) for n in range(200)))
    other = [{**entry, "content": entry["content"].upper(), "name": "x"} for entry in entries]
    start = time.process_time()
    text = str(playing.play("POST", CHAT, said({"model": "m", "messages": other})))
    assert time.process_time() - start < 5
    assert len(text) < 6000
    assert "more: messages[" in text


def test_what_a_terminal_cannot_show_is_shown_all_the_same() -> None:
    miss = missed(player(recording(b'{"a": "\\ud83d"}')).play("POST", CHAT, b'{"a": "\\ud83e"}'))
    assert "\ufffd" in str(miss)
    str(miss).encode()


def test_a_body_nested_as_deeply_as_it_can_be_read_is_no_crash() -> None:
    deep = b'{"messages":' + b"[" * 900 + b"1" + b"]" * 900 + b"}"
    miss = missed(player(recording(deep)).play("POST", CHAT, deep.replace(b"1", b"2")))
    assert miss.kind in ("changed", "unrecorded")
    assert len(str(miss)) < 6000


def test_of_too_many_megabytes_those_of_about_the_same_length_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cassette.misses.nearest._MOST_READ", 300)
    long = turns("a", *("x" * 200 for _ in range(3)))
    assert nearest(turns("a", "b"), long, turns("c")) == turns("c")
    assert nearest(turns("a", *("y" * 200 for _ in range(3))), turns("c"), long) == long

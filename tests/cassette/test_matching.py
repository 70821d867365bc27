"""Which recording answers a request, and what of a request counts for that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cassette import Cassette, Interaction
from harness.cassette.matching import Player
from harness.cassette.meaning import meaning
from harness.cassette.miss import Miss

CHAT = "/v1/chat/completions"
GEMINI = "/v1beta/models/gemini-2.5-flash:generateContent"


def said(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def recording(
    body: Any, answer: str = "", *, url: str = f"https://api.openai.com{CHAT}", status: int = 200
) -> Interaction:
    return Interaction("POST", url, {}, said(body), status, {}, answer.encode())


def player(*recordings: Interaction) -> Player:
    return Player(Cassette(Path("a.yaml"), recordings))


def answer(found: Interaction | Miss) -> str:
    assert isinstance(found, Interaction), found
    return found.response.decode()


def asking(text: str) -> Any:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


class TestPlaying:
    def test_a_request_is_answered_by_the_recording_that_means_the_same_in_any_order(self) -> None:
        playing = player(recording(asking("a"), "A"), recording(asking("b"), "B"), recording(asking("c"), "C"))
        assert [answer(playing.play("POST", CHAT, said(asking(text)))) for text in "cab"] == ["C", "A", "B"]
        assert playing.unplayed == ()

    def test_a_retry_gets_what_the_retry_got(self) -> None:
        playing = player(recording(asking("a"), status=429), recording(asking("a"), "A"))
        found = [playing.play("POST", CHAT, said(asking("a"))) for _ in range(3)]
        assert [each.status if isinstance(each, Interaction) else each.kind for each in found] == [429, 200, "played"]

    def test_what_was_not_played_is_told_in_the_order_of_the_file(self) -> None:
        playing = player(recording(asking("a"), "A"), recording(asking("b"), "B"), recording(asking("a"), "again"))
        playing.play("POST", CHAT, said(asking("b")))
        assert [each.response for each in playing.unplayed] == [b"A", b"again"]

    def test_two_players_of_a_cassette_do_not_disturb_each_other(self) -> None:
        one, other = player(recording(asking("a"), "A")), player(recording(asking("a"), "A"))
        assert answer(one.play("POST", CHAT, said(asking("a")))) == "A"
        assert answer(other.play("POST", CHAT, said(asking("a")))) == "A"


class TestMeaning:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param(b'{"a":1,"b":[{"c":2,"d":3}]}', b'{"b": [{"d": 3, "c": 2}],\n "a": 1}', id="order and space"),
            pytest.param(b'{"a":1}', b'{"a":1.0}', id="1 and 1.0"),
            pytest.param(b'{"a":"\\u00e9\\/"}', '{"a":"é/"}'.encode(), id="escapes"),
            pytest.param(None, b"", id="no body and an empty one"),
        ],
    )
    def test_what_json_leaves_to_the_writer_does_not_count(self, one: bytes | None, other: bytes) -> None:
        assert meaning("POST", CHAT, one).key == meaning("POST", CHAT, other).key

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param(b'{"a":1}', b'{"a":true}', id="1 and true"),
            pytest.param(b'{"a":1}', b'{"a":"1"}', id="1 and its text"),
            pytest.param(b'{"a":null}', b"{}", id="null and nothing"),
            pytest.param(b'{"a":[1,2]}', b'{"a":[2,1]}', id="order of elements"),
            pytest.param(b'{"arguments":"{\\"a\\":1}"}', b'{"arguments":"{\\"a\\": 1}"}', id="JSON in a text"),
            pytest.param(b"x y", b"x  y", id="no JSON: every byte"),
            pytest.param(b'{"a":1e999}', b'{"a":2e999}', id="numbers that are none"),
            pytest.param(b'{"max_tokens":1}', b'{"maxTokens":1}', id="spelling, but for Gemini"),
        ],
    )
    def test_everything_else_counts(self, one: bytes, other: bytes) -> None:
        assert meaning("POST", CHAT, one).key != meaning("POST", CHAT, other).key

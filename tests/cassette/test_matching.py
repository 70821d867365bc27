"""Which recording answers a request, and what of a request counts for that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.cassette import Interaction
from harness.cassette.match_key import matchable
from harness.secrets.redactor import Redactor
from tests.case_tables import from_table
from tests.cassette.asking import CHAT, answer, asking, missed, player, recording, said

GEMINI = "/v1beta/models/gemini-2.5-flash:generateContent"
MESSAGES = "/v1/messages"


def asked(playing: Any, text: str) -> str:
    return answer(playing.play("POST", CHAT, said(asking(text))))


class TestPlaying:
    def test_a_request_is_answered_by_the_recording_that_means_the_same_in_any_order(self) -> None:
        playing = player(*(recording(asking(text), text.upper()) for text in "abc"))
        assert [asked(playing, text) for text in "cab"] == ["C", "A", "B"]
        assert playing.unplayed == ()

    def test_a_retry_gets_what_the_retry_got_and_a_third_try_nothing(self) -> None:
        playing = player(recording(asking("a"), status=429), recording(asking("a"), "A"))
        found = [playing.play("POST", CHAT, said(asking("a"))) for _ in range(3)]
        assert [each.status if isinstance(each, Interaction) else each.kind for each in found] == [429, 200, "played"]

    def test_what_was_not_played_is_told_in_the_order_of_the_file(self) -> None:
        playing = player(recording(asking("a"), "A"), recording(asking("b"), "B"), recording(asking("a"), "again"))
        asked(playing, "b")
        assert [each.response for each in playing.unplayed] == [b"A", b"again"]

    def test_two_players_of_a_cassette_do_not_disturb_each_other(self) -> None:
        one, other = player(recording(asking("a"), "A")), player(recording(asking("a"), "A"))
        assert asked(one, "a") == asked(other, "a") == "A"

    def test_conversations_in_one_cassette_do_not_disturb_each_other(self) -> None:
        """Each request carries its history, so their turns may come in whichever order."""
        turns = {f"{name}{turn}": asking(name * (turn + 1)) for name in "ab" for turn in range(3)}
        playing = player(*(recording(turns[each], each) for each in sorted(turns)))
        order = ["b0", "a0", "a1", "b1", "b2", "a2"]
        assert [answer(playing.play("POST", CHAT, said(turns[each]))) for each in order] == order

    def test_who_needs_no_explanation_takes(self) -> None:
        playing = player(recording(asking("a"), "A"))
        assert playing.take("POST", CHAT, said(asking("b"))) is None
        found = playing.take("POST", CHAT, said(asking("a")))
        assert found is not None
        assert answer(found) == "A"
        assert playing.unplayed == ()

    @settings(max_examples=30, deadline=None)
    @given(st.permutations([*"aabbccd"]))
    def test_in_whatever_order_each_recording_is_played_once_and_equal_ones_in_theirs(self, order: list[str]) -> None:
        playing = player(*(recording(asking(text), f"{text}{number}") for number, text in enumerate("abacbcd")))
        given_back = [asked(playing, text) for text in order]
        assert [each[0] for each in given_back] == order
        assert [each for each in given_back if each[0] == "a"] == ["a0", "a2"]
        assert [each for each in given_back if each[0] == "b"] == ["b1", "b4"]
        assert [each for each in given_back if each[0] == "c"] == ["c3", "c5"]
        assert missed(playing.play("POST", CHAT, said(asking("d")))).kind == "played"


def same(one: Any, other: Any, path: str = CHAT) -> bool:
    return matchable("POST", path, said(one)).key == matchable("POST", path, said(other)).key


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def turned(value: Any) -> Any:
    """The same with its members in the other order."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


class TestBody:
    @from_table(__file__, "TestBody.test_what_json_leaves_to_the_writer_does_not_count")
    def test_what_json_leaves_to_the_writer_does_not_count(self, one: str, other: str) -> None:
        assert same(one.encode(), other.encode())

    @from_table(
        __file__,
        "TestBody.test_everything_else_counts",
        pytest.param("[" * 100_000, "[" * 100_001, id="nested too deeply"),
    )
    def test_everything_else_counts(self, one: str, other: str) -> None:
        assert not same(one.encode(), other.encode())

    def test_no_body_is_as_good_as_an_empty_one(self) -> None:
        assert matchable("GET", "/v1/models", None).key == matchable("GET", "/v1/models", b"").key

    @settings(max_examples=60, deadline=None)
    @given(_JSON)
    def test_any_value_is_the_same_however_it_is_written(self, value: Any) -> None:
        assert same(json.dumps(value).encode(), json.dumps(turned(value), indent=1, ensure_ascii=False).encode())

    @settings(max_examples=60, deadline=None)
    @given(_JSON, _JSON)
    def test_other_values_are_other(self, one: Any, other: Any) -> None:
        """Python is asked twice, because for it True is 1, and in its JSON 1.0 is not."""
        if json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True):
            assert same(one, other)
        else:
            assert not same(one, other) or one == other


class TestGemini:
    @from_table(__file__, "TestGemini.test_either_spelling_is_the_same")
    def test_either_spelling_is_the_same(self, one: Any, other: Any) -> None:
        assert same(one, other, GEMINI)
        assert not same(one, other, MESSAGES)

    @from_table(__file__, "TestGemini.test_what_is_the_users_own_counts")
    def test_what_is_the_users_own_counts(self, one: Any, other: Any) -> None:
        assert not same(one, other, GEMINI)


def meets(one: str, other: str, method: str = "POST") -> bool:
    return matchable("POST", one, b"{}").key == matchable(method, other, b"{}").key


class TestEndpoint:
    @from_table(__file__, "TestEndpoint.test_who_asks_and_by_which_way_does_not_count")
    def test_who_asks_and_by_which_way_does_not_count(self, recorded: str, path: str) -> None:
        assert meets(recorded, path)

    @from_table(__file__, "TestEndpoint.test_everything_else_counts")
    def test_everything_else_counts(self, one: str, other: str) -> None:
        assert not meets(one, other)

    def test_the_method_counts_whatever_its_case(self) -> None:
        assert meets(CHAT, CHAT, "post")
        assert not meets(CHAT, CHAT, "GET")


class TestRedaction:
    """A cassette holds what was asked without its secrets; the loop that replays it has them still."""

    KEY = "sk-" + "proj-" + "a1B2c3D4" * 6
    MAIL = "zoe@" + "acme-mail.com"

    def test_a_request_with_secrets_meets_its_recording_without_them(self) -> None:
        redactor = Redactor()
        live = asking(f"My key is {self.KEY}; write to {self.MAIL}.")
        recorded = redactor.redact(recording(live, "A"))
        assert self.KEY.encode() not in (recorded.request or b"")
        assert missed(player(recorded).play("POST", CHAT, said(live))).kind == "changed"
        assert answer(player(recorded, redactor=redactor).play("POST", CHAT, said(live))) == "A"

    def test_a_miss_shows_no_secret(self) -> None:
        playing = player(recording(asking("Hello"), "A"), redactor=Redactor())
        miss = missed(playing.play("POST", CHAT, said(asking(f"Use {self.KEY}"))))
        assert self.KEY not in repr(miss) + str(miss)
        assert "Hello" in miss.expected

"""Deltas in, events out: what the user sees of a turn while it arrives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from harness.loop import SCREENSHOT_TO_CODE, AssistantDelta, ThinkingDelta, ToolCallDelta, ToolRuntime
from harness.loop.live import LiveTurn
from harness.trace import Assistant, Event, SetCode, Thinking, ToolStart

STEP = 40


def hear(*pieces: str, name: str = "create_file", step: int = STEP) -> list[Event]:
    """What is told of one call whose arguments arrive in ``pieces``."""
    live = LiveTurn("1", ToolRuntime(), step)
    return [event for piece in pieces for event in live.hear(ToolCallDelta("c", name, piece))]


def previews(events: list[Event]) -> list[str]:
    return [event.code for event in events if isinstance(event, SetCode)]


def start(events: list[Event]) -> Any:
    (event,) = [event for event in events if isinstance(event, ToolStart)]
    return event.input


def by_character(text: str) -> list[str]:
    return list(text)


def test_text_and_thinking_are_told_as_they_come() -> None:
    live = LiveTurn("3", ToolRuntime(), STEP)
    assert live.hear(ThinkingDelta("Hm")) == (Thinking("Hm", "thinking-3"),)
    assert live.hear(AssistantDelta(" So")) == (Assistant(" So", "assistant-3"),)


# --- the early start ---------------------------------------------------------------------------------------


def test_a_call_starts_when_its_content_opens() -> None:
    head, quote = '{"path": "index.html", "content": ', '"'
    assert hear(head) == []
    events = hear(head, quote)
    assert events == [ToolStart("c", "create_file", {"path": "index.html", "contentLength": 0, "preview": ""})]


def test_an_empty_delta_starts_nothing() -> None:
    assert hear("", "") == []


def test_the_path_of_an_early_start_is_the_path_or_is_left_out() -> None:
    assert start(hear(*by_character('{"path": "a/b.html", "content": "x'))) == {
        "path": "a/b.html",
        "contentLength": 0,
        "preview": "",
    }
    assert start(hear(*by_character('{"content": "x", "path": "b.html"}'))) == {"contentLength": 0, "preview": ""}
    assert start(hear('{"content": "x", "path": "b.ht', 'ml"}')) == {"contentLength": 1, "preview": "x"}
    assert start(hear('{"path": 5, "content": "x"}')) == {"contentLength": 1, "preview": "x"}


def test_arguments_that_arrive_whole_start_and_are_previewed_once() -> None:
    events = hear('{"path": "b.html", "content": "<p>\\u00e9</p>"}')
    assert events == [
        ToolStart("c", "create_file", {"path": "b.html", "contentLength": 8, "preview": "<p>é</p>"}),
        SetCode("<p>é</p>", "c", preview=True),
    ]


@pytest.mark.parametrize("arguments", ['{"path": "a"}', '{"content": 5}', '{"content": null}', "[1]", "", "nonsense"])
def test_without_a_content_string_nothing_is_told_early(arguments: str) -> None:
    assert hear(*by_character(arguments)) == []


def test_other_tools_are_not_told_early() -> None:
    assert hear('{"content": "x"}', name="edit_file") == hear('{"content": "x"}', name="unknown") == []


def test_a_tool_that_is_not_offered_is_not_previewed() -> None:
    live = LiveTurn("1", ToolRuntime([]), STEP)
    assert live.hear(ToolCallDelta("c", "create_file", '{"content": "x"}')) == ()


def test_calls_that_arrive_at_the_same_time_keep_apart() -> None:
    live = LiveTurn("1", ToolRuntime(), STEP)
    events: list[Event] = []
    for pair in zip(by_character('{"content": "aaaa"}'), by_character('{"content": "bbbb"}'), strict=True):
        for id, piece in zip(("a", "b"), pair, strict=True):
            events += live.hear(ToolCallDelta(id, "create_file", piece))
    assert live.waiting == {"a": "create_file", "b": "create_file"}
    codes = [(event.id, event.code) for event in events if isinstance(event, SetCode)]
    assert codes == [("a", "a"), ("b", "b"), ("a", "aaaa"), ("b", "bbbb")]


# --- the steps ---------------------------------------------------------------------------------------------


def test_a_preview_comes_after_40_more_characters_and_not_after_39() -> None:
    assert previews(hear('{"content": "', "x", "y" * 39)) == ["x"]
    assert previews(hear('{"content": "', "x", "y" * 40)) == ["x", "x" + "y" * 40]
    assert previews(hear('{"content": "', "x", "y" * 39, "z")) == ["x", "x" + "y" * 39 + "z"]


def test_the_step_is_the_policys() -> None:
    assert len(previews(hear(*by_character('{"content": "' + "x" * 11 + '"}'), step=1))) == 11


def test_the_whole_content_is_shown_when_its_string_closes() -> None:
    assert previews(hear('{"content": "', "xyz", "uvw", '"')) == ["xyz", "xyzuvw"]
    assert previews(hear('{"content": "', "xyz", '"', ', "path": "b.html"}')) == ["xyz"]
    assert previews(hear('{"content": "xyz', 'u", "path": "', "b.html" * 40, '"}')) == ["xyz", "xyzu"]


def test_previews_grow_and_are_beginnings_of_the_content_wherever_the_text_is_cut() -> None:
    content = '<p class="x">Ünïcödé 😀\\ C:\\new\\tab\n' * 9
    for ascii_only in (True, False):
        text = json.dumps({"path": "p", "content": content, "note": "content"}, ensure_ascii=ascii_only)
        for size in (1, 2, 3, 5, 7, 64):
            shown = previews(hear(*(text[at : at + size] for at in range(0, len(text), size))))
            assert all(content.startswith(code) for code in shown)
            assert all(len(one) < len(other) for one, other in pairwise(shown))
            assert shown[-1] == content


def test_a_page_is_sent_a_bounded_number_of_times_however_long_it_is() -> None:
    """The step grows with the page: with a fixed step of 40 this page would be sent 2,500 times over."""
    length = 200_000
    shown = previews(hear('{"content": "', *["x" * 4] * (length // 4), '"}'))
    assert len(shown[-1]) == length
    assert sum(map(len, shown)) < 18 * length


def test_the_step_of_a_policy_without_growth_stays_the_same() -> None:
    """As the engine that the preset follows has it: a page of 3,875 characters in 97 previews and its end."""
    live = LiveTurn("1", ToolRuntime(), SCREENSHOT_TO_CODE.preview_step, SCREENSHOT_TO_CODE.preview_growth)
    pieces = ['{"content": "', *["x"] * 3875, '"}']
    shown = previews([event for piece in pieces for event in live.hear(ToolCallDelta("c", "create_file", piece))])
    assert [len(code) for code in shown] == [*range(1, 3875, 40), 3875]


def test_a_repeated_key_begins_again() -> None:
    events = hear(*by_character('{"content": "aa", "content": "bbb'))
    assert previews(events) == ["a", "aa", "b"]
    assert sum(isinstance(event, ToolStart) for event in events) == 1


# --- the checks can fail -----------------------------------------------------------------------------------


@dataclass
class _NaivePreview:
    """Shows what stands behind ``"content": "`` undecoded, as a loop without a parser would."""

    text: str = ""

    def hear(self, piece: str) -> str:
        self.text += piece
        return self.text.partition('"content": "')[2]


def test_undecoded_previews_are_no_beginnings_of_the_content() -> None:
    content = 'say "hello" to C:\\new'
    naive = _NaivePreview()
    shown = [naive.hear(piece) for piece in by_character(json.dumps({"content": content}))]
    assert not all(content.startswith(code) for code in shown)

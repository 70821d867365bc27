"""What a ``toolStart`` may show of an argument: a beginning of its value, and nothing of another."""

from __future__ import annotations

import json

import pytest

from harness.rules import judge
from harness.trace import JsonValue, Record, ToolStart
from harness.wire import Call, FinishReason, Turn
from harness_lab.mutants.traces.draft import change, places
from tests.rules.build import PAGE, broken, build

RULE = "preview/start-input"
CREATE = json.dumps({"path": "pages/a.html", "content": PAGE, "size": 7})
TWO_PATHS = f'{{"path": "a.html", {CREATE[1:]}'
HALF = '{"path": "a.html", "content": "\\ud83e"}'


def shown(input: JsonValue, arguments: str = CREATE) -> list[str]:
    """What the rule finds in a start that shows ``input``."""

    def edit(records: list[Record]) -> None:
        change(records, places(records, ToolStart)[0], input=input)

    script = (Turn((Call("create_file", arguments),), FinishReason.TOOL_CALLS),)
    return [finding.got for finding in judge(broken(build("anthropic-messages", script), edit), [RULE])]


@pytest.mark.parametrize("text", ["pages/a.html", "pages/", "pages/...", "pages/…", "pages/a.html...", ""])
def test_a_beginning_may_be_shown(text: str) -> None:
    assert shown({"path": text}) == []


@pytest.mark.parametrize("text", ["index.html", 'pages/a.html", "content": ', "pages/a.html.", "a.html", "page..a..."])
def test_other_words_may_not(text: str) -> None:
    assert shown({"contentLength": 0, "path": text}) == [json.dumps(text)]


def test_the_first_of_two_values_was_true_when_it_was_shown() -> None:
    assert shown({"path": "a.html"}, TWO_PATHS) == shown({"path": "pages/a.html"}, TWO_PATHS) == []
    assert shown({"path": "b.html"}, TWO_PATHS) == ['"b.html"']


def test_half_a_character_is_shown_as_a_replacement() -> None:
    assert shown({"content": "\ufffd"}, HALF) == []
    assert shown({"content": "?"}, HALF) == ['"?"']


@pytest.mark.parametrize(
    "input", [None, "index.html", ["index.html"], {"size": "8"}, {"preview": "<html>"}, {"path": 1}]
)
def test_what_is_no_text_of_an_argument_is_not_judged(input: JsonValue) -> None:
    assert shown(input) == []


def test_what_a_start_shows_of_arguments_that_were_cut_is_not_judged() -> None:
    cut = Turn((Call("create_file", CREATE[:60]),), FinishReason.MAX_TOKENS)

    def edit(records: list[Record]) -> None:
        change(records, places(records, ToolStart)[0], input={"path": "index.html"})

    assert judge(broken(build("anthropic-messages", (cut,)), edit), [RULE]) == []

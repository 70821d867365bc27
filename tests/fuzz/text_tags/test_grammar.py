"""The oracle's grammar is that of the measured program, of our documents, and of nothing that can be doubted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harness.fuzz.text_tags.documents import NASTY
from harness.fuzz.text_tags.grammar import ParsedText, parsed
from harness_lab.recorded.golden import against_text_cases, read_text_cases
from tests.wire.text_tags.reading import TAG_PAIRS, call
from tests.wire.text_tags.test_documents import EXPECTED


def calls(said: ParsedText) -> list[tuple[str, Any]]:
    return [(each.name, each.arguments) for each in said.calls]


def test_what_was_measured_is_what_the_grammar_says(shared: Path) -> None:
    """Where the program finds calls, so does the grammar, and the same, but for what is decided otherwise."""
    same = 0
    for compared in asyncio.run(against_text_cases(read_text_cases(shared / "golden" / "hugind"))):
        case = compared.happened.case
        if case.fn == "parse_tool_calls" and compared.verdict == "agrees":
            said = parsed(case.input)
            expected = [(each["name"], each["args"]) for each in case.expected]
            assert said.doubt is not None or calls(said) == expected, case.id
            same += said.doubt is None
        elif case.fn == "strip_thinking":
            said = parsed(case.input)
            assert not said.text_is_whole or said.text.strip() == case.expected, case.id
            same += said.text_is_whole
    assert same >= 16


@pytest.mark.parametrize("name", NASTY)
def test_what_the_grammar_says_is_what_our_documents_say(name: str) -> None:
    """These expectations were written by hand. Up to the doubt the calls are the same, and so is the text."""
    expected, text = EXPECTED[name]
    said = parsed(NASTY[name])
    found = calls(said)
    assert found == expected[: len(found)]
    assert text.startswith(said.text.strip())
    if said.doubt is None:
        assert len(found) == len(expected)
    if said.text_is_whole:
        assert said.text.strip() == text
    if said.last:
        assert (said.last.name, said.last.arguments) == expected[-1]


def test_most_documents_can_be_read_without_a_doubt() -> None:
    assert sum(parsed(text).doubt is None for text in NASTY.values()) >= 12
    assert sum(parsed(text).last is not None for text in NASTY.values()) >= 6


@pytest.mark.parametrize("tags", TAG_PAIRS)
@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ('{"name":"a"}', {}),
        ('{"args":{"x":1,},name:"a",}', {"x": 1}),
        ('{"name":"a","args":{x:[1,2,],é:{y:"b"},},"id":7}', {"x": [1, 2], "é": {"y": "b"}}),
        ('\n{"name" : "a", "args" : {"x": "a\nb"}}\n', {"x": "a\nb"}),
        ('call:a{x:"{y:1,}"}', {"x": "{y:1,}"}),
        (" call: a {} ", {}),
        ('{"name":"a","args":{"x":1,"x":2}}', {"x": 2}),
        ('{"name":"a","args":{"x":"</tool_call><|tool_call|>"}}', {"x": "</tool_call><|tool_call|>"}),
        (r'{"n\u0061me":"a","args":{"x":"\ud83d\ude00\""}}', {"x": '😀"'}),
    ],
)
def test_a_well_formed_call_is_read(tags: tuple[str, str], inside: str, said: dict[str, Any]) -> None:
    found = parsed(f"Hi {tags[0]}{inside}{tags[1]}!")
    assert calls(found) == [("a", said)]
    assert (found.text, found.text_is_whole, found.doubt) == ("Hi !", True, None)


@pytest.mark.parametrize(
    "inside",
    [
        "", "{}", "call:a", "call:{}", 'call:"a"{}', '{"name":"a","arguments":{}}', '{"name":""}', '{"name":7}',
        '{"name":"a","args":null}', '{"name":"a","args":[]}', '{"name":"a","name":"b"}', '{"name":"a","args":{,}}',
        '{"name":"a","args":{"x":NaN}}', '{"name":"a","args":{x:y}}', '{"name":"a","args":{my-key:1}}',
        '{"name":"a"}{}', "{'name':'a'}", '[{"name":"a"}]', '{"name":"a","args":{"x":01}}', r'{"name":"\x"}',
        '{"name":"<think>"}', '{"name":"a b"}',
    ],
)  # fmt: skip
def test_what_is_no_well_formed_call_is_doubted(inside: str) -> None:
    text = f"Hi <tool_call>{inside}</tool_call>"
    assert (parsed(text).doubt, calls(parsed(text)), parsed(text).last) == (3, [], None)
    assert parsed(f"{call('b')}<tool_call>{inside}<|tool_call|>").doubt == len(call("b"))


LAST = call("last")


@pytest.mark.parametrize(
    ("before", "behind", "certain"),
    [
        ("<tool_call>", "", True),
        ('<tool_call>{"name":"a","args":{"x":"', "", True),
        ('<tool_call>{"name":"a","args":{"x":"', " and text", True),
        ('<tool_call>{"name":"a","args":{"x":"', '"}}</tool_call>', False),
        ('<tool_call>{"name":"a","args":{"x":"', "<tool_call>", False),
        ('<tool_call>{"name":"a","args":{"x":"<think>', "", False),
        ('<tool_call>{"name":"a","args":{"x":"<think></think>', "", True),
        ("<tool_call><think>", "", False),
        ("<tool_call>not json</tool_call><|tool_call>", "", True),
        ('<tool_call>{",a":"', "", True),
    ],
)
def test_the_last_call_behind_a_doubt_is_certain_or_not(before: str, behind: str, *, certain: bool) -> None:
    said = parsed(f"{before}{LAST}{behind}")
    assert (said.last is not None) == certain
    assert said.last is None or said.last.name == "last"


def test_thinking_is_no_text_and_its_calls_are_known() -> None:
    said = parsed(f"a<think>b{call('no')}</think>c<think>{call('never')}")
    assert (said.text, [each.name for each in said.thought], calls(said)) == ("ac", ["no", "never"], [])


def test_text_behind_a_lone_end_of_thinking_may_or_may_not_be_shown() -> None:
    said = parsed(f"a</think>b{call('a')}c")
    assert (said.text, said.text_is_whole, calls(said), said.doubt) == ("a", False, [("a", {})], None)

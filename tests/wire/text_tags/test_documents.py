"""What comes of every odd document: the calls, their problems, and what the user sees."""

from __future__ import annotations

import json

import pytest

from harness.loop.tools.arguments import parse_arguments
from harness.loop.tools.tool import ToolError
from harness.wire.text_tags import parse_tool_calls
from tests.wire.text_tags.reading import NASTY, TAG_PAIRS, call, read

NO_CALL = object()
"""The arguments of a block that is no call."""

EXPECTED: dict[str, tuple[list[tuple[str, object]], str]] = {
    "prose-and-two-calls": ([("a", {"x": [1, {}]}), ("b", {})], "I look.\n\nThen\n Done."),
    "gemma": ([("run", {"command": "ls"}), ("f.g", {"a": {"b": [1]}})], ""),
    "end-tag-in-string": ([("w", {"content": "a</tool_call>b<|tool_call>c<think>d"})], "t"),
    "start-tag-in-string": ([("w", {"content": call("x")})], ""),
    "call-in-thinking": ([("yes", {})], ""),
    "open-string-then-call": ([("a", NO_CALL), ("b", {"y": "z"})], "and"),
    "open-string-then-thinking": ([("a", NO_CALL), ("yes", {})], ""),
    "unclosed-then-closed": ([("a", NO_CALL), ("b", {})], ""),
    "wrong-end": ([("a", NO_CALL), ("b", {})], "text"),
    "no-call-at-all": ([("unknown_tool", NO_CALL)], "after"),
    "never-ends": ([("a", NO_CALL)], "Hi"),
    "never-ends-with-a-tag": ([("a", NO_CALL), ("b", {})], "Hi tail"),
    "half-tags": ([], NASTY["half-tags"]),
    "stray-ends": ([], "abcd</think>e"),
    "escapes": ([("e", {"s": '😀\n"</tool_call>\\', "k": '\\"'})], ""),
    "raw-controls": ([("r", {"s": "two\nlines\tand\0more", "t\nk": 1})], ""),
    "several-lines": ([("a", {"x": [1]})], "Done."),
    "json-in-a-string": ([("j", {"s": "[1,],{x: 2,}", "url": "http://x:80/y", "said": 'it\'s "a: b, }"'})], ""),
    "name-last": ([("late", {"x": 1})], ""),
    "name-twice": ([("a", NO_CALL)], ""),
    "name-twice-at-first": ([("b", {"x": 1})], ""),
    "args-twice": ([("a", NO_CALL), ("b", {})], "and"),
    "args-twice-at-first": ([("late", {"x": 2})], ""),
    "tag-in-a-string-of-no-call": ([("a", NO_CALL), ("f", NO_CALL), ("b", {})], "and"),
    "no-args": ([("now", {}), ("f", NO_CALL)], ""),
    "odd-args": ([("n", None), ("n", [1]), ("n", "s"), ("n", -1500.0), ("n", True)], ""),
    "broken-args": ([("n", NO_CALL)] * 7, ""),
    "surrogates": ([("s", {"x": "😀"})], "😀"),
}


@pytest.mark.parametrize("name", NASTY)
def test_what_comes_of_it(name: str) -> None:
    calls, text = EXPECTED[name]
    outcome = read(NASTY[name])
    found = [(each.name, NO_CALL if each.problem else json.loads(each.arguments)) for each in outcome.calls]
    assert found == calls
    assert outcome.text == text


@pytest.mark.parametrize("name", NASTY)
def test_what_is_no_call_cannot_be_run(name: str) -> None:
    for each in read(NASTY[name]).calls:
        if each.problem:
            assert each.arguments.strip(), "an empty text would be an empty object"
            with pytest.raises(ToolError):
                parse_arguments(each.arguments)


@pytest.mark.parametrize("name", NASTY)
def test_a_call_is_told_as_it_is_found(name: str) -> None:
    outcome = read(NASTY[name])
    assert len({each.id for each in outcome.calls}) == len(outcome.calls)
    for each in outcome.calls:
        assert outcome.arguments(each.id) == each.arguments


def test_arguments_are_told_while_they_arrive_but_for_their_last_bracket() -> None:
    text = '<tool_call>{"name":"create_file","args":{"path":"a","content":"<p>Hi</p>"} }'
    outcome = read(text)
    assert outcome.told == (("call_1", "create_file", '{"path":"a","content":"<p>Hi</p>"'),)
    assert outcome.calls[0].problem == "it never ends"
    assert parse_tool_calls(f"{text} </tool_call>")[0].arguments == '{"path":"a","content":"<p>Hi</p>"}'


def test_a_call_that_contradicts_itself_stays_the_one_that_was_told() -> None:
    assert read(NASTY["name-twice"]).told == (("call_1", "a", '{"x":1'),)
    (found,) = parse_tool_calls(NASTY["name-twice"])
    assert (found.arguments, found.problem) == ('{"x":1', 'it has "name" twice')
    found, _ = parse_tool_calls(NASTY["args-twice"])
    assert (found.arguments, found.problem) == ('{"x":1', 'it has "args" twice')


@pytest.mark.parametrize("tags", TAG_PAIRS)
@pytest.mark.parametrize("inner", ['{"name":"a","args":{"x":1}}', "call:a{x:1}", "\u00a0\n call: a {x:1}\n\u00a0"])
def test_each_form_of_tags_holds_each_form_of_call(tags: tuple[str, str], inner: str) -> None:
    (found,) = parse_tool_calls(f"{tags[0]}{inner}{tags[1]}")
    assert (found.name, json.loads(found.arguments), found.problem) == ("a", {"x": 1}, "")


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("<tool_call></tool_call>", "it ends too early"),
        ("<tool_call>{}</tool_call>", "it has no name"),
        ('<tool_call>{"name":7,"args":{}}</tool_call>', "it has no name"),
        ('<tool_call>{"name":{"n":"a"},"args":{}}</tool_call>', "it has no name"),
        ('<tool_call>{"name":"","args":{}}</tool_call>', "it has no name"),
        ("<tool_call>call: {}</tool_call>", "it has no name"),
        ("<tool_call>call:a</tool_call>", "it ends too early"),
        ('<tool_call>call:"a"{}</tool_call>', "'\"' is no part of a name"),
        ("<tool_call>calls:a{}</tool_call>", "it is neither {...} nor call:NAME{...}"),
        ('<tool_call>{"name":"a"}{"name":"b"}</tool_call>', "'{' is out of place"),
        ('<tool_call>{"name":"a"}<tool_call|>', "<tool_call|> stands where </tool_call> is expected"),
        ('<tool_call>{"name":"a","parameters":{}}</tool_call>', 'it has "parameters" where "args" is expected'),
        ('<tool_call>{"name":"a"}', "it never ends"),
        ('<tool_call>{"name":"a","args":{"x":tru}}</tool_call>', "'tru' is no value"),
        ('<tool_call>{"name":"a","args":{"x":' + "9" * 30 + "x}}</tool_call>", f"'{'9' * 20}...' is no value"),
    ],
)
def test_the_problem_is_named(block: str, problem: str) -> None:
    (found,) = parse_tool_calls(block)
    assert found.problem == problem


def test_other_members_are_ignored_beside_args() -> None:
    (found,) = parse_tool_calls('<tool_call>{"id":"x","name":"a","args":{"y":1},"why":{"name":"b"}}</tool_call>')
    assert (found.name, found.arguments, found.problem) == ("a", '{"y":1}', "")


def test_a_key_may_be_written_with_escapes_and_without_quotes() -> None:
    (found,) = parse_tool_calls(r'<tool_call>{n\u0061me:"a"}</tool_call>')
    assert found.problem, "an escape outside of quotes"
    (found,) = parse_tool_calls(r'<tool_call>{"n\u0061me":"\u0061","\u0061rgs":{é_1:"v"}}</tool_call>')
    assert (found.name, json.loads(found.arguments)) == ("a", {"é_1": "v"})

"""The rules' own reading of a ``content`` argument, against a JSON parser."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.rules.content import content_of
from harness.rules.evidence import difference, quote

TEXT = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from('\\"/🥐\n\t\x00'), max_size=40)


@settings(max_examples=150)
@given(TEXT, st.booleans(), st.booleans())
def test_content_is_what_a_json_parser_reads(text: str, ascii_only: bool, last: bool) -> None:
    members = {"path": "content", "nested": {"content": "no"}, "list": ["content", "no"]}
    arguments = json.dumps(
        {**members, "content": text} if last else {"content": text, **members}, ensure_ascii=ascii_only
    )
    content = content_of(arguments)
    assert content is not None
    assert content.finished
    assert content.text == text


@settings(max_examples=100)
@given(TEXT, st.booleans())
def test_every_beginning_says_a_beginning_of_the_content(text: str, ascii_only: bool) -> None:
    arguments = json.dumps({"path": "a", "content": text}, ensure_ascii=ascii_only)
    whole = content_of(arguments)
    assert whole is not None
    said = [whole.characters(length) for length in range(len(arguments) + 1)]
    assert said == sorted(said)
    assert said[0] == 0
    assert said[-1] == len(text)
    for length, count in enumerate(said):
        cut = content_of(arguments[:length])
        shown = cut.text if cut is not None else ""
        # Half a surrogate pair counts as its character: a rule may be late by that, never early.
        assert text[:count] == shown or (text[: count - 1] == shown.removesuffix("\ufffd"))


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{",
        '{"path": "content"',
        '{"content"',
        '{"content":',
        '{"content": 5}',
        '["content", "x"]',
        '{"a": {"content": "x"}}',
    ],
)
def test_what_has_no_content_has_none(arguments: str) -> None:
    assert content_of(arguments) is None


def test_an_escaped_key_is_the_key() -> None:
    content = content_of('{"\\u0063ontent": "x"}')
    assert content is not None
    assert content.text == "x"


def test_evidence_is_short_and_printable() -> None:
    assert quote('a "b"\n') == '"a \\"b\\"\\n"'
    assert len(quote("x" * 500)) < 90
    quote("\ud83e").encode()


def test_a_difference_is_shown_where_it_is() -> None:
    expected, got = difference("x" * 300 + "expected", "x" * 300 + "got")
    assert "expected" in expected
    assert "got" in got
    assert len(expected) < 130


def test_of_a_key_that_comes_again_the_last_value_counts() -> None:
    arguments = '{"content": "first", "nested": {"content": "no"}, "content": "second"}'
    content = content_of(arguments)
    assert content is not None
    assert (content.text, content.again) == (json.loads(arguments)["content"], True)
    cut = content_of(arguments[:-4])
    assert cut is not None
    assert (cut.text, cut.finished, cut.again) == ("seco", False, True)
    alone = content_of('{"content": "first"')
    assert alone is not None
    assert not alone.again

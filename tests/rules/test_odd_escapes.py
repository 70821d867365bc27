"""Previews of a content with an escape that JSON does not have: parsers keep its backslash, or leave it out."""

from __future__ import annotations

import json

import pytest

from harness.rules.content import content_of
from harness.trace import SetCode, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Turn
from tests.rules.test_caller import Told, user

ARGUMENTS = r'{"path": "index.html", "content": "one\ntwo \q\n three"}'


@pytest.mark.parametrize("odd", [r"\q", r"\x41", r"\u12g4", r"\U", r"\'"])
@pytest.mark.parametrize("end", ['"}', "", "\\", r"\u00"])
def test_parsers_keep_its_backslash_or_leave_it_out(odd: str, end: str) -> None:
    content = content_of('{"content": ' + json.dumps('one\n"two" \U0001f950')[:-1] + odd + r"\n three" + end)
    assert content is not None
    assert content.finished is (end == '"}')
    assert content.texts == tuple(f'one\n"two" \U0001f950{each}\n three' for each in (odd, odd[1:]))


@pytest.mark.parametrize("cut", ["", "\\", r"\u", r"\u0", r"\u00e", r"\n", r"\u00e9"])
def test_half_an_escape_at_the_end_is_none(cut: str) -> None:
    content = content_of('{"content": "one' + cut)
    assert content is not None
    assert len(content.texts) == 1


def test_what_has_arrived_is_at_most_what_is_written() -> None:
    content = content_of(ARGUMENTS)
    assert content is not None
    assert content.characters(content.start + 12) == 12
    assert content.characters(len(ARGUMENTS)) >= len(content.text)


@pytest.mark.parametrize(
    ("preview", "found"),
    [
        ("one\ntwo ", {"preview/whole"}),
        ("one\ntwo \\q\n three", set()),
        ("one\ntwo q\n three", set()),
        ("one\ntwo \\q\n three!", {"preview/prefix"}),
        ("one\\ntwo ", {"preview/prefix", "preview/whole"}),
        ("one\ntwo-\\q\n three", {"preview/prefix"}),
        ("one", {"preview/whole"}),
    ],
)
def test_a_preview_is_a_beginning_of_one_of_them(preview: str, found: set[str]) -> None:
    call = Call("create_file", ARGUMENTS, "toolu_1")
    told = Told(profile="screenshot-to-code").asks(user("Go."), turn=Turn((call,), FinishReason.TOOL_CALLS))
    told.tells(ToolStart("toolu_1", "create_file", {}), SetCode(preview, "toolu_1", preview=True))
    told.tells(ToolResult("toolu_1", "create_file", "done", ok=True))
    assert told.rules("preview/prefix") | told.rules("preview/whole") == found

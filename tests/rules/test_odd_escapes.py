"""Previews of a content with an escape that JSON does not have: what follows it is read differently by parsers."""

from __future__ import annotations

import json

import pytest

from harness.rules.content import content_of
from harness.trace import SetCode, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Turn
from tests.rules.test_caller import Told, user

ARGUMENTS = r'{"path": "index.html", "content": "one\ntwo \q\n three"}'


@pytest.mark.parametrize("odd", [r"\q", r"\x41", r"\u12g4", r"\U", r"\'"])
def test_what_stands_before_it_is_sure(odd: str) -> None:
    before = 'one\n"two" \U0001f950'
    for finished in (True, False):
        arguments = '{"content": ' + json.dumps(before)[:-1] + odd + r"\n three" + ('"}' if finished else "")
        content = content_of(arguments)
        assert content is not None
        assert content.finished is finished
        assert content.sure == len(before)
        assert content.text[: content.sure] == before


@pytest.mark.parametrize("cut", ["", "\\", r"\u", r"\u0", r"\u00e", r"\n", r"\u00e9"])
def test_half_an_escape_at_the_end_is_none(cut: str) -> None:
    content = content_of('{"content": "one' + cut)
    assert content is not None
    assert content.sure is None


@pytest.mark.parametrize(
    ("preview", "found"),
    [
        ("one\ntwo ", set()),
        ("one\ntwo \\q\n three", set()),
        ("one\ntwo q\n three", set()),
        ("one\\ntwo ", {"preview/prefix"}),
        ("one\n2 \\q\n three", {"preview/prefix"}),
        ("one", {"preview/whole"}),
    ],
)
def test_a_preview_is_judged_as_far_as_it_is_sure(preview: str, found: set[str]) -> None:
    call = Call("create_file", ARGUMENTS, "toolu_1")
    told = Told(profile="screenshot-to-code").asks(user("Go."), turn=Turn((call,), FinishReason.TOOL_CALLS))
    told.tells(ToolStart("toolu_1", "create_file", {}), SetCode(preview, "toolu_1", preview=True))
    told.tells(ToolResult("toolu_1", "create_file", "done", ok=True))
    assert told.rules("preview/prefix") | told.rules("preview/whole") == found
